/**
 * What reading costs through everything that stands before a row: a deployment by its id, with token, limits, store and
 * metrics, against Fastify with a fixed answer of the same size. Requests per CPU second of all processes of each.
 *
 *   node bench/api/api-read.ts
 */
import { join } from 'node:path'
import { atHalfRate } from '../load/half-rate.ts'
import { wrk, wrkRate } from '../load/wrk.ts'
import { comparisons, measure, type Subject } from '../measure/compare.ts'
import { paced } from '../pace/pace.ts'
import { startChildServer } from '../peer/child-server.ts'
import { startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const PEER = 'a fixed answer of Fastify'

export async function run(): Promise<Row[]> {
  const platform = await startPlatform()
  try {
    const body = JSON.stringify({
      name: 'read-often',
      version: 2,
      files: [{ file: 'index.html', data: 'Hello' }],
    })
    const made = await platform.call('/v8/platform/deployments', { method: 'POST', body })
    const path = `/v8/platform/deployments/${JSON.parse(made.body).id}`
    const answer = (await platform.call(path)).body
    const peer = await startChildServer(join(import.meta.dirname, '../peer/fastify-server.ts'), [answer])
    try {
      const subject = (name: string, pid: number | undefined, url: string): Subject => ({
        name,
        pids: () => (pid === undefined ? [] : [pid]),
        withChildren: true,
        load: (forSeconds) => wrk(url, forSeconds, platform.headers),
      })
      const url = `${platform.url}${path}`
      const pairs = await measure(subject('aloft', platform.pid, url), [subject(PEER, peer.pid, peer.url)])
      const what = 'GET one deployment'
      const waits = await atHalfRate({
        ...{ id: 'P6', what },
        greatest: (seconds) => wrkRate(url, seconds, platform.headers),
        paced: (rate, seconds) =>
          paced({ pace: { rate, seconds }, aim: { url, headers: platform.headers, http2: false } }),
      })
      return [...comparisons('P6', what, pairs, { [PEER]: 0.45 }), waits]
    } finally {
      await peer.stop()
    }
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())

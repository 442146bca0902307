/**
 * What reading costs through everything that stands before a row: a deployment by its id, with token, limits, store and
 * metrics, against Fastify with a fixed answer of the same size. Requests per CPU second of all processes of each.
 *
 *   node bench/api-read.ts
 */
import { join } from 'node:path'
import { startChildServer } from './child-server.ts'
import { medianRatio } from './median.ts'
import { startPlatform } from './platform.ts'
import { cpuSeconds } from './process-cpu.ts'
import { atLeast, printRows, type Row } from './row.ts'
import { rounds, seconds, warmUps } from './trial.ts'
import { wrk } from './wrk.ts'

const ROUNDS = rounds(7)
const SECONDS = seconds(2)
/** Compiling what turns out to be hot takes some seconds of a busy core, and is no part of what is measured. */
const WARM_UP_SECONDS = warmUps(8)

interface Subject {
  readonly url: string
  readonly pid: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

const requestsPerCpuSecond = async ({ url, pid, headers }: Subject): Promise<number> => {
  const before = await cpuSeconds(pid)
  const served = await wrk(url, SECONDS, headers)
  return served / ((await cpuSeconds(pid)) - before)
}

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
    const peer = await startChildServer(join(import.meta.dirname, 'fastify-server.ts'), [answer])
    try {
      const ours = { ...platform, url: `${platform.url}${path}` }
      const theirs = { ...peer, headers: platform.headers }
      const rates = { ours: [] as number[], theirs: [] as number[] }
      for (const { url, headers } of [ours, theirs]) await wrk(url, WARM_UP_SECONDS, headers)
      for (let round = 0; round < ROUNDS; round++) {
        rates.ours.push(await requestsPerCpuSecond(ours))
        rates.theirs.push(await requestsPerCpuSecond(theirs))
      }
      const what = 'GET one deployment, against a fixed answer of Fastify'
      return [atLeast('P6', what, medianRatio(rates.ours, rates.theirs), 0.45)]
    } finally {
      await peer.stop()
    }
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())

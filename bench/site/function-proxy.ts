/**
 * A small answer of a function through the whole product, against nginx and caddy as proxies of the very instance that answers
 * for it, and against a bare forwarder in Node: requests per second of the CPU time of what stands before the function. What
 * answers is not measured. How fast it is decides how often the others sleep and how much they do at a time, so it is the same for all.
 *
 *   node bench/site/function-proxy.ts
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultRunFolder } from '#adapters/runner-process/launch/places.ts'
import { atHalfRate } from '../load/half-rate.ts'
import { wrk, wrkRate, wrkWaits } from '../load/wrk.ts'
import { comparisons, measure, type Subject } from '../measure/compare.ts'
import { toAnyCore } from '../measure/cores.ts'
import { processTree } from '../measure/process-cpu.ts'
import { amount, seconds } from '../measure/trial.ts'
import { paced } from '../pace/pace.ts'
import { type ChildServer, startChildServer } from '../peer/child-server.ts'
import { makeCertificate, type Peer, startCaddy, startNginx } from '../peer/peers.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const LIMIT_SERVER = join(import.meta.dirname, '../peer/limit-server.ts')

const TARGETS = {
  'a bare forwarder': 0.8,
  nginx: undefined,
  'nginx with its access log': undefined,
  caddy: undefined,
  'caddy with its access log': 1.6,
}

const MANY = amount(200, 8)

const PATH = '/api/hello'
const ANSWER = 'x'.repeat(1000)

/** What answers at a unix socket; undefined if nobody does. */
const answerAt = (socketPath: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const asked = request({ socketPath, path: PATH, agent: false }, (answer) => {
      answer
        .setEncoding('utf8')
        .toArray()
        .then((pieces) => resolve(pieces.join('')))
    })
    asked.on('error', () => resolve(undefined)).end()
  })

/** The socket of the instance that answers for this installation. */
async function instanceOf({ dataDir }: Platform): Promise<string> {
  const folder = defaultRunFolder(dataDir)
  for (const name of await readdir(folder)) {
    const socket = join(folder, name, 'h')
    if ((await answerAt(socket)) === ANSWER) return socket
  }
  throw new Error('no instance of the function was found')
}

/** As fast as it goes, so that all of them wait in line. */
async function underManyConnections(
  what: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Row> {
  const { p50, p99 } = await wrkWaits(url, seconds(5), { headers, connections: MANY })
  return {
    id: 'P4',
    what: `${what}, p99 of ${MANY} connections that ask without a pause (median ${p50.toFixed(1)} ms)`,
    measured: `${p99.toFixed(1)} ms`,
    target: '',
    met: undefined,
    chart: { value: p99, target: undefined, better: 'less' },
  }
}

export async function run(): Promise<Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-proxy-'))
  const { key, cert } = await makeCertificate(scratch)
  const platform = await startPlatform()
  const peers: Peer[] = []
  let forwarder: ChildServer | undefined
  try {
    for (const pid of await platform.children('work')) toAnyCore(pid)
    const host = await deployReady(platform, 'function', {
      'api/hello.js': `module.exports = (req, res) => res.end('${ANSWER}')\n`,
    })
    await platform.call(PATH, { headers: { host } })
    const upstream = await instanceOf(platform)
    // What answers runs wherever there is room, and before other work; so do the instances that others may become.
    for (const pid of (await platform.children('work')).flatMap(processTree)) toAnyCore(pid)
    for (const accessLog of [false, true])
      for (const start of [startNginx, startCaddy])
        peers.push(await start({ scratch, serves: { upstream }, cert, key, accessLog }))
    forwarder = await startChildServer(LIMIT_SERVER, ['forward', upstream])
    const bare = forwarder
    const aloft: Subject = {
      name: 'aloft',
      // Each without the instances that it has started.
      pids: async () => [
        platform.pid as number,
        ...(await platform.children('serve')),
        ...(await platform.children('work')),
      ],
      withChildren: false,
      load: (seconds) => wrk(`${platform.url}${PATH}`, seconds, { Host: host }),
    }
    const others: Subject[] = [
      {
        name: 'a bare forwarder',
        pids: () => [bare.pid as number],
        withChildren: false,
        load: (seconds) => wrk(`${bare.url}${PATH}`, seconds),
      },
      ...peers.map(
        ({ name, pid, port }): Subject => ({
          ...{ name, pids: () => [pid], withChildren: false },
          load: (seconds) => wrk(`http://127.0.0.1:${port}${PATH}`, seconds),
        }),
      ),
    ]
    const what = 'function behind the edge'
    const rows = comparisons('P4', what, await measure(aloft, others), TARGETS)
    const ours = `${platform.url}${PATH}`
    const waits = await atHalfRate({
      ...{ id: 'P4', what },
      greatest: (seconds) => wrkRate(ours, seconds, { Host: host }),
      paced: (rate, seconds) =>
        paced({ pace: { rate, seconds }, aim: { url: ours, headers: { Host: host }, http2: false } }),
    })
    return [...rows, waits, await underManyConnections(what, ours, { Host: host })]
  } finally {
    for (const peer of peers) await peer.stop()
    await forwarder?.stop()
    await platform.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())

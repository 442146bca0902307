/**
 * Static files, served by the whole product as `npm start` runs it: requests per second of the CPU time of all its
 * processes, against nginx and caddy with the same files, with and without their access logs, and against the least
 * that Node could do. Servers have one core, the load the other; rounds run in turn. Then how long visitors wait while half as
 * many come as could be answered.
 *
 *   node bench/site/static.ts
 */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { h2load, h2loadRate } from '../load/h2load.ts'
import { atHalfRate } from '../load/half-rate.ts'
import { wrk, wrkRate } from '../load/wrk.ts'
import { comparisons, measure, type Subject } from '../measure/compare.ts'
import { paced } from '../pace/pace.ts'
import { type ChildServer, startChildServer } from '../peer/child-server.ts'
import { makeCertificate, type Peer, startCaddy, startNginx } from '../peer/peers.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

interface Case {
  readonly id: string
  readonly what: string
  readonly file: 'f0' | 'f1'
  readonly secure: boolean
  readonly ask: typeof wrk
  /** The kind of `limit-server.ts` that does the least. */
  readonly limit: string
  readonly targets: Readonly<Record<string, number | undefined>>
}

const NO_TARGET = { nginx: undefined, 'nginx with its access log': undefined, caddy: undefined }

const CASES: readonly Case[] = [
  {
    ...{ id: 'P1', what: 'static 1 KB', file: 'f0', secure: false, ask: wrk, limit: 'net' },
    targets: { 'a bare net server': 0.8, ...NO_TARGET, 'caddy with its access log': 3.5 },
  },
  {
    ...{ id: 'P2', what: 'static 100 KB', file: 'f1', secure: false, ask: wrk, limit: 'net' },
    targets: { 'a bare net server': 0.8, ...NO_TARGET, 'caddy with its access log': undefined },
  },
  {
    ...{ id: 'P2', what: 'static 100 KB over TLS', file: 'f1', secure: true, ask: wrk, limit: 'tls' },
    targets: {
      'a bare tls server': undefined,
      ...NO_TARGET,
      'nginx with its access log': 1.3,
      'caddy with its access log': undefined,
    },
  },
  {
    ...{ id: 'P3', what: 'static 1 KB, HTTP/2', file: 'f0', secure: true, ask: h2load, limit: 'http2' },
    targets: { 'a bare http2 server': 0.8, ...NO_TARGET, 'caddy with its access log': 3 },
  },
]

async function measureCase(
  { id, what, file, secure, ask, limit, targets }: Case,
  { platform, host, peers, limits }: Servers,
): Promise<Row[]> {
  const scheme = secure ? 'https' : 'http'
  const bare = limits.get(`${limit} ${file}`) as ChildServer
  const port = secure ? platform.tlsPort : Number(new URL(platform.url).port)
  const ours = `${scheme}://127.0.0.1:${port}/${file}`
  const aloft: Subject = {
    name: 'aloft',
    pids: () => [platform.pid as number],
    withChildren: true,
    load: (seconds) => ask(ours, seconds, { Host: host }),
  }
  const others: Subject[] = [
    {
      name: `a bare ${limit} server`,
      pids: () => [bare.pid as number],
      withChildren: true,
      load: (seconds) => ask(`${scheme}://127.0.0.1:${new URL(bare.url).port}/${file}`, seconds),
    },
    ...peers.map(
      (peer): Subject => ({
        name: peer.name,
        pids: () => [peer.pid],
        withChildren: true,
        load: (seconds) => ask(`${scheme}://127.0.0.1:${secure ? peer.tlsPort : peer.port}/${file}`, seconds),
      }),
    ),
  ]
  const rows = comparisons(id, what, await measure(aloft, others), targets)
  const http2 = ask === h2load
  const waits = await atHalfRate({
    ...{ id, what },
    greatest: (seconds) => (http2 ? h2loadRate : wrkRate)(ours, seconds, { Host: host }),
    paced: (rate, seconds) =>
      paced({ pace: { rate, seconds }, aim: { url: ours, headers: { Host: host }, http2 } }),
  })
  return [...rows, waits]
}

interface Servers {
  readonly platform: Platform
  readonly host: string
  readonly peers: readonly Peer[]
  readonly limits: ReadonlyMap<string, ChildServer>
}

export async function run(): Promise<Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-static-'))
  const folder = join(scratch, 'www')
  await mkdir(folder)
  // Text of chance, as nothing makes it smaller.
  const files = { f0: randomBytes(512).toString('hex'), f1: randomBytes(51_200).toString('hex') }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const { key, cert } = await makeCertificate(scratch)
  const platform = await startPlatform()
  const peers: Peer[] = []
  const limits = new Map<string, ChildServer>()
  try {
    const host = await deployReady(platform, 'static', files)
    for (const accessLog of [false, true])
      for (const start of [startNginx, startCaddy])
        peers.push(await start({ scratch, serves: { folder }, cert, key, accessLog }))
    for (const { limit, file } of CASES) {
      const program = join(import.meta.dirname, '../peer/limit-server.ts')
      limits.set(`${limit} ${file}`, await startChildServer(program, [limit, join(folder, file), key, cert]))
    }
    const rows: Row[] = []
    for (const test of CASES) rows.push(...(await measureCase(test, { platform, host, peers, limits })))
    return rows
  } finally {
    for (const server of [...peers, ...limits.values()]) await server.stop()
    await platform.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())

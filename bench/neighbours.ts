/**
 * How long visitors of a quiet site and of a quiet function wait at worst (the 99th percentile) while another account does
 * the worst of each kind, with the limits that every installation has. Against the same without it, and against the same
 * while it is done to another installation on the same machine, in rounds that take turns: what the load takes of the
 * machine is in both of the latter, so that they differ by what neighbours feel of each other. Builds have a benchmark of
 * their own.
 *
 *   node bench/neighbours.ts [words in the name of what is done]
 */
import { Agent } from 'node:http'
import { connect } from 'node:tls'
import { deployReady } from './deploy-ready.ts'
import { median } from './median.ts'
import { p99Of } from './p99.ts'
import { type Platform, startPlatform } from './platform.ts'
import { atMost, printRows, type Row } from './row.ts'
import { oneConnection, send } from './send.ts'
import { amount, rounds } from './trial.ts'

const ROUNDS = rounds(3)
const SECONDS = amount(5, 0.2)
/** Requests of the quiet visitor a second: few, so that it is waiting that is measured. */
const PACE_MS = 10
const FILES = amount(100_000, 500)

/** An installation with an account that is loud. */
interface Scene {
  readonly platform: Platform
  readonly noisyHost: string
  readonly hungryHost: string
  /** A deployment of many files, made when it is needed first. */
  large(): Promise<string>
}

/** Goes on until it is told to stop, and comes to an end soon after. */
type Storm = (scene: Scene, signal: AbortSignal) => Promise<void>

const whileNot = async (signal: AbortSignal, work: () => Promise<unknown>): Promise<void> => {
  while (!signal.aborted) await work().catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
}
const together = async (count: number, work: () => Promise<unknown>): Promise<void> =>
  void (await Promise.all(Array.from({ length: count }, work)))

let creates = 0
const manyFiles = (): string =>
  JSON.stringify({
    name: 'worst',
    version: 2,
    files: Array.from({ length: FILES }, (_, n) => ({
      file: `p/${n % 1000}/f${n}.txt`,
      data: `${creates} ${n}`,
    })),
  })

const create = async ({ call }: Platform): Promise<string> => {
  creates++
  const made = await call('/v8/platform/deployments', {
    method: 'POST',
    body: manyFiles(),
    agent: new Agent(),
  })
  return JSON.parse(made.body).id
}

/** One handshake for a name that no certificate was made for yet. */
const handshake = ({ tlsPort }: Platform, servername: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port: tlsPort, servername, rejectUnauthorized: false },
      () => {
        socket.destroy()
        resolve()
      },
    ).once('error', reject)
  })

const HUNGRY = `const kept = []
module.exports = (req, res) => {
  for (let n = 0; n < 20; n++) kept.push(Buffer.alloc(2 ** 20, n))
  res.end(String(kept.length))
}
`

const STORMS: Readonly<Record<string, Storm>> = {
  'two creates of 100,000 files at once': ({ platform }, signal) =>
    together(2, () => whileNot(signal, () => create(platform))),
  'eight readers of the tree of 100,000 files': async ({ platform, large }, signal) => {
    const path = `/v5/platform/deployments/${await large()}/files`
    await together(8, () => whileNot(signal, () => platform.call(path, { agent: new Agent() })))
  },
  'sixteen readers of lists': ({ platform }, signal) =>
    together(16, () =>
      whileNot(signal, () => platform.call('/v3/platform/deployments?limit=100', { agent: new Agent() })),
    ),
  'patterns that are hard to match': ({ platform }, signal) =>
    together(4, () =>
      whileNot(signal, () =>
        platform.call('/v8/platform/deployments', {
          method: 'POST',
          agent: new Agent(),
          body: JSON.stringify({
            name: 'worst',
            version: 2,
            files: [{ file: 'a'.repeat(1000), data: '' }],
            builds: [{ src: `${'*a'.repeat(400)}b`, use: '@aloft/static' }],
          }),
        }),
      ),
    ),
  'visits that fill the log': ({ platform, noisyHost }, signal) =>
    together(8, () => {
      const agent = oneConnection()
      return whileNot(signal, () =>
        send({ url: `${platform.url}/nowhere-${Math.random()}`, headers: { host: noisyHost }, agent }),
      ).finally(() => agent.destroy())
    }),
  'handshakes for names without a certificate': ({ platform, noisyHost }, signal) =>
    together(4, () =>
      whileNot(signal, () => handshake(platform, `n${Math.random().toString(36).slice(2)}.${noisyHost}`)),
    ),
  'functions that eat memory until they are ended': ({ platform, hungryHost }, signal) =>
    together(4, () => {
      const agent = oneConnection()
      return whileNot(signal, async () => {
        const { status } = await send({
          url: `${platform.url}/api/eat`,
          headers: { host: hungryHost },
          agent,
        })
        if (status !== 200) throw new Error('it was ended')
      }).finally(() => agent.destroy())
    }),
}

async function openScene(): Promise<Scene> {
  const platform = await startPlatform({ ALOFT_RATE_LIMIT: '' })
  const noisyHost = await deployReady(platform, 'noisy', { 'index.html': 'y' })
  const hungryHost = await deployReady(platform, 'hungry', { 'api/eat.js': HUNGRY })
  let made: Promise<string> | undefined
  const large = () => {
    made ??= create(platform)
    return made
  }
  return { platform, noisyHost, hungryHost, large }
}

async function during(scene: Scene, storm: Storm, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const raging = storm(scene, stop.signal)
  try {
    await work()
  } finally {
    stop.abort()
    await raging
  }
}

/** The slowest of a hundred, in milliseconds. */
type Probe = () => Promise<number>

async function rowOf(
  scenes: { here: Scene; elsewhere: Scene },
  probe: Probe,
  storm: Storm,
  what: string,
): Promise<Row> {
  // Not while it is measured.
  if (what.includes('tree of')) for (const { large } of [scenes.here, scenes.elsewhere]) await large()
  const waits = { alone: [] as number[], elsewhere: [] as number[], here: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    waits.alone.push(await probe())
    for (const where of ['elsewhere', 'here'] as const)
      await during(scenes[where], storm, async () => void waits[where].push(await probe()))
  }
  const [alone, elsewhere, here] = [median(waits.alone), median(waits.elsewhere), median(waits.here)]
  const ms = `${alone.toFixed(1)} ms alone, ${elsewhere.toFixed(1)} with it elsewhere, ${here.toFixed(1)} here`
  return atMost('P13', `p99 of ${what} (${ms})`, here / Math.max(alone, elsewhere), 1.5)
}

export async function run(words: readonly string[] = ['']): Promise<Row[]> {
  const here = await openScene()
  const elsewhere = await openScene()
  const { platform } = here
  try {
    const site = await deployReady(platform, 'quiet', { 'index.html': 'x'.repeat(1000) })
    const code = await deployReady(platform, 'quiet-code', {
      'api/hello.js': `module.exports = (req, res) => res.end('x'.repeat(1000))\n`,
    })
    const probeOf =
      (host: string, path: string): Probe =>
      () =>
        p99Of({ url: `${platform.url}${path}`, host, seconds: SECONDS, paceMs: PACE_MS })
    const probes = { 'a quiet site': probeOf(site, '/'), 'a quiet function': probeOf(code, '/api/hello') }
    const rows: Row[] = []
    for (const probe of Object.values(probes)) await probe()
    for (const [what, storm] of Object.entries(STORMS))
      for (const [who, probe] of Object.entries(probes)) {
        const name = `${who} during ${what}`
        if (!words.some((word) => name.includes(word))) continue
        const row = await rowOf({ here, elsewhere }, probe, storm, name)
        // It takes minutes: what is known is said at once.
        console.error(`${row.measured} ${row.what}`)
        rows.push(row)
      }
    return rows
  } finally {
    await platform.stop()
    await elsewhere.platform.stop()
  }
}

if (import.meta.main) printRows(await run(process.argv.length > 2 ? process.argv.slice(2) : undefined))

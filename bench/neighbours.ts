/**
 * How long visitors of a quiet static site wait at worst (the 99th percentile) while somebody else in turn does the worst
 * of each kind, against the same without it, in rounds that take turns. Builds have a benchmark of their own.
 *
 *   node bench/neighbours.ts
 */
import { Agent } from 'node:http'
import { deployReady } from './deploy-ready.ts'
import { median } from './median.ts'
import { p99Of } from './p99.ts'
import { type Platform, startPlatform } from './platform.ts'
import { atMost, printRows, type Row } from './row.ts'
import { oneConnection, send } from './send.ts'
import { amount, rounds, seconds } from './trial.ts'

const ROUNDS = rounds(3)
const SECONDS = seconds(5)
/** Requests of the quiet visitor a second: few, so that it is waiting that is measured. */
const PACE_MS = 10
const FILES = amount(100_000, 500)

/** Goes on until it is told to stop, and comes to an end soon after. */
type Storm = (platform: Platform, signal: AbortSignal) => Promise<void>

const whileNot = async (signal: AbortSignal, work: () => Promise<unknown>): Promise<void> => {
  while (!signal.aborted) await work().catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
}
const together = async (count: number, work: () => Promise<unknown>): Promise<void> =>
  void (await Promise.all(Array.from({ length: count }, work)))

const filesOf = (round: number): string =>
  JSON.stringify({
    name: 'worst',
    version: 2,
    files: Array.from({ length: FILES }, (_, n) => ({
      file: `p/${n % 1000}/f${n}.txt`,
      data: `${round} ${n}`,
    })),
  })

let creates = 0
let large: string | undefined

const STORMS: Readonly<Record<string, Storm>> = {
  'two creates of 100,000 files at once': (platform, signal) =>
    together(2, () =>
      whileNot(signal, async () => {
        const agent = new Agent()
        const body = filesOf(creates++)
        const made = await platform.call('/v8/platform/deployments', { method: 'POST', body, agent })
        large = JSON.parse(made.body).id
      }),
    ),
  'eight readers of the tree of 100,000 files': (platform, signal) =>
    together(8, () =>
      whileNot(signal, () =>
        platform.call(`/v5/platform/deployments/${large}/files`, { agent: new Agent() }),
      ),
    ),
  'sixteen readers of lists': (platform, signal) =>
    together(16, () =>
      whileNot(signal, () => platform.call('/v3/platform/deployments?limit=100', { agent: new Agent() })),
    ),
  'patterns that are hard to match': (platform, signal) =>
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
  'visits that fill the log': (platform, signal) =>
    together(8, () => {
      const agent = oneConnection()
      return whileNot(signal, () =>
        send({ url: `${platform.url}/nowhere-${Math.random()}`, headers: { host: noisyHost }, agent }),
      ).finally(() => agent.destroy())
    }),
}

let noisyHost = ''

/** The slowest of a hundred, in milliseconds. */
const p99 = ({ url }: Platform, host: string): Promise<number> =>
  p99Of({ url: `${url}/`, host, seconds: SECONDS, paceMs: PACE_MS })

async function during(platform: Platform, storm: Storm, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const raging = storm(platform, stop.signal)
  try {
    await work()
  } finally {
    stop.abort()
    await raging
  }
}

async function rowsOf(platform: Platform, host: string, storm: Storm, what: string): Promise<Row[]> {
  const waits = { alone: [] as number[], with: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    waits.alone.push(await p99(platform, host))
    await during(platform, storm, async () => void waits.with.push(await p99(platform, host)))
  }
  const [alone, loud] = [median(waits.alone), median(waits.with)]
  const ms = `${alone.toFixed(1)} ms alone, ${loud.toFixed(1)} ms with`
  return [atMost('P13', `p99 of a quiet site during ${what} (${ms})`, loud / alone, 1.5)]
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform()
  try {
    const host = await deployReady(platform, 'quiet', { 'index.html': 'x'.repeat(1000) })
    noisyHost = await deployReady(platform, 'noisy', { 'index.html': 'y' })
    await p99(platform, host)
    const rows: Row[] = []
    for (const [what, storm] of Object.entries(STORMS))
      rows.push(...(await rowsOf(platform, host, storm, what)))
    return rows
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())

/**
 * How long visitors of a quiet site and of a quiet function wait at worst (the 99th percentile of all rounds) while another
 * account does the worst of each kind, with the limits that every installation has, against the same without it, in rounds that take
 * turns. A new account does it in every round, with all of its allowance.
 *
 *   node bench/neighbours.ts [words of bench/neighbours/storms.ts]
 */

import { deployReady } from './deploy-ready.ts'
import { percentile } from './median.ts'
import { prepareStorm } from './neighbours/storm-process.ts'
import { STORMS, type Storm } from './neighbours/storms.ts'
import { comeVisiting, type Visitors } from './neighbours/visitors.ts'
import { type Platform, startPlatform } from './platform.ts'
import { rest } from './rest.ts'
import { atMost, printRows, type Row } from './row.ts'
import { amount, rounds } from './trial.ts'

const ROUNDS = rounds(Number(process.env.BENCH_ROUNDS ?? 5))
const MS = amount(3000, 50)
/** Between two visits: few, so that it is waiting that is measured. */
const PACE_MS = 10

interface Waits {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const waitsOf = (waits: readonly number[]): Waits => ({
  p50: percentile(waits, 0.5),
  p99: percentile(waits, 0.99),
  most: percentile(waits, 1),
})

const inWords = ({ p50, p99, most }: Waits): string => [p50, p99, most].map((ms) => ms.toFixed(1)).join(' / ')

async function newAccount({ call }: Platform): Promise<string> {
  const slug = `loud-${Math.random().toString(36).slice(2)}`
  const { id } = JSON.parse(
    (await call('/v1/teams', { method: 'POST', body: JSON.stringify({ slug }) })).body,
  )
  await call(`/v1/operator/accounts/${slug}`, {
    method: 'PATCH',
    body: JSON.stringify({ plan: 'enterprise' }),
  })
  return id
}

interface Quiet {
  readonly who: string
  readonly host: string
  readonly path: string
}

async function rowsOf(
  platform: Platform,
  visitors: Visitors,
  quiet: readonly Quiet[],
  [name, { what, target = 1.5 }]: readonly [string, Storm],
): Promise<Row[]> {
  const { url, tlsPort, headers } = platform
  const aims = quiet.map(({ host, path }) => ({ url: `${url}${path}`, host }))
  const visit = () => visitors.visit({ aims, ms: MS, paceMs: PACE_MS })
  const alone = quiet.map((): number[] => [])
  const during = quiet.map((): number[] => [])
  const note = (all: number[][], waits: number[][]) => {
    for (const [n, each] of waits.entries()) all[n]?.push(...each)
  }
  let [done, refused, why] = [0, 0, '']
  for (let round = 0; round < ROUNDS; round++) {
    const storm = await prepareStorm({ name, url, tlsPort, headers, teamId: await newAccount(platform) })
    await rest(platform)
    note(alone, await visit())
    storm.begin()
    try {
      note(during, await visit())
    } finally {
      const tally = await storm.stop()
      done += tally.done
      refused += tally.refused
      why = tally.why ?? why
    }
  }
  if (refused > done)
    console.error(`${refused} of ${done + refused} requests of ${what} were refused: ${why}`)
  // Builds are not requests that are counted.
  const did = done + refused === 0 ? '' : `; ${done} requests answered, ${refused} refused`
  return quiet.map(({ who }, n) => {
    const [before, meanwhile] = [waitsOf(alone[n] ?? []), waitsOf(during[n] ?? [])]
    const ms = `p50 / p99 / most in ms: ${inWords(before)} alone, ${inWords(meanwhile)} meanwhile`
    return atMost('P13', `${who} during ${what} (${ms}${did})`, meanwhile.p99 / before.p99, target)
  })
}

export async function run(words: readonly string[] = []): Promise<Row[]> {
  const chosen = Object.entries(STORMS).filter(([name]) => words.length === 0 || words.includes(name))
  if (chosen.length === 0) throw new Error(`there is ${Object.keys(STORMS).join(', ')}`)
  const platform = await startPlatform({ ALOFT_RATE_LIMIT: '', ALOFT_WORKERS: '' }, { pinned: false })
  const visitors = comeVisiting()
  try {
    const quiet: Quiet[] = [
      {
        who: 'a quiet site',
        host: await deployReady(platform, 'quiet', { 'index.html': 'x'.repeat(1000) }),
        path: '/',
      },
      {
        who: 'a quiet function',
        host: await deployReady(platform, 'quiet-code', {
          'api/hello.js': `module.exports = (req, res) => res.end('x'.repeat(1000))\n`,
        }),
        path: '/api/hello',
      },
    ]
    const aims = quiet.map(({ host, path }) => ({ url: `${platform.url}${path}`, host }))
    await visitors.visit({ aims, ms: MS, paceMs: PACE_MS })
    const rows: Row[] = []
    for (const storm of chosen) {
      const found = await rowsOf(platform, visitors, quiet, storm)
      // All of them take minutes: what is known is said at once.
      for (const { measured, what } of found) console.error(`${measured} ${what}`)
      rows.push(...found)
    }
    return rows
  } finally {
    visitors.leave()
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run(process.argv.slice(2)))

/**
 * How long visitors of a quiet site and of a quiet function wait at worst (the 99th percentile of all rounds) while another
 * account does the worst of each kind, with the limits that every installation has, against the same without it, in rounds that take
 * turns. A new account does it in every round, with all of its allowance. What the machine itself makes visitors of bare servers wait
 * stands beside it.
 *
 *   node bench/neighbours/neighbours.ts [words of bench/neighbours/storms.ts]
 */

import { rest } from '../measure/rest.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { atMost, printRows, type Row } from '../report/row.ts'
import { MACHINE, machineRows } from './machine.ts'
import { compareRounds, visitOnce } from './rounds.ts'
import { prepareStorm } from './storm-process.ts'
import { STORMS, type Storm } from './storms.ts'
import { type Aim, comeVisiting, type Visitors } from './visitors.ts'

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

const aimsOf = ({ url }: Platform, quiet: readonly Quiet[]): Aim[] =>
  quiet.map(({ host, path }) => ({ url: `${url}${path}`, host }))

async function rowsOf(
  platform: Platform,
  visitors: Visitors,
  quiet: readonly Quiet[],
  [name, { what, target = 1.5 }]: readonly [string, Storm],
): Promise<Row[]> {
  const { url, tlsPort, headers } = platform
  let [done, refused, why] = [0, 0, '']
  const compared = await compareRounds(visitors, aimsOf(platform, quiet), async () => {
    const storm = await prepareStorm({ name, url, tlsPort, headers, teamId: await newAccount(platform) })
    await rest(platform)
    return {
      begin: storm.begin,
      async stop() {
        const tally = await storm.stop()
        done += tally.done
        refused += tally.refused
        why = tally.why ?? why
      },
    }
  })
  if (refused > done)
    console.error(`${refused} of ${done + refused} requests of ${what} were refused: ${why}`)
  // Builds are not requests that are counted.
  const did = done + refused === 0 ? '' : `; ${done} requests answered, ${refused} refused`
  return compared.map(({ ratio, inWords }, n) =>
    atMost('P13', `${quiet[n]?.who} during ${what} (${inWords}${did})`, ratio, target),
  )
}

export async function run(words: readonly string[] = []): Promise<Row[]> {
  const isChosen = (name: string) => words.length === 0 || words.includes(name)
  const chosen = Object.entries(STORMS).filter(([name]) => isChosen(name))
  if (chosen.length === 0 && !isChosen(MACHINE))
    throw new Error(`there is ${[MACHINE, ...Object.keys(STORMS)].join(', ')}`)
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
    await visitOnce(visitors, aimsOf(platform, quiet))
    const rows: Row[] = []
    // All of them take minutes: what is known is said at once.
    const add = (found: readonly Row[]) => {
      for (const { measured, what } of found) console.error(`${measured} ${what}`)
      rows.push(...found)
    }
    if (isChosen(MACHINE)) add(await machineRows(visitors))
    for (const storm of chosen) add(await rowsOf(platform, visitors, quiet, storm))
    return rows
  } finally {
    visitors.leave()
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run(process.argv.slice(2)))

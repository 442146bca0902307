/**
 * `npm run test:attacks`: everything that was ever tried against the platform, against an installation that is started
 * as people start it. Prints what was tried of each kind and what held; exits with 1 when something got through.
 *
 *   npm run test:attacks                     everything
 *   npm run test:attacks -- browser docker   the kinds with these words in their names or files
 *   npm run test:attacks -- --write          writes the table of SECURITY.md: the rows of the kinds that were tried
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { run } from 'node:test'
import { ensureTools, TOOLS } from '../../scripts/debian.js'
import { inTurn } from '../../scripts/test/pool.ts'
import type { TestEvent } from '../../scripts/test/report.ts'
import { installAttacked } from '../support/attacked.ts'
import { withAttacks } from './attack-table.ts'
import { KINDS, type Kind } from './kinds.ts'

interface Result {
  readonly kind: Kind
  tried: number
  through: number
  /** In words, for what could not be tried on this machine. */
  readonly leftOut: Set<string>
  readonly complaints: string[]
}

/** Of one test. What takes this long has stopped, however busy the machine is. */
const LONGEST_MS = 20 * 60_000

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isSelected = ({ name, files }: Kind): boolean =>
  words.length === 0 ||
  words.some((word) => [name, ...files].some((text) => text.toLowerCase().includes(word.toLowerCase())))

const missing = ensureTools(Object.keys(TOOLS))
process.env.ALOFT_TEST_MISSING = missing.join(',')
process.env.ALOFT_ATTACKS = 'all'
const postgres = missing.includes('postgresql')
  ? undefined
  : await (await import('../support/database/postgres.ts')).startPostgres()
if (postgres) process.env.ALOFT_TEST_POSTGRES = postgres.folder
const { aloft, close } = await installAttacked({ byNpm: true, env: { ALOFT_CHROMIUM: '' } })
process.env.ALOFT_ATTACKED = JSON.stringify(aloft)

/** Tests say how much they tried beyond one thing: `tried 12`. */
const triedIn = (message: unknown): number => Number(/^tried (\d+)$/.exec(String(message))?.[1] ?? 0)

async function attack(result: Result, file: string): Promise<void> {
  const stream = run({ files: [resolve(file)], timeout: LONGEST_MS })
  const counts = { tests: 0, more: 0 }
  for await (const event of stream as AsyncIterable<TestEvent>) {
    const { data } = event as { data: TestEvent['data'] & { message?: string; skip?: string | boolean } }
    if (event.type === 'test:diagnostic' && triedIn(data.message) > 0)
      counts.more += triedIn(data.message) - 1
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    // A whole suite may be: its tests are then not told of.
    if (data.skip !== undefined && data.skip !== false) {
      result.leftOut.add(`${data.name}: ${data.skip === true ? 'not possible here' : data.skip}`)
      continue
    }
    if (data.details?.type === 'suite') continue
    // The file itself is reported as a test where nothing in it was.
    counts.tests++
    if (event.type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') {
      result.through++
      const { error } = data.details as { error?: Error & { cause?: Error } }
      result.complaints.push(
        `${file}: ${data.name}\n  ${error?.cause?.message ?? error?.message ?? 'failed'}`,
      )
    }
  }
  result.tried += counts.tests + counts.more
}

const results: Result[] = KINDS.filter(isSelected).map((kind) => ({
  kind,
  tried: 0,
  through: 0,
  leftOut: new Set(),
  complaints: [],
}))
const began = performance.now()
const jobs = results.flatMap((result) => result.kind.files.map((file) => ({ result, file, share: 1 })))
await inTurn(jobs, availableParallelism(), ({ result, file }) => attack(result, file))
await close()
await postgres?.stop()

const total = (of: (result: Result) => number) => results.reduce((sum, result) => sum + of(result), 0)
const rows = [
  ...results.map((result) => [result.kind.name, result.tried, result.tried - result.through] as const),
  ['Together', total(({ tried }) => tried), total(({ tried, through }) => tried - through)] as const,
]
const say = (line = '') => process.stdout.write(`${line}\n`)
say()
const width = Math.max(...rows.map(([name]) => name.length))
say(`${''.padEnd(width)}  ${'tried'.padStart(7)}  ${'held'.padStart(7)}`)
for (const [name, tried, held] of rows)
  say(`${name.padEnd(width)}  ${String(tried).padStart(7)}  ${String(held).padStart(7)}`)
if (process.argv.includes('--write')) {
  const fresh = results.map(({ kind, tried, through }) => ({ name: kind.name, tried, held: tried - through }))
  writeFileSync('SECURITY.md', withAttacks(readFileSync('SECURITY.md', 'utf8'), fresh))
}
say(`\n${Math.round((performance.now() - began) / 1000)} seconds`)
for (const { leftOut } of results) for (const words of leftOut) say(`left out: ${words}`)
for (const { complaints } of results) for (const words of complaints) say(`\nGOT THROUGH ${words}`)
process.exitCode = total(({ through }) => through) > 0 || total(({ tried }) => tried) === 0 ? 1 : 0

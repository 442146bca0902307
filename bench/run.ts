/**
 * Every benchmark, one after the other, side by side with its peer in the same run, and one table at the end.
 *
 *   npm run bench                          all of them
 *   npm run bench -- P8 P11                some of them
 *   npm run bench -- P13 --only lists      one row of those that have names: `--only ?` tells them; may be repeated
 *   npm run bench -- --json results.json   the rows as JSON as well; `-` is the standard output, without a table
 *   npm run bench -- --write               the table and the picture in docs/performance.md as well
 *   npm run bench -- --from a.json --from b.json --from c.json
 *                                          nothing is measured: of each row, the middle one of these runs
 *
 * `BENCH_ROUNDS` says how many rounds there are where servers take turns. Parts of the product by themselves are
 * measured by the programs in bench/micro.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ensureTools } from '../scripts/debian.js'
import { BENCHMARKS, type Benchmark } from './benchmarks.ts'
import { middleOfRuns, type Report, reportOf, writeReport } from './report/report.ts'
import { printRows, type Row } from './report/row.ts'

const leaveOut = ({ ids }: Benchmark, why: string): void =>
  console.error(`left out: ${ids.join(', ')} (${why})`)

/** One that cannot run is said to be left out, and does not keep the others from running. */
async function rowsOf(benchmark: Benchmark): Promise<readonly Row[]> {
  const missing = ensureTools(benchmark.tools)
  if (missing.length > 0) {
    leaveOut(benchmark, `${missing.join(', ')} could not be installed`)
    return []
  }
  console.error(`${benchmark.ids.join(', ')} …`)
  try {
    return await (await benchmark.load()).run(values.only)
  } catch (error) {
    leaveOut(benchmark, error instanceof Error ? error.message : String(error))
    process.exitCode = 1
    return []
  }
}

async function measure(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const benchmark of chosen) rows.push(...(await rowsOf(benchmark)))
  return rows
}

const readReport = (file: string): Report => JSON.parse(readFileSync(file, 'utf8')) as Report

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    from: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    write: { type: 'boolean', default: false },
  },
})
const wanted = positionals.map((id) => id.toUpperCase())
const chosen = BENCHMARKS.filter(({ ids }) => wanted.length === 0 || ids.some((id) => wanted.includes(id)))
const report =
  values.from === undefined ? reportOf(await measure()) : middleOfRuns(values.from.map(readReport))
if (values.json === '-') console.log(JSON.stringify(report, null, 2))
else printRows(report.rows)
if (values.json !== undefined && values.json !== '-')
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
if (values.write) writeReport(report)
if (chosen.length === 0) {
  console.error(`there is ${BENCHMARKS.flatMap(({ ids }) => ids).join(', ')}`)
  process.exitCode = 1
}

/**
 * Every benchmark, one after the other, side by side with its peer in the same run, and one table at the end.
 *
 *   npm run bench            all of them
 *   npm run bench -- P8 P11  some of them
 */
import { ensureTools } from '../scripts/debian.js'
import { BENCHMARKS, type Benchmark } from './benchmarks.ts'
import { printRows, type Row } from './row.ts'

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
    return await (await benchmark.load()).run()
  } catch (error) {
    leaveOut(benchmark, error instanceof Error ? error.message : String(error))
    process.exitCode = 1
    return []
  }
}

const wanted = process.argv.slice(2).map((id) => id.toUpperCase())
const chosen = BENCHMARKS.filter(({ ids }) => wanted.length === 0 || ids.some((id) => wanted.includes(id)))
const rows: Row[] = []
for (const benchmark of chosen) rows.push(...(await rowsOf(benchmark)))
printRows(rows)
if (chosen.length === 0) {
  console.error(`there is ${BENCHMARKS.flatMap(({ ids }) => ids).join(', ')}`)
  process.exitCode = 1
}

/**
 * Every benchmark, one after the other, side by side with its peer in the same run, and one table at the end.
 *
 *   npm run bench            all of them
 *   npm run bench -- P8 P11  some of them
 */
import { ensureTools } from '../scripts/debian.js'
import { printRows, type Row } from './row.ts'

interface Benchmark {
  readonly ids: readonly string[]
  readonly tools: readonly string[]
  readonly load: () => Promise<{ run(): Promise<Row[]> }>
}

const BENCHMARKS: readonly Benchmark[] = [
  {
    ids: ['P1', 'P2', 'P3'],
    tools: ['nginx', 'caddy', 'wrk', 'h2load'],
    load: () => import('./static-rows.ts'),
  },
  {
    ids: ['P4'],
    tools: ['nginx', 'caddy', 'wrk', 'bubblewrap'],
    load: () => import('./function-proxy.ts'),
  },
  { ids: ['P5'], tools: ['bubblewrap'], load: () => import('./cold-start.ts') },
  { ids: ['P6'], tools: ['wrk'], load: () => import('./api-read.ts') },
  { ids: ['P7'], tools: [], load: () => import('./upload.ts') },
  { ids: ['P8'], tools: [], load: () => import('./create-many.ts') },
  { ids: ['P9'], tools: ['bind', 'dnsperf'], load: () => import('./dns.ts') },
  { ids: ['P11'], tools: [], load: () => import('./create-live.ts') },
  { ids: ['P12'], tools: [], load: () => import('./idle-memory.ts') },
  { ids: ['P13'], tools: ['wrk', 'bubblewrap'], load: () => import('./noisy-build.ts') },
  { ids: ['P14'], tools: [], load: () => import('./many-rows.ts') },
  { ids: ['P15'], tools: [], load: () => import('./cli-start.ts') },
]

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

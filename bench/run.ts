/**
 * Every benchmark, one after the other, side by side with its peer in the same run, and one table at the end.
 *
 *   npm run bench            all of them
 *   npm run bench -- P8 P11  some of them
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureTools } from '../scripts/debian.js'
import { printRows, type Row } from './row.ts'

interface Benchmark {
  readonly ids: readonly string[]
  readonly tools: readonly string[]
  readonly load: () => Promise<{ run(): Promise<Row[]> }>
}

const BENCHMARKS: readonly Benchmark[] = [
  { ids: ['P6'], tools: ['wrk'], load: () => import('./api-read.ts') },
  { ids: ['P7'], tools: [], load: () => import('./upload.ts') },
  { ids: ['P8'], tools: [], load: () => import('./create-many.ts') },
  { ids: ['P11'], tools: [], load: () => import('./create-live.ts') },
  { ids: ['P14'], tools: [], load: () => import('./many-rows.ts') },
]

/** These print a table of their own, with the rates of each peer. */
const WITH_PEERS = { ids: ['P1', 'P2', 'P3'], tools: ['nginx', 'caddy', 'wrk'], file: 'static.ts' }

const wanted = process.argv.slice(2).map((id) => id.toUpperCase())
const isWanted = ({ ids }: { readonly ids: readonly string[] }) =>
  wanted.length === 0 || ids.some((id) => wanted.includes(id))

/** Says what is left out where its tools cannot be had. */
function hasTools({
  ids,
  tools,
}: {
  readonly ids: readonly string[]
  readonly tools: readonly string[]
}): boolean {
  const missing: readonly string[] = ensureTools(tools)
  if (missing.length > 0)
    console.error(`left out: ${ids.join(', ')} (${missing.join(', ')} could not be installed)`)
  return missing.length === 0
}

if (isWanted(WITH_PEERS) && hasTools(WITH_PEERS)) {
  console.error(`${WITH_PEERS.ids.join(', ')} …`)
  spawnSync(process.execPath, [join(import.meta.dirname, WITH_PEERS.file)], { stdio: 'inherit' })
}
const rows: Row[] = []
for (const benchmark of BENCHMARKS.filter(isWanted)) {
  if (!hasTools(benchmark)) continue
  console.error(`${benchmark.ids.join(', ')} …`)
  rows.push(...(await (await benchmark.load()).run()))
}
if (rows.length > 0) printRows(rows)

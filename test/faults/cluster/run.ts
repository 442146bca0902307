/**
 * Breaks an installation of three machines under steady load, one thing after the other, and tells what became of it. It
 * needs root and network namespaces, PostgreSQL, Redis and moto.
 *
 *   node test/faults/cluster/run.ts                  everything; stores are away for a minute each
 *   node test/faults/cluster/run.ts --absence 5      for 5 seconds
 *   node test/faults/cluster/run.ts --only Redis     what has this in its name
 *   npm run test:cluster -- --write                  all of it, and writes the table of docs/cluster.md
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ensureTools } from '../../../scripts/debian.js'
import { Cluster, type Outcome } from './cluster.ts'
import type { Store } from './stores.ts'

const { values } = parseArgs({
  options: {
    absence: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const absenceMs = Number(values.absence) * 1000

interface Scenario {
  readonly name: string
  readonly break: (cluster: Cluster) => Promise<void>
  /** What has to be done before the next. */
  readonly mend?: (cluster: Cluster) => Promise<void>
  /** Where writes may be refused for as long as a store is away. */
  readonly refusesWrites?: boolean
}

const killed = (n: number) => ({
  break: (cluster: Cluster) => cluster.kill(n),
  mend: (cluster: Cluster) => cluster.startAgain(n),
})
const away = (pick: (cluster: Cluster) => Store, ms: number) => async (cluster: Cluster) => {
  await pick(cluster).stop()
  if (ms > 0) await pause(ms)
  await pick(cluster).start()
}
const postgres = ({ stores }: Cluster) => stores.postgres
const redis = ({ stores }: Cluster) => stores.redis
const s3 = ({ stores }: Cluster) => stores.s3
const seconds = absenceMs / 1000

const SCENARIOS: readonly Scenario[] = [
  { name: 'a serving machine is killed (SIGKILL)', ...killed(0) },
  { name: 'a working machine is killed (SIGKILL)', ...killed(2) },
  { name: 'Redis is killed and starts again empty', break: away(redis, 2_000) },
  { name: 'PostgreSQL is restarted', break: away(postgres, 0), refusesWrites: true },
  { name: `PostgreSQL is away for ${seconds} s`, break: away(postgres, absenceMs), refusesWrites: true },
  { name: 'the object store drops all connections', break: away(s3, 0), refusesWrites: true },
  { name: `the object store is away for ${seconds} s`, break: away(s3, absenceMs), refusesWrites: true },
  { name: 'a serving machine is cut off for 20 s', break: (cluster) => cluster.cutOff(0, 20_000) },
  { name: 'a working machine is cut off for 20 s', break: (cluster) => cluster.cutOff(2, 20_000) },
  { name: 'rolling upgrade (SIGUSR2 on each machine in turn)', break: (cluster) => cluster.upgrade() },
]

const BEGIN = '<!-- written by npm run test:cluster -- --write -->'
const END = '<!-- end -->'
const HEAD = [
  '| What happens | Static pages ok / failed | Functions ok / failed | Writes ok / refused | Recovered after | Alias differs for at most | Lost | Done twice |',
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
]

const lineOf = (
  name: string,
  { pages, functions, writes, recoveredMs, disagreementMs, lost, twice }: Outcome,
) => {
  const of = ({ ok, failed }: Outcome['pages']) => `${ok} / ${failed}`
  const cells = [
    ...[name, of(pages), of(functions), of(writes), `${(recoveredMs / 1000).toFixed(1)} s`],
    ...[`${Math.round(disagreementMs)} ms`, lost.length, twice.length],
  ]
  return `| ${cells.join(' | ')} |`
}

function write(lines: readonly string[]): void {
  const path = resolve(import.meta.dirname, '../../../docs/cluster.md')
  const page = readFileSync(path, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('docs/cluster.md has no place for the table')
  writeFileSync(path, `${page.slice(0, begin)}${[BEGIN, ...HEAD, ...lines].join('\n')}\n${page.slice(end)}`)
}

const missing = ensureTools(['postgresql', 'redis', 'moto'])
if (process.getuid?.() !== 0 || missing.length > 0) {
  console.log(`left out: ${missing.length > 0 ? missing.join(', ') : 'network namespaces need root'}`)
  process.exit(0)
}
const cluster = await Cluster.open((what) => console.error(what))
// Namespaces and servers would stay.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.close().finally(() => process.exit(1)))
const lines: string[] = []
let isBad = false
try {
  cluster.start()
  for (const { name, break: breakIt, mend, refusesWrites } of SCENARIOS) {
    if (!name.includes(values.only)) continue
    const outcome = await cluster.during(() => breakIt(cluster))
    lines.push(lineOf(name, outcome))
    const problems = [
      ...(outcome.pages.failed > 0 ? [`${outcome.pages.failed} static pages failed`] : []),
      ...(refusesWrites || outcome.disagreementMs <= 1000
        ? []
        : ['machines disagreed for more than a second']),
      ...[...outcome.lost, ...outcome.twice],
    ]
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${lines.at(-1)}`)
    for (const line of [...problems, ...outcome.reasons]) console.log(`     ${line}`)
    if (problems.length > 0) isBad = true
    // At once, so that a run that is ended early leaves what it has found.
    if (values.write) write(lines)
    await mend?.(cluster)
  }
} finally {
  await cluster.close()
}
process.exitCode = isBad ? 1 : 0

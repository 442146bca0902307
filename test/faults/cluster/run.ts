/**
 * Breaks an installation of three machines under steady load, one thing after the other, and tells what became of it. It
 * needs root and network namespaces, PostgreSQL, Redis and moto.
 *
 *   node test/faults/cluster/run.ts                  everything; stores are away for a minute each
 *   node test/faults/cluster/run.ts --absence 5      for 5 seconds
 *   node test/faults/cluster/run.ts --only Redis     what has this in its name; may be given several times
 *   npm run test:cluster -- --write                  all of it, and writes its rows into the table of docs/cluster.md
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ensureTools } from '../../../scripts/debian.js'
import { SUBJECTS } from './agreement.ts'
import { Cluster, type Count, type Outcome } from './cluster.ts'
import type { Store } from './stores.ts'
import { writeTable } from './table.ts'

const { values } = parseArgs({
  options: {
    absence: { type: 'string', default: '60' },
    only: { type: 'string', multiple: true, default: [''] },
    write: { type: 'boolean', default: false },
  },
})
const absenceMs = Number(values.absence) * 1000

interface Scenario {
  readonly name: string
  readonly break: (cluster: Cluster) => Promise<void>
  /** What has to be done before the next. */
  readonly mend?: (cluster: Cluster) => Promise<void>
  /** Where the database is away for as long as it is broken. */
  readonly isWithoutDatabase?: boolean
  /** Where writes may be refused for as long as a store is away. */
  readonly refusesWrites?: boolean
  /** Where what was asked of a machine a moment before may never be answered. */
  readonly losesAnswers?: boolean
}

const killed = (n: number) => ({
  losesAnswers: true,
  break: (cluster: Cluster) => cluster.kill(n),
  mend: (cluster: Cluster) => cluster.startAgain(n),
})
const away = (pick: (cluster: Cluster) => Store, ms: number) => async (cluster: Cluster) => {
  await pick(cluster).stop()
  if (ms > 0) await pause(ms)
  await pick(cluster).start()
}
const withoutDatabase = (ms: number) => ({
  isWithoutDatabase: true,
  refusesWrites: true,
  break: away(({ stores }) => stores.postgres, ms),
})
const redis = ({ stores }: Cluster) => stores.redis
const s3 = ({ stores }: Cluster) => stores.s3
const seconds = absenceMs / 1000

const SCENARIOS: readonly Scenario[] = [
  { name: 'a serving machine is killed (SIGKILL)', ...killed(0) },
  { name: 'a working machine is killed (SIGKILL)', ...killed(2) },
  { name: 'Redis is killed and starts again empty', break: away(redis, 2_000) },
  { name: 'PostgreSQL is restarted', ...withoutDatabase(0) },
  { name: `PostgreSQL is away for ${seconds} s`, ...withoutDatabase(absenceMs) },
  { name: 'the object store drops all connections', break: away(s3, 0), refusesWrites: true },
  { name: `the object store is away for ${seconds} s`, break: away(s3, absenceMs), refusesWrites: true },
  {
    name: 'a serving machine is cut off for 20 s',
    break: (cluster) => cluster.cutOff(0, 20_000),
    losesAnswers: true,
  },
  {
    name: 'a machine that serves and works is cut off for 20 s',
    break: (cluster) => cluster.cutOff(1, 20_000),
    losesAnswers: true,
  },
  { name: 'a working machine is cut off for 20 s', break: (cluster) => cluster.cutOff(2, 20_000) },
  { name: 'rolling upgrade (SIGUSR2 on each machine in turn)', break: (cluster) => cluster.upgrade() },
]

const NAMES = SCENARIOS.map(({ name }) => name)

const lineOf = (name: string, { pages, functions, writes, recoveredMs, agreed, lost, twice }: Outcome) => {
  const of = ({ ok, failed }: Count) => `${ok} / ${failed}`
  const cells = [
    ...[name, of(pages), of(functions), `${(functions.longestMs / 1000).toFixed(1)} s`, of(writes)],
    `${(recoveredMs / 1000).toFixed(1)} s`,
    ...SUBJECTS.map((subject) => `${Math.round(agreed[subject].longestMs)} ms (${agreed[subject].changes})`),
    ...[lost.length, twice.length],
  ]
  return `| ${cells.join(' | ')} |`
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
  for (const scenario of SCENARIOS) {
    const { name, break: breakIt, mend, refusesWrites, losesAnswers, isWithoutDatabase } = scenario
    if (!values.only.some((part) => name.includes(part))) continue
    let mostMs = 1000
    const outcome = await cluster.during(async () => {
      const since = performance.now()
      await breakIt(cluster)
      // What one machine has read a moment before the database went away, another one cannot read until it is back.
      if (isWithoutDatabase) mostMs += performance.now() - since
    })
    lines.push(lineOf(name, outcome))
    const problems = [
      ...(outcome.pages.failed > 0 ? [`${outcome.pages.failed} static pages failed`] : []),
      ...SUBJECTS.filter((subject) => outcome.agreed[subject].longestMs > mostMs).map(
        (subject) => `machines disagreed on a ${subject} for more than ${(mostMs / 1000).toFixed(1)} s`,
      ),
      ...(refusesWrites || losesAnswers || outcome.writes.failed === 0
        ? []
        : [`${outcome.writes.failed} writes failed`]),
      ...[...outcome.lost, ...outcome.twice, ...outcome.unanswered],
    ]
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${lines.at(-1)}`)
    for (const line of [...problems, ...outcome.reasons]) console.log(`     ${line}`)
    if (outcome.stoodStillMs > 1000)
      console.log(
        `     this test itself stood still for up to ${(outcome.stoodStillMs / 1000).toFixed(1)} s: the processors were short`,
      )
    if (problems.length > 0) isBad = true
    // At once, so that a run that is ended early leaves what it has found.
    if (values.write) writeTable(lines, NAMES)
    await mend?.(cluster)
  }
} finally {
  await cluster.close()
}
process.exitCode = isBad ? 1 : 0

/**
 * Whether what an account has makes it wait: every look-up, the first page of every list, the page of a log, the count of
 * what is used and the move of an alias with a million deployments and 100,000 aliases, against the same with a thousand, on
 * both databases. CPU time of calls to the stores, with that of the processes of PostgreSQL that answer them; in turn, on
 * other rows each time.
 *
 *   BENCH_ROWS=1000000 node bench/api/many-rows.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, type DatabaseConfig, openDatabase } from '#adapters/sql/database/database.ts'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import type { LogTables } from '#adapters/sql/log/log-tables.ts'
import { createStores } from '#adapters/sql/stores.ts'
import type { HostStore } from '#core/alias/host-store.ts'
import type { DeploymentFilter } from '#core/deployment/deployment-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createDatabase } from '#test/support/database/postgres-databases.ts'
import { FILLED, fillDeployments, fillLogs } from '../fill/fill-deployments.ts'
import { fillPostgres } from '../fill/fill-postgres.ts'
import { medianRatio } from '../measure/median.ts'
import { exactCpuSeconds } from '../measure/process-cpu.ts'
import { amount, rounds, warmUps } from '../measure/trial.ts'
import { openPostgres } from '../platform/postgres.ts'
import { atMost, beside, printRows, type Row } from '../report/row.ts'

const FEW = amount(1000, 100)
const MANY = Number(process.env.BENCH_ROWS ?? amount(1_000_000, 1000))
const ROUNDS = rounds(21)
const CALLS = amount(40, 4)
/** Of a round: what takes long is asked for less often. */
const ROUND_US = 20_000
const WARM_UPS = warmUps(5)
/**
 * So many rows are looked for, each once before any is looked for again, that the pages of a large table do not stay in
 * memory: whoever asks for the same few rows again and again does not notice how many others there are.
 */
const SAMPLES = 20_000
const PAGE = { limit: 20 }

/** A row to look for. */
interface Sample {
  readonly id: string
  readonly host: string
  readonly digest: string
  readonly alias: string
  readonly project: string
}

interface Filled {
  readonly database: Database
  readonly logs: Database<LogTables>
  readonly samples: readonly Sample[]
}

/** With one of the samples, and another. */
type Ask = (sample: Sample, other: Sample) => Promise<unknown>

const FILTERS: Readonly<Record<string, DeploymentFilter>> = {
  'all deployments': {},
  'deployments of a name': { app: 'app-1' },
  'deployments of a project': { projectId: 'prj_1' },
  'deployments in a state': { states: ['ERROR'] },
  'deployments in two states': { states: ['ERROR', 'BUILDING'] },
  'deployments for a target': { target: 'production' },
  'deployments by a creator': { creators: ['user-1'] },
  'deployments with a pair of meta': { meta: { branch: 'branch-1' } },
  'deployments of a project in a state': { projectId: 'prj_1', states: ['READY'] },
  'deployments of a project for a target': { projectId: 'prj_1', target: 'production' },
  'deployments of a name in a state': { app: 'app-1', states: ['READY'] },
  'deployments with meta by a creator': {
    meta: { branch: 'branch-1' },
    creators: ['user-1', 'user-2', 'user-3'],
  },
}

const LOG_PAGE = { direction: 'backward', limit: 100 } as const
const FAILED = { statuses: [{ from: 500, to: 599 }] }

/** Moves an alias to the deployment of another sample, and the next time back. */
function movesOn(hosts: HostStore): Ask {
  const moved = new Map<string, Sample>()
  return async (sample, other) => {
    const from = moved.get(sample.alias) ?? sample
    const to = from === sample ? other : sample
    const where = { deploymentId: to.id, projectId: to.project, production: false }
    if (!(await hosts.point(sample.alias, from.id, where))) throw new Error(`${sample.alias} did not move`)
    moved.set(sample.alias, to)
  }
}

function asksOn({ database, logs }: Filled): Readonly<Record<string, Ask>> {
  const { deployments, hosts, usage } = createStores(database.db, { clock: systemClock })
  const log = createLogStore(logs.db)
  const sites = createSiteSource(database.db, { domain: 'aloft.test' })
  const { id: owner } = FILLED.owner
  const lists = Object.entries(FILTERS).map(([name, filter]): [string, Ask] => [
    name,
    () => deployments.list(owner, PAGE, filter),
  ])
  return {
    'a deployment by id': ({ id }) => deployments.find(id),
    'a deployment by host': ({ host }) => deployments.find(host),
    'the same deployment again': ({ digest }) => deployments.newestSame(owner, digest),
    'a manifest': ({ id }) => deployments.manifest(id),
    'who has a host': ({ host }) => hosts.holder(host),
    'an alias': ({ alias }) => hosts.alias(owner, alias),
    'the aliases of a deployment': ({ id }) => hosts.ofDeployment(id),
    'the site of a host': ({ host }) => sites.find(host),
    ...Object.fromEntries(lists),
    'all aliases': () => hosts.list(owner, PAGE, {}),
    'aliases of a project': () => hosts.list(owner, PAGE, { projectId: 'prj_1' }),
    'aliases under a domain': () => hosts.list(owner, PAGE, { domain: FILLED.domain }),
    'how much is used': () => usage.used(owner, 'deployments', ''),
    'the log of a deployment': ({ id }) => log.read(id, LOG_PAGE),
    'the build output of a deployment': ({ id }) => log.read(id, { ...LOG_PAGE, builds: true }),
    'the log of a project': ({ project }) => log.readProject(project, LOG_PAGE),
    'failed visits of a project': ({ project }) => log.readProject(project, { ...LOG_PAGE, ...FAILED }),
    // Last, for it changes what the others find.
    'the move of an alias': movesOn(hosts),
  }
}

/** Rows from all over the table. */
async function open(config: DatabaseConfig, logConfig: DatabaseConfig): Promise<Filled> {
  const database = await openDatabase(config)
  const samples = await database.db
    .selectFrom('deployments')
    .innerJoin('hosts', 'hosts.deployment_id', 'deployments.id')
    .select(['deployments.id', 'deployments.host', 'digest', 'hosts.host as alias'])
    .select('deployments.project_id as project')
    .where('alias_id', 'is not', null)
    .where('state', '!=', 'ERROR')
    .orderBy(sql`random()`)
    .limit(SAMPLES)
    .execute()
  return { database, logs: await openLogDatabase(logConfig), samples: samples as readonly Sample[] }
}

/** Answers what tells the microseconds that were used so far. */
type Meter = (filled: Filled) => Promise<() => number>

const ownTime = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const cpuTime: Meter = async () => ownTime

/** With the processes of PostgreSQL that this one is connected to. */
const cpuTimeWithServer: Meter = async ({ database }) => {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`.execute(
    database.db,
  )
  const last = new Map<number, number>()
  return () => {
    // One that was idle for long may be closed meanwhile.
    for (const { pid } of rows) last.set(pid, exactCpuSeconds(pid) ?? last.get(pid) ?? 0)
    return [...last.values()].reduce((sum, seconds) => sum + seconds * 1e6, ownTime())
  }
}

async function costOf(
  ask: Ask,
  filled: Filled,
  { from, calls, meter }: { readonly from: number; readonly calls: number; readonly meter: Meter },
): Promise<number> {
  const { samples } = filled
  const used = await meter(filled)
  const sampleAt = (n: number) => samples[n % samples.length] as Sample
  const before = used()
  for (let i = 0; i < calls; i++) await ask(sampleAt(from + i), sampleAt(from + i + 1))
  return used() - before
}

async function compare(few: Filled, many: Filled, meter: Meter): Promise<Map<string, number>> {
  const [asksFew, asksMany] = [asksOn(few), asksOn(many)]
  const ratios = new Map<string, number>()
  let from = 0
  for (const [name, askMany] of Object.entries(asksMany)) {
    const askFew = asksFew[name] as Ask
    let calls = CALLS
    for (let round = 0; round < WARM_UPS; round++, from += calls) {
      const cost = await costOf(askFew, few, { from, calls, meter })
      await costOf(askMany, many, { from, calls, meter })
      calls = Math.max(1, Math.min(CALLS, Math.round((ROUND_US * calls) / cost)))
    }
    const costs = { few: [] as number[], many: [] as number[] }
    for (let round = 0; round < ROUNDS; round++, from += calls) {
      costs.few.push(await costOf(askFew, few, { from, calls, meter }))
      costs.many.push(await costOf(askMany, many, { from, calls, meter }))
    }
    ratios.set(name, medianRatio(costs.many, costs.few))
  }
  return ratios
}

async function rowsOn(name: string, [few, many]: readonly [Filled, Filled], meter: Meter): Promise<Row[]> {
  const sorted = [...(await compare(few, many, meter))].sort(([, a], [, b]) => b - a)
  const [[worst, ratio] = ['', Number.NaN], ...others] = sorted
  const against = `of ${MANY} deployments on ${name}, against ${FEW}`
  return [
    atMost('P14', `slowest of ${sorted.length} reads and writes: ${worst}, ${against}`, ratio, 1.2),
    ...others.slice(0, 3).map(([next, value]) => beside('', `next on ${name}: ${next}`, value)),
  ]
}

async function onBoth(
  name: string,
  openOne: (count: number) => Promise<Filled>,
  meter: Meter,
): Promise<Row[]> {
  const opened: Filled[] = []
  try {
    for (const count of [FEW, MANY]) opened.push(await openOne(count))
    return await rowsOn(name, opened as unknown as readonly [Filled, Filled], meter)
  } finally {
    for (const { database, logs } of opened) await Promise.all([database.close(), logs.close()])
  }
}

async function onSqlite(): Promise<Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-rows-'))
  const openOne = async (count: number) => {
    const [file, logs] = [join(scratch, `${count}.db`), join(scratch, `${count}-logs.db`)]
    await fillDeployments(file, count)
    await fillLogs(logs, file)
    return open({ file }, { file: logs })
  }
  try {
    return await onBoth('SQLite', openOne, cpuTime)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function onPostgres(): Promise<Row[]> {
  // What is measured lies on the disk, as that of users.
  const server = await openPostgres(tmpdir())
  const openOne = async (count: number) => {
    const url = await createDatabase(server.folder, { migrated: true })
    await fillPostgres(url, count)
    return open({ url, file: '' }, { url, file: '' })
  }
  try {
    return await onBoth('PostgreSQL', openOne, cpuTimeWithServer)
  } finally {
    await server.stop()
  }
}

export const run = async (): Promise<Row[]> => [...(await onSqlite()), ...(await onPostgres())]

if (import.meta.main) printRows(await run())

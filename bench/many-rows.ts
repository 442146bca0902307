/**
 * Whether what an account has makes it wait: every look-up and first page of a list with a million deployments, against
 * the same with a thousand, on both databases. CPU time of calls to the stores on SQLite, and time that they take on
 * PostgreSQL, whose work other processes do; in turn, on other rows each time.
 *
 *   BENCH_ROWS=1000000 node bench/many-rows.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, type DatabaseConfig, openDatabase } from '#adapters/sql/database/database.ts'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import { createStores } from '#adapters/sql/stores.ts'
import type { DeploymentFilter } from '#core/deployment/deployment-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { type Postgres, startPostgres } from '#test/support/postgres.ts'
import { createDatabase } from '#test/support/postgres-databases.ts'
import { FILLED, fillDeployments } from './fill-deployments.ts'
import { fillPostgres } from './fill-postgres.ts'
import { medianRatio } from './median.ts'
import { atMost, beside, printRows, type Row } from './row.ts'
import { amount, isTrial, rounds, warmUps } from './trial.ts'

const FEW = amount(1000, 100)
const MANY = Number(process.env.BENCH_ROWS ?? amount(1_000_000, 1000))
const ROUNDS = rounds(21)
const CALLS = amount(40, 4)
const WARM_UPS = warmUps(5)
/** So many rows are looked for in turn that the pages of a large table do not all stay in memory. */
const SAMPLES = 1000
const PAGE = { limit: 20 }

/** A row to look for. */
interface Sample {
  readonly id: string
  readonly host: string
  readonly digest: string
  readonly alias: string
}

interface Filled {
  readonly database: Database
  readonly samples: readonly Sample[]
}

type Ask = (sample: Sample) => Promise<unknown>

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
  'deployments with meta by a creator': { meta: { branch: 'branch-1' }, creators: ['user-1', 'user-2'] },
}

function asksOn({ database }: Filled): Readonly<Record<string, Ask>> {
  const { deployments, hosts } = createStores(database.db, { clock: systemClock })
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
  }
}

/** Rows from all over the table. */
async function open(config: DatabaseConfig): Promise<Filled> {
  const database = await openDatabase(config)
  const samples = await database.db
    .selectFrom('deployments')
    .innerJoin('hosts', 'hosts.deployment_id', 'deployments.id')
    .select(['deployments.id', 'deployments.host', 'digest', 'hosts.host as alias'])
    .where('alias_id', 'is not', null)
    .where('state', '!=', 'ERROR')
    .orderBy(sql`random()`)
    .limit(SAMPLES)
    .execute()
  return { database, samples: samples as readonly Sample[] }
}

/** Microseconds. */
type Meter = () => () => number

const cpuTime: Meter = () => {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
}

const elapsed: Meter = () => {
  const before = performance.now()
  return () => (performance.now() - before) * 1000
}

async function costOf(ask: Ask, samples: readonly Sample[], from: number, meter: Meter): Promise<number> {
  const read = meter()
  for (let i = 0; i < CALLS; i++) await ask(samples[(from + i * 7) % samples.length] as Sample)
  return read()
}

async function compare(few: Filled, many: Filled, meter: Meter): Promise<Map<string, number>> {
  const [asksFew, asksMany] = [asksOn(few), asksOn(many)]
  const ratios = new Map<string, number>()
  for (const [name, askMany] of Object.entries(asksMany)) {
    const askFew = asksFew[name] as Ask
    const costs = { few: [] as number[], many: [] as number[] }
    for (let round = -WARM_UPS; round < ROUNDS; round++) {
      const few_ = await costOf(askFew, few.samples, round + WARM_UPS, meter)
      const many_ = await costOf(askMany, many.samples, round + WARM_UPS, meter)
      if (round < 0) continue
      costs.few.push(few_)
      costs.many.push(many_)
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
    atMost('P14', `slowest of ${sorted.length} look-ups and first pages: ${worst}, ${against}`, ratio, 1.2),
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
    for (const { database } of opened) await database.close()
  }
}

async function onSqlite(): Promise<Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-rows-'))
  const openOne = async (count: number) => {
    const file = join(scratch, `${count}.db`)
    await fillDeployments(file, count)
    return open({ file })
  }
  try {
    return await onBoth('SQLite', openOne, cpuTime)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The one of a test run does for a trial. */
async function openServer(): Promise<Postgres> {
  const { ALOFT_TEST_POSTGRES: folder } = process.env
  return isTrial && folder ? { folder, stop: async () => {} } : startPostgres()
}

async function onPostgres(): Promise<Row[]> {
  const server = await openServer()
  const openOne = async (count: number) => {
    const url = await createDatabase(server.folder, { migrated: true })
    await fillPostgres(url, count)
    return open({ url, file: '' })
  }
  try {
    return await onBoth('PostgreSQL', openOne, elapsed)
  } finally {
    await server.stop()
  }
}

export const run = async (): Promise<Row[]> => [...(await onSqlite()), ...(await onPostgres())]

if (import.meta.main) printRows(await run())

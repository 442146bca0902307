/**
 * Whether what an account has makes it wait: every look-up and first page of a list with a million deployments, against
 * the same with a thousand. CPU time of calls to the stores, in turn, on other rows each time.
 *
 *   BENCH_ROWS=1000000 node bench/many-rows.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Database, openDatabase } from '#adapters/sql/database/database.ts'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import { createStores } from '#adapters/sql/stores.ts'
import type { DeploymentFilter } from '#core/deployment/deployment-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { FILLED, fillDeployments } from './fill-deployments.ts'
import { medianRatio } from './median.ts'
import { atMost, beside, printRows, type Row } from './row.ts'
import { amount, rounds, warmUps } from './trial.ts'

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
function pickSamples(file: string): Sample[] {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = db
    .prepare(
      `select deployments.id, deployments.host, digest, hosts.host as alias
       from deployments join hosts on hosts.deployment_id = deployments.id
       where alias_id is not null and state != 'ERROR' order by random() limit ?`,
    )
    .all(SAMPLES)
  db.close()
  return rows as unknown as Sample[]
}

async function open(file: string, count: number): Promise<Filled> {
  await fillDeployments(file, count)
  return { database: await openDatabase({ file }), samples: pickSamples(file) }
}

/** Microseconds of CPU time. */
async function costOf(ask: Ask, samples: readonly Sample[], from: number): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < CALLS; i++) await ask(samples[(from + i * 7) % samples.length] as Sample)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function compare(few: Filled, many: Filled): Promise<Map<string, number>> {
  const [asksFew, asksMany] = [asksOn(few), asksOn(many)]
  const ratios = new Map<string, number>()
  for (const [name, askMany] of Object.entries(asksMany)) {
    const askFew = asksFew[name] as Ask
    const costs = { few: [] as number[], many: [] as number[] }
    for (let round = -WARM_UPS; round < ROUNDS; round++) {
      const few_ = await costOf(askFew, few.samples, round + WARM_UPS)
      const many_ = await costOf(askMany, many.samples, round + WARM_UPS)
      if (round < 0) continue
      costs.few.push(few_)
      costs.many.push(many_)
    }
    ratios.set(name, medianRatio(costs.many, costs.few))
  }
  return ratios
}

export async function run(): Promise<Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-rows-'))
  const opened: Filled[] = []
  try {
    opened.push(await open(join(scratch, 'few.db'), FEW), await open(join(scratch, 'many.db'), MANY))
    const [few, many] = opened as [Filled, Filled]
    const sorted = [...(await compare(few, many))].sort(([, a], [, b]) => b - a)
    const [[worst, ratio] = ['', Number.NaN], ...others] = sorted
    const against = `of ${MANY} deployments, against ${FEW}`
    return [
      atMost('P14', `slowest of ${sorted.length} look-ups and first pages: ${worst}, ${against}`, ratio, 1.2),
      ...others.slice(0, 3).map(([name, value]) => beside('', `next: ${name}`, value)),
    ]
  } finally {
    for (const { database } of opened) await database.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())

import { DatabaseSync } from 'node:sqlite'
import { type Database, openDatabase } from '#adapters/sql/database/database.ts'
import { pairsOf } from '#adapters/sql/deployment/deployment-meta.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createStores } from '#adapters/sql/stores.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { sampleAlias, sampleDeployment, sampleEntry, sampleUser } from '#test/support/samples.ts'
import { createLogTemplate, logRows } from './fill-logs.ts'

/** Every filter finds more than a page of the smallest table that is compared. */
export const FILLED = {
  owner: sampleUser({ id: 'an-account' }),
  projects: 10,
  creators: 10,
  branches: 10,
  domain: 'aloft.test',
} as const

export const branch = (n: number) => ({ branch: `branch-${n}` })

/** What SQL cannot make up is taken from one deployment that went the ordinary way. */
export async function createTemplate(database: Database): Promise<void> {
  await database.migrate()
  const { users, deployments, hosts } = createStores(database.db, { clock: systemClock })
  const deployment = sampleDeployment({ ownerId: FILLED.owner.id, meta: branch(0), createdAt: 1 })
  await users.insert(FILLED.owner)
  await deployments.insert(deployment, { manifest: [sampleEntry('index.html')], sealedEnv: 'sealed' })
  await hosts.claimAlias(
    sampleAlias({
      ownerId: FILLED.owner.id,
      deploymentId: deployment.id,
      createdAt: 1,
      host: 'a.aloft.test',
    }),
  )
}

/** The moment after the newest of so many. */
const afterNewest = (count: number): number => 1_700_000_000_000 + count + 1

/** One for each column, so that they differ independently of each other, and every filter finds enough. */
const FACTORS = {
  project: 461_845_907,
  creator: 2_246_822_519,
  name: 3_266_489_917,
  state: 668_265_263,
  target: 3_432_918_353,
  branch: 1_597_334_677,
} as const

/**
 * A number below `limit` for the deployment of a moment, in SQL for both databases. It depends on how many are newer, so the first
 * page of a list passes the same rows however many there are.
 */
export function spread(
  column: keyof typeof FACTORS,
  limit: number,
  { moment, count }: { readonly moment: string; readonly count: number },
): string {
  return `(((((${afterNewest(count)} - ${moment}) * ${FACTORS[column]}) & 4294967295) >> 12) % ${limit})`
}

/** What differs between deployments. Everything else is as in the template, whatever columns there are. */
const madeUp = (count: number): Readonly<Record<string, string>> => {
  const at = { moment: '(1700000000000 + i)', count }
  return {
    id: "'dpl_' || hex(randomblob(14))",
    project_id: `'prj_' || ${spread('project', FILLED.projects, at)}`,
    creator_id: `'user-' || ${spread('creator', FILLED.creators, at)}`,
    name: `'app-' || ${spread('name', FILLED.projects, at)}`,
    host: `lower(hex(randomblob(8))) || '.${FILLED.domain}'`,
    state: `case ${spread('state', 10, at)} when 0 then 'ERROR' when 1 then 'BUILDING' else 'READY' end`,
    target: `case ${spread('target', 4, at)} when 0 then 'production' when 1 then 'staging' end`,
    digest: 'hex(randomblob(32))',
    created_at: '1700000000000 + i',
  }
}

function rowsOf(db: DatabaseSync, count: number): string {
  const made = madeUp(count)
  const columns = db.prepare("select name from pragma_table_info('deployments')").all() as { name: string }[]
  const names = new Set(columns.map(({ name }) => name))
  for (const name of Object.keys(made))
    if (!names.has(name)) throw new Error(`deployments have no column ${name} any more`)
  return `
    insert into deployments (${[...names].join()})
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
    select ${[...names].map((name) => made[name] ?? name).join()}
    from n, (select * from deployments limit 1)`
}

const HOSTS = `
  insert into hosts
  select host, owner_id, project_id, id, null, 0, created_at from deployments where created_at > 1
  order by host`

/** Aliases lead to deployments of every age, at most to so many. */
const MOST_ALIASES = 100_000
export const aliasEvery = (count: number) => Math.max(2, Math.floor(count / MOST_ALIASES))
const ALIASES = `
  insert into hosts
  select 'alias-' || host, owner_id, project_id, id, substr(id, 5, 24), 0, created_at
  from deployments where rowid % ? = 0 and created_at > 1
  order by host`

const ALIAS_LISTS = `
  insert into alias_lists
  select owner_id, list.value, created_at, alias_id
  from hosts, json_each(json_array('all', 'project ' || project_id, 'domain ${FILLED.domain}')) as list
  where alias_id is not null and created_at > 1
  order by list.value, created_at`

const MANIFESTS = `
  insert into manifests
  select id, sha1s, files from deployments, (select * from manifests limit 1) where created_at > 1
  order by id`

const metaOf = (count: number) => `
  insert into deployment_meta
  select owner_id, json_extract(?, '$[' || ${spread('branch', FILLED.branches, { moment: 'created_at', count })} || ']') as pair, created_at, id
  from deployments where created_at > 1
  order by pair, created_at`

/** Deployments that were counted since the count was last added up. */
const FRESH = 60
const OTHER_ACCOUNTS = 10

/** What the account uses, and others, one for so many deployments. For both databases. */
export const USAGE: readonly string[] = [
  `insert into usage select owner_id, 'deployments', '', 1, 1 from deployments where created_at > 1 limit ${FRESH}`,
  `insert into usage select owner_id, 'deployments', '', count(*) - ${FRESH}, 0 from deployments
   where created_at > 1 group by owner_id`,
  `insert into usage select 'account-' || created_at, 'deployments', '', 1, 0 from deployments
   where created_at > 1 and created_at % ${OTHER_ACCOUNTS} = 0`,
]

/** Rows in the order of their keys and indexes last, without a journal: minutes become seconds. */
function fill(file: string, work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(file)
  db.exec(`
    pragma journal_mode = off; pragma synchronous = off;
    pragma cache_size = -1000000; pragma temp_store = memory`)
  const indexes = db
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[]
  db.exec('begin')
  for (const { name } of indexes) db.exec(`drop index ${name}`)
  work(db)
  for (const { sql } of indexes) db.exec(sql)
  db.exec('commit')
  db.close()
}

/** A database with so many deployments of one account, made in SQL. */
export async function fillDeployments(file: string, count: number): Promise<void> {
  const database = await openDatabase({ file })
  await createTemplate(database)
  await database.close()
  const pairs = Array.from({ length: FILLED.branches }, (_, n) => pairsOf(branch(n))[0])
  fill(file, (db) => {
    db.prepare(rowsOf(db, count)).run(count)
    db.exec(HOSTS)
    db.prepare(ALIASES).run(aliasEvery(count))
    db.exec(ALIAS_LISTS)
    db.exec(MANIFESTS)
    db.prepare(metaOf(count)).run(JSON.stringify(pairs))
    for (const statement of USAGE) db.exec(statement)
  })
}

/** The log of the deployments of such a database that aliases lead to. */
export async function fillLogs(file: string, deployments: string): Promise<void> {
  const database = await openLogDatabase({ file })
  await createLogTemplate(database)
  await database.close()
  // It is no part of the transaction.
  const hosts = new DatabaseSync(deployments, { readOnly: true })
  const meant = hosts.prepare(
    'select host, deployment_id, project_id, alias_id, created_at from hosts where alias_id is not null',
  )
  fill(file, (db) => {
    db.exec('create temp table hosts (host, deployment_id, project_id, alias_id, created_at)')
    const insert = db.prepare('insert into temp.hosts values (?, ?, ?, ?, ?)')
    for (const row of meant.iterate()) insert.run(...(Object.values(row) as string[]))
    for (const statement of logRows('temp.hosts')) db.exec(statement)
  })
  hosts.close()
}

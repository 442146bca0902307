import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type CompiledQuery, Kysely, sql } from 'kysely'
import pg from 'pg'
import { createPostgresDialect } from '#adapters/sql/database/dialect/postgres-dialect.ts'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import { createZoneSource } from '#adapters/sql/domain/zone-source.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import { createStores } from '#adapters/sql/stores.ts'
import type { Tables } from '#adapters/sql/tables.ts'
import { clockOf } from '#test/support/clock.ts'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { callsOn, contentIndexCalls } from './store-calls.ts'

/** Enough of each table that statistics tell something of it. */
const ROWS = 2000
const ACCOUNTS = 300

/** What is sorted before a few are taken is little by itself: the names of one deployment, builds that wait, open pushes. */
const MAY_SORT = new Set(['sites.find', 'jobs.queue', 'pushes.overdue'])

/**
 * A number of rows that is a parameter, where the rows are to be looked up afterwards: `knownLimit` is for these. In a list of
 * what is to stay, and in one that is made anew for each row beside it, nothing is looked up by it.
 */
const UNKNOWN_LIMIT = /limit \$\d+(?: for update skip locked)?\)/
const MAY_LIMIT = new Set([
  'pushes.keepNewest',
  'sources.remember',
  'sites.find',
  'projects.deploymentsOf',
  'crons.lastRuns',
])

/** Tables of which one account may have a million rows and most have few: each row is looked up by this column. */
const LOOKED_UP: Readonly<Record<string, string>> = { files: 'sha1', git_objects: 'oid' }
const LOOK_UPS = new Set(['files.claim', 'files.forget', 'gitObjects.known', 'gitObjects.prune'])

interface Statement {
  readonly from: string
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** A node of a plan, in the words of PostgreSQL. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Recheck Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** What every store says, to tables from which nothing is deleted meanwhile. */
async function recordStatements(url: string, client: pg.Client): Promise<Statement[]> {
  await client.query(
    `create function stay() returns trigger language plpgsql as 'begin return null; end';
     do $$ declare name text; begin
       for name in select tablename from pg_tables where schemaname = current_schema() loop
         execute format('create trigger stay before delete on %I for each row execute function stay()', name);
       end loop;
     end $$`,
  )
  let recorded: CompiledQuery[] = []
  const db = new Kysely<Tables>({
    dialect: createPostgresDialect({ url }),
    log: ({ query }) => void recorded.push(query),
  })
  const statements: Statement[] = []
  const record = async (from: string, call: () => Promise<unknown>) => {
    recorded = []
    // What was not deleted may be in the way of what comes next. The statement was said all the same.
    await call().catch(() => {})
    statements.push(...recorded.map((query) => ({ from, sql: query.sql, parameters: query.parameters })))
  }
  try {
    for (const [store, calls] of Object.entries({
      ...callsOn(createStores(db, { clock: clockOf(() => 1), onChanges() {} })),
      contents: contentIndexCalls(createContentIndex(db)),
    }))
      for (const [method, call] of Object.entries(calls)) await record(`${store}.${method}`, call)
    await record('sites.find', () => createSiteSource(db, { domain: 'aloft.test' }).find('a.aloft.test'))
    const zones = createZoneSource(db, { domain: 'aloft.test', nameservers: [], authority: null })
    await record('zones.find', () => zones.find('www.example.com'))
  } finally {
    await db.destroy()
  }
  const texts = new Map(statements.map((statement) => [statement.sql, statement]))
  return [...texts.values()].filter(({ parameters }) => parameters.length > 0)
}

const COLUMNS = `
  select column_name as name, data_type as type, exists (
    select 1 from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
    where indrelid = $1::text::regclass and indisunique and attname = column_name
  ) as "isKey"
  from information_schema.columns
  where table_schema = current_schema() and table_name = $1::text and is_generated = 'NEVER' and is_identity = 'NO'`

interface Column {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
}

const OWNERS = new Set(['owner_id', 'user_id', 'team_id', 'project_id', 'domain_id', 'application_id'])

/** One of many copies of a row. Half of all belong to who has the first, and the others to many. */
function copyOf({ name, type, isKey }: Column, keys: readonly string[]): string {
  const column = `one."${name}"`
  const shared = `case when i % 2 = 0 then ${column} else ${column} || '-' || i % ${ACCOUNTS} end`
  if (type === 'text') {
    const isOwner = OWNERS.has(name) && keys.some((key) => !OWNERS.has(key))
    if (isKey && !isOwner) return `${column} || '-' || i`
    return isOwner || name.endsWith('_id') ? shared : column
  }
  return isKey || name.endsWith('_at') ? `${column} + i` : column
}

/** Makes a large table of each that has a row. Answers which. */
async function multiply(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  )
  const large = new Set<string>()
  // References are not looked at: rows of many accounts that do not exist are as good as any.
  await client.query('set session_replication_role = replica')
  for (const { name } of tables) {
    const { rows: columns } = await client.query<Column>(COLUMNS, [name])
    const keys = columns.filter(({ isKey }) => isKey).map((column) => column.name)
    const { rowCount } = await client.query(
      `insert into ${name} (${columns.map((column) => `"${column.name}"`).join()})
       select ${columns.map((column) => copyOf(column, keys)).join()}
       from generate_series(1, ${ROWS}) as i, (select * from ${name} limit 1) as one
       on conflict do nothing`,
    )
    if (rowCount) large.add(name)
  }
  await client.query('reset session_replication_role')
  await client.query('vacuum analyze')
  return large
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`
  return pg.escapeLiteral(String(value))
}

async function planOf(client: pg.Client, { sql: text, parameters }: Statement): Promise<PlanNode> {
  await client.query(`prepare planned as ${text}`)
  try {
    const { rows } = await client.query(
      `explain (format json) execute planned (${parameters.map(inWords).join()})`,
    )
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('deallocate planned')
  }
}

/** Tables of which a plan reads all rows of an account. */
function readOfAccount(plan: PlanNode): string[] {
  const read = nodesOf(plan).filter((node) => {
    const condition = node['Index Cond'] ?? node['Recheck Cond']
    return (
      condition?.includes('owner_id = ') && !condition.includes(LOOKED_UP[node['Relation Name'] ?? ''] ?? '')
    )
  })
  return read.map((node) => node['Relation Name'] ?? '')
}

/** What no statement should do, whatever its values are. */
function faultsOf({ from, sql: text }: Statement, plan: PlanNode, large: ReadonlySet<string>): string[] {
  const nodes = nodesOf(plan)
  const scanned = nodes
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] as string)
    .filter((table) => large.has(table))
    .map((table) => `reads all of ${table}`)
  const sorted = nodes
    .filter((node) => node['Node Type'] === 'Limit')
    .filter((limit) => nodesOf(limit).some((node) => node['Node Type'].endsWith('Sort')))
    .map(() => 'sorts what it takes a few of')
  return [
    ...scanned,
    ...(MAY_SORT.has(from) ? [] : sorted),
    ...(LOOK_UPS.has(from) ? readOfAccount(plan).map((table) => `reads all ${table} of an account`) : []),
    ...(UNKNOWN_LIMIT.test(text) && !MAY_LIMIT.has(from) ? ['does not say how many rows it looks up'] : []),
  ]
}

onPostgres((name, open) => {
  describe(name, () => {
    it('is asked to plan a statement once, whatever its values', async () => {
      const url = await open({ migrated: true })
      const db = new Kysely<Tables>({ dialect: createPostgresDialect({ url }) })
      try {
        const { rows } = await sql<{ mode: string }>`
          select current_setting('plan_cache_mode') as mode`.execute(db)
        assert.equal(rows[0]?.mode, 'force_generic_plan')
      } finally {
        await db.destroy()
        await removeDatabase(url)
      }
    })

    describe('with every statement of every store', () => {
      let url: string
      let client: pg.Client
      let statements: readonly Statement[]
      before(async () => {
        url = await open({ migrated: true })
        client = new pg.Client(url)
        await client.connect()
        statements = await recordStatements(url, client)
      })
      after(async () => {
        await client?.end()
        await removeDatabase(url)
      })

      it('finds rows of large tables by an index and in their order with such a plan', async () => {
        const large = await multiply(client)
        // Tables that are not larger would rather be read as a whole. Those without an index to use still are.
        await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
        const faults: string[] = []
        for (const statement of statements) {
          const plan = await planOf(client, statement)
          const found = faultsOf(statement, plan, large)
          faults.push(...found.map((fault) => `${statement.from} ${fault}: ${statement.sql}`))
        }
        assert.deepEqual(faults, [])
      })

      it('looks up the aliases of a page one by one, however many it expects', async () => {
        const lists = statements.filter(({ from }) => from === 'hosts.list')
        assert.ok(lists.length >= 2)
        // Any other way that there is would be taken now.
        await client.query('set plan_cache_mode = force_generic_plan; set enable_nestloop = off')
        for (const statement of lists) {
          const kinds = nodesOf(await planOf(client, statement)).map((node) => node['Node Type'])
          assert.ok(!kinds.some((kind) => /^(Hash|Merge) Join$/.test(kind)), `${kinds}: ${statement.sql}`)
        }
        await client.query('reset enable_nestloop')
      })

      it('keeps what it has planned once a newer version has added a column to each table', async () => {
        for (const [n, { sql: text }] of statements.entries())
          await client.query(`prepare known_${n} as ${text}`)
        const { rows: tables } = await client.query<{ name: string }>(
          'select tablename as name from pg_tables where schemaname = current_schema()',
        )
        for (const { name: table } of tables) await client.query(`alter table ${table} add column later text`)
        const refused: string[] = []
        for (const [n, { from, parameters }] of statements.entries())
          await client
            .query(`explain execute known_${n} (${parameters.map(inWords).join()})`)
            .catch((error: Error) => refused.push(`${from}: ${error.message}`))
        assert.deepEqual(refused, [])
      })
    })
  })
})

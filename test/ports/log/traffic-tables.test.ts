import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type CompiledQuery, Kysely, sql } from 'kysely'
import pg from 'pg'
import { createTableSource } from '#adapters/sql/backup/table-source.ts'
import { openTableTarget } from '#adapters/sql/backup/table-target.ts'
import { createPostgresDialect } from '#adapters/sql/database/dialect/postgres-dialect.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { LOG_MIGRATIONS } from '#adapters/sql/log/log-migrations/list.ts'
import type { LogTables } from '#adapters/sql/log/log-tables.ts'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { migrate } from '#adapters/sql/migrations/migrate.ts'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import { COUNTERS, countVisit, createTally, showTally, type Tally } from '#core/analytics/tally.ts'
import { KEPT_PATHS, type Step, type TrafficRow, type TrafficStore } from '#core/analytics/traffic-store.ts'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { openLogs, type TestLogs } from '#test/support/logs.ts'

/** 14 November 2023, noon. */
const NOON = Date.UTC(2023, 10, 14, 12)
const TODAY = NOON - DAY / 2
const TOMORROW = TODAY + DAY
const NEVER = 0

const tallyOf = (requests: number): Tally => {
  const tally = createTally()
  for (let i = 0; i < requests; i++) countVisit(tally, { status: 200, ms: 3, bytes: 10 })
  return tally
}

const row = (requests: number, at: number, given: Partial<TrafficRow> = {}): TrafficRow => ({
  ...{ projectId: 'prj_a', deploymentId: '', target: 'production', step: 'minute', at },
  tally: tallyOf(requests),
  ...given,
})
const pathRow = (requests: number, at: number, path = '/'): TrafficRow =>
  row(requests, at, { step: 'hour', path })

const scope = { projectId: 'prj_a', deploymentId: '' }
const always = { from: 0, to: 2 * NOON } as const

async function sumOf(store: TrafficStore, step: Step = 'minute'): Promise<number> {
  const rows = await store.read(scope, { step, ...always })
  return rows.reduce((sum, { tally }) => sum + showTally(tally).requests, 0)
}
const pathsOf = async (store: TrafficStore) =>
  (await store.topPaths(scope, { step: 'hour', ...always }, 1000)).map(
    ({ path, tally }) => `${path} ${showTally(tally).requests}`,
  )

async function openTraffic(t: TestContext, open: Parameters<typeof openLogs>[1], migrated = true) {
  const logs = await openLogs(t, open, { migrated })
  return { logs, store: createTrafficStore(logs.database.db) }
}

/** How many rows each table has that has any. */
async function places({ database }: TestLogs, table = 'traffic'): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; rows: number }>`
    select tableoid::regclass::text as name, count(*) as rows from ${sql.table(table)}
    group by 1 order by 1`.execute(database.db)
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]))
}

/** The tables that a divided one has, without their schema. */
async function parts({ database }: TestLogs, table = 'traffic'): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on oid = inhrelid
    where inhparent = ${table}::text::regclass order by 1`.execute(database.db)
  return rows.map(({ name }) => name)
}

async function connect(t: TestContext, url: string | undefined): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  t.after(() => client.end())
  // The database is removed before.
  client.on('error', () => {})
  return client
}

/** Adds a row in the words of the version that knows of no such tables. */
async function addAsBefore(
  client: pg.Client,
  { projectId, deploymentId, step, at, target, path, tally }: TrafficRow,
): Promise<void> {
  const table = path === undefined ? 'traffic' : 'traffic_paths'
  const key = ['project_id', 'deployment_id', 'step', 'at', 'target', ...(path === undefined ? [] : ['path'])]
  const columns = [...key, ...COUNTERS]
  const values = [projectId, deploymentId, step, at, target, ...(path === undefined ? [] : [path]), ...tally]
  const record = Object.fromEntries(columns.map((name, i) => [name, values[i]]))
  const isText = (name: string) => name !== 'at' && key.includes(name)
  await client.query(
    `insert into ${table} (${columns.join(', ')}) select * from json_to_recordset($1::json) as given(${columns
      .map((name) => `${name} ${isText(name) ? 'text' : 'bigint'}`)
      .join(', ')})
     on conflict (${key.join(', ')}) do update
     set ${COUNTERS.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`,
    [JSON.stringify([record])],
  )
}

/** Keys that more than one row has, of both tables. */
async function countTwice(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`
    select
      (select count(*) from (select 1 from traffic
        group by project_id, deployment_id, step, at, target having count(*) > 1) as twice)
      + (select count(*) from (select 1 from traffic_paths
        group by project_id, deployment_id, step, at, target, path having count(*) > 1) as twice) as count`)
  return Number(rows[0].count)
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

onPostgres((name, open) =>
  describe(`counts of visits on ${name}`, () => {
    it('have a table for the times that are to come, and for none that has begun', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      await store.add([row(1, NOON)])
      for (let i = 0; i < 2; i++) {
        await store.rotate('all', 'minute', NOON, NEVER)
        await store.rotate('paths', 'hour', NOON, NEVER)
      }
      assert.deepEqual(await parts(logs), ['traffic_minute_20231115', 'traffic_minute_20231116'])
      assert.deepEqual(await parts(logs, 'traffic_paths'), [
        'traffic_paths_hour_20231115',
        'traffic_paths_hour_20231116',
      ])
      await store.add([row(2, NOON), row(4, TOMORROW - MINUTE), row(8, TOMORROW), row(16, TOMORROW + DAY)])
      await store.add([row(32, TOMORROW), pathRow(1, NOON), pathRow(2, TOMORROW)])
      assert.deepEqual(await places(logs), {
        traffic: 2,
        'public_logs.traffic_minute_20231115': 1,
        'public_logs.traffic_minute_20231116': 1,
      })
      assert.deepEqual(await places(logs, 'traffic_paths'), {
        'public_logs.traffic_paths_hour_20231115': 1,
        traffic_paths: 1,
      })
      assert.equal(await sumOf(store), 63)
      assert.deepEqual(await pathsOf(store), ['/ 3'])
      // Too late for what begins at once: the clock of another machine may be ahead.
      await store.rotate('all', 'minute', TOMORROW + 2 * DAY - 1, NEVER)
      assert.deepEqual(await parts(logs), [
        'traffic_minute_20231115',
        'traffic_minute_20231116',
        'traffic_minute_20231118',
      ])
    })

    it('that stay longer share a table for longer', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      for (let day = 0; day < 200; day++)
        for (const step of ['hour', 'day'] as const)
          await store.rotate('all', step, NOON + day * DAY, NOON + day * DAY - 60 * DAY)
      assert.deepEqual(await parts(logs), [
        'traffic_day_20240318',
        'traffic_hour_20240318',
        'traffic_hour_20240417',
        'traffic_hour_20240517',
      ])
      const at = Date.UTC(2024, 4, 1)
      await store.add([row(1, at, { step: 'hour' }), row(2, at, { step: 'day' }), row(4, at)])
      assert.deepEqual(await places(logs), {
        'public_logs.traffic_day_20240318': 1,
        'public_logs.traffic_hour_20240417': 1,
        traffic: 1,
      })
    })

    it('go with their table once it is over for long enough, and one by one without', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      await store.add([row(1, NOON)])
      await store.rotate('all', 'minute', NOON, NEVER)
      await store.add([row(2, TOMORROW), row(4, TOMORROW + DAY), row(8, TOMORROW, { step: 'hour' })])
      const end = TOMORROW + DAY
      await store.rotate('all', 'minute', NOON, end - 1)
      assert.equal(await store.prune('all', 'minute', end - 1, 10), 1)
      assert.equal(await store.prune('all', 'minute', end - 1, 10), 0)
      assert.equal(await sumOf(store), 6)
      await store.rotate('all', 'minute', NOON + DAY, end)
      assert.deepEqual(await parts(logs), ['traffic_minute_20231116', 'traffic_minute_20231117'])
      assert.equal(await sumOf(store), 4)
      assert.equal(await sumOf(store, 'hour'), 8)
      // What comes later than that is counted all the same.
      await store.add([row(1, TOMORROW)])
      assert.equal(await sumOf(store), 5)
    })

    it('are trimmed, and deleted with their deployment or project, in whichever table', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      await store.rotate('all', 'minute', NOON, NEVER)
      await store.rotate('paths', 'hour', NOON, NEVER)
      for (const at of [NOON - (NOON % HOUR), TOMORROW])
        await store.add(Array.from({ length: KEPT_PATHS + 20 }, (_, i) => pathRow(1 + i, at, `/${i}`)))
      assert.deepEqual(Object.values(await places(logs, 'traffic_paths')), [KEPT_PATHS, KEPT_PATHS])
      for (const at of [NOON, TOMORROW])
        await store.add(['', 'dpl_a'].map((deploymentId) => row(1, at, { deploymentId })))
      await store.deleteFor('prj_a', 'dpl_a')
      assert.deepEqual(Object.values(await places(logs)), [1, 1])
      await store.deleteFor('prj_a')
      assert.deepEqual([await places(logs), await places(logs, 'traffic_paths')], [{}, {}])
    })

    it('are added to by the version before in the same rows', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      await store.rotate('all', 'minute', NOON, NEVER)
      await store.rotate('paths', 'hour', NOON, NEVER)
      const client = await connect(t, logs.config.url)
      for (const at of [NOON - (NOON % HOUR), TOMORROW]) {
        await addAsBefore(client, row(1, at))
        await store.add([row(2, at), pathRow(1, at)])
        await addAsBefore(client, pathRow(2, at))
        await addAsBefore(client, row(4, at))
      }
      assert.deepEqual(await places(logs), { 'public_logs.traffic_minute_20231115': 1, traffic: 1 })
      assert.deepEqual(Object.values(await places(logs, 'traffic_paths')), [1, 1])
      assert.equal(await sumOf(store), 14)
      assert.deepEqual(await pathsOf(store), ['/ 6'])
      const [first] = await store.read(scope, { step: 'minute', from: TOMORROW, to: TOMORROW + 1 })
      assert.deepEqual(first?.tally, tallyOf(7))
      // As it prunes.
      const key = 'project_id, deployment_id, step, at, target'
      const { rowCount } = await client.query(
        `delete from traffic where (${key}) in (select ${key} from traffic where step = 'minute' and at < $1 limit 500)`,
        [TOMORROW + 1],
      )
      assert.equal(rowCount, 2)
    })

    it('are all there while several processes of both versions add to them and tables come and go', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      const others = await Promise.all([logs.again(), logs.again()])
      const stores = others.map(({ database }) => createTrafficStore(database.db))
      const client = await connect(t, logs.config.url)
      const days = 4
      for (let day = 0; day < days; day++) {
        const now = NOON + day * DAY
        await Promise.all([
          store.rotate('all', 'minute', now, now - 2 * DAY),
          ...stores.map(async (each) => {
            for (let i = 0; i < 5; i++) await each.add([row(1, now), row(1, now, { step: 'hour' })])
          }),
          (async () => {
            for (let i = 0; i < 5; i++) await addAsBefore(client, row(1, now))
          })(),
        ])
      }
      assert.equal(await countTwice(client), 0)
      // The first day has no table of its own, and none is over for two days.
      assert.equal(await sumOf(store), 15 * days)
      assert.equal(await sumOf(store, 'hour'), 10 * days)
      assert.deepEqual(Object.keys(await places(logs)), [
        'public_logs.traffic_minute_20231115',
        'public_logs.traffic_minute_20231116',
        'public_logs.traffic_minute_20231117',
        'traffic',
      ])
    })

    it('that are in the divided table already stay there: their time gets no other', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      await store.add([row(1, TOMORROW + HOUR)])
      await store.rotate('all', 'minute', NOON, NEVER)
      assert.deepEqual(await parts(logs), ['traffic_minute_20231116'])
      await store.add([row(2, TOMORROW + HOUR)])
      assert.deepEqual(await places(logs), { traffic: 1 })
    })

    it('that somebody reads are dropped another time, and nobody waits for it', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      await store.rotate('all', 'minute', NOON, NEVER)
      await store.add([row(1, TOMORROW)])
      const client = await connect(t, logs.config.url)
      await client.query('begin')
      await client.query('select count(*) from traffic')
      const later = TOMORROW + 3 * DAY
      await store.rotate('all', 'minute', later, TOMORROW + DAY)
      assert.ok((await parts(logs)).includes('traffic_minute_20231115'))
      assert.equal(await sumOf(store), 1)
      await client.query('commit')
      await store.rotate('all', 'minute', later, TOMORROW + DAY)
      assert.ok(!(await parts(logs)).includes('traffic_minute_20231115'))
    })

    it('stay in one table where the user of the database may not make a schema', async (t) => {
      const { logs } = await openTraffic(t, open)
      const role = `aloft_few_rights_traffic_${process.pid}`
      const client = await connect(t, logs.config.url)
      await client.query(`create role ${role} login; alter table traffic owner to ${role};
        grant all on all tables in schema public to ${role}; grant create on schema public to ${role}`)
      const url = new URL(logs.config.url ?? '')
      url.username = role
      const database = await openLogDatabase({ url: url.href, file: '' })
      const store = createTrafficStore(database.db)
      await store.rotate('all', 'minute', NOON, NEVER)
      await store.add([row(1, TOMORROW)])
      assert.equal(await store.prune('all', 'minute', TOMORROW + 1, 10), 1)
      // Somebody else may have one of that name.
      await client.query('create schema public_logs')
      await store.rotate('all', 'minute', NOON, NEVER)
      await store.add([row(1, TOMORROW)])
      await addAsBefore(client, row(1, TOMORROW))
      await database.close()
      assert.deepEqual(await places(logs), { traffic: 1 })
      await client.query(`drop table traffic cascade; drop owned by ${role}; drop role ${role}`)
    })

    it('that were there before are all kept while older processes go on, and tables follow', async (t) => {
      const { logs, store } = await openTraffic(t, open, false)
      const client = await connect(t, logs.config.url)
      await client.query(
        `drop trigger into_its_table on traffic; drop trigger into_its_table on traffic_paths;
         drop function traffic_into_its_table, traffic_paths_into_its_table;
         delete from aloft_log_migrations where name = '0023-traffic-tables'`,
      )
      const hour = NOON - (NOON % HOUR)
      for (const at of [hour - DAY, hour]) {
        await addAsBefore(client, row(1, at))
        await addAsBefore(client, pathRow(1, at))
      }
      const other = await connect(t, logs.config.url)
      let isOver = false
      let added = 0
      const adding = (async () => {
        while (!isOver || added < 20) {
          await addAsBefore(other, row(1, hour))
          added++
        }
      })()
      const db = logs.database.db as unknown as Kysely<unknown>
      await migrate(db, LOG_MIGRATIONS, 'aloft_log_migrations').finally(() => {
        isOver = true
      })
      await store.rotate('all', 'minute', NOON, NEVER)
      await adding
      await addAsBefore(client, row(1, TOMORROW))
      assert.deepEqual(await places(logs), { 'public_logs.traffic_minute_20231115': 1, traffic: 2 })
      assert.equal(await sumOf(store), 3 + added)
      assert.deepEqual(await pathsOf(store), ['/ 2'])
    })

    it('are in a backup once, and restored from it with nothing missing', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      const client = await connect(t, logs.config.url)
      await store.add([row(1, NOON), pathRow(1, NOON - (NOON % HOUR))])
      await store.rotate('all', 'minute', NOON, NEVER)
      await store.rotate('paths', 'hour', NOON, NEVER)
      await store.add([row(2, NOON), row(4, TOMORROW), pathRow(2, TOMORROW)])
      await addAsBefore(client, row(8, TOMORROW))
      const url = await open()
      t.after(() => removeDatabase(url))
      const target = await openTableTarget({ url, file: '', logFile: '' })
      await target.begin(
        'logs',
        LOG_MIGRATIONS.map(({ name: step }) => step),
      )
      const source = createTableSource({ url: logs.config.url, file: '', logFile: '' })
      const copied = await source.rows('logs', {
        rows: (table, lines) => target.add('logs', table, lines),
        blobs: async () => {},
      })
      await target.finish()
      assert.deepEqual(
        copied.tables.filter(({ name: table }) => table.startsWith('traffic')),
        [
          { name: 'traffic', rows: 2 },
          { name: 'traffic_paths', rows: 2 },
        ],
      )
      const restored = await openLogDatabase({ url, file: '' })
      const again = createTrafficStore(restored.db)
      assert.equal(await sumOf(again), 15)
      assert.deepEqual(await pathsOf(again), ['/ 3'])
      // What is restored is in the divided table, so its times get none.
      await again.rotate('all', 'minute', NOON, NEVER)
      await again.add([row(16, TOMORROW)])
      assert.equal((await again.read(scope, { step: 'minute', ...always })).length, 2)
      await restored.close()
    })

    it('are found in each table by an index', async (t) => {
      const { logs, store } = await openTraffic(t, open)
      for (const step of ['minute', 'hour', 'day'] as const) await store.rotate('all', step, NOON, NEVER)
      for (const step of ['hour', 'day'] as const) await store.rotate('paths', step, NOON, NEVER)
      for (const day of [0, 1, 2])
        await store.add(
          Array.from({ length: 50 }, (_, i) => [
            row(1, TODAY + day * DAY + i * MINUTE),
            pathRow(1, TODAY + day * DAY, `/${i}`),
          ]).flat(),
        )
      const recorded: CompiledQuery[] = []
      const db = new Kysely<LogTables>({
        dialect: createPostgresDialect({ url: logs.config.url ?? '' }),
        log: ({ query }) => void recorded.push(query),
      })
      t.after(() => db.destroy())
      const watched = createTrafficStore(db)
      await watched.add([row(1, TOMORROW), pathRow(1, TOMORROW), row(1, NOON), pathRow(1, TODAY)])
      for (const target of [undefined, 'preview'] as const) {
        await watched.read(scope, { step: 'minute', ...always }, target)
        await watched.topPaths(scope, { step: 'hour', ...always }, 10, target)
      }
      await watched.hours(['prj_a', 'prj_b'], NOON, TOMORROW)
      for (const kind of ['all', 'paths'] as const) await watched.prune(kind, 'hour', 1, 500)
      await watched.deleteFor('prj_none')
      await watched.deleteFor('prj_none', 'dpl_a')
      const statements = new Map(
        recorded
          .filter(({ sql: text, parameters }) => /\btraffic/.test(text) && parameters.length > 0)
          .map((query) => [query.sql, query]),
      )
      assert.ok(statements.size >= 14)
      const client = await connect(t, logs.config.url)
      await client.query('analyze; set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
      for (const { sql: text, parameters } of statements.values()) {
        await client.query(`prepare planned as ${text}`)
        const values = parameters.map((value) => pg.escapeLiteral(String(value)))
        const { rows } = await client.query(`explain (format json) execute planned (${values.join()})`)
        await client.query('deallocate planned')
        const scanned = nodesOf(rows[0]['QUERY PLAN'][0].Plan as PlanNode)
          .filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name']?.startsWith('traffic'))
          .map((node) => node['Relation Name'])
        assert.deepEqual(scanned, [], text)
      }
    })
  }),
)

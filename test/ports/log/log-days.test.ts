import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type CompiledQuery, Kysely, sql } from 'kysely'
import pg from 'pg'
import { createTableSource } from '#adapters/sql/backup/table-source.ts'
import { createPostgresDialect } from '#adapters/sql/database/dialect/postgres-dialect.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import type { LogTables } from '#adapters/sql/log/log-tables.ts'
import { DAY } from '#contract/time.ts'
import { firstSerialOf } from '#core/log/serial.ts'
import { onPostgres } from '#test/support/database/databases.ts'
import { openLogs, readAll, sampleLine, sampleResponse, type TestLogs } from '#test/support/logs.ts'

/** 14 November 2023, noon. */
const NOON = Date.UTC(2023, 10, 14, 12)
const NEVER = 0
const DAYS = ['20231114', '20231115', '20231116'].map((day) => `public_logs.log_blocks_${day}`)

const visit = (takenAt: number, text = 'a visit') => sampleResponse({ takenAt, text })
const texts = async ({ store }: TestLogs) => (await readAll(store)).map(({ text }) => text)

/** How many blocks each table has that has any. */
async function places({ database }: TestLogs): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; blocks: number }>`
    select tableoid::regclass::text as name, count(*) as blocks from log_blocks group by 1 order by 1`.execute(
    database.db,
  )
  return Object.fromEntries(rows.map(({ name, blocks }) => [name, blocks]))
}

async function dayTables({ database }: TestLogs): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'log_blocks'::regclass order by 1`.execute(database.db)
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

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

onPostgres((name, open) =>
  describe(`days of the log on ${name}`, () => {
    it('have a table each, made ahead of time, and blocks are in that of their day', async (t) => {
      const logs = await openLogs(t, open)
      await logs.store.rotate(NOON, NEVER)
      assert.deepEqual(await dayTables(logs), DAYS)
      await logs.store.rotate(NOON, NEVER)
      assert.deepEqual(await dayTables(logs), DAYS)
      const midnight = NOON + DAY / 2
      for (const at of [NOON, midnight - 1, midnight, midnight + DAY]) await logs.store.append([visit(at)])
      assert.deepEqual(await places(logs), { [DAYS[0] ?? '']: 2, [DAYS[1] ?? '']: 1, [DAYS[2] ?? '']: 1 })
      await logs.store.rotate(midnight, NEVER)
      assert.deepEqual(await dayTables(logs), [...DAYS, 'public_logs.log_blocks_20231117'])
    })

    it('without a table are written and read all the same, together with the others', async (t) => {
      const logs = await openLogs(t, open)
      await logs.store.append([visit(NOON - 1, 'before there were any')])
      await logs.store.rotate(NOON, NEVER)
      await logs.store.append([visit(NOON, 'today'), sampleLine({ takenAt: NOON, text: 'a build' })])
      await logs.store.append([visit(NOON + 9 * DAY, 'much later')])
      assert.deepEqual(await places(logs), { log_blocks: 2, [DAYS[0] ?? '']: 1 })
      const all = ['before there were any', 'today', 'a build', 'much later']
      assert.deepEqual(await texts(logs), all)
      const backward = await readAll(logs.store, { direction: 'backward' })
      assert.deepEqual(
        backward.map(({ text }) => text),
        all.toReversed(),
      )
    })

    it('go as a whole once they are over for long enough, and nothing else goes with them', async (t) => {
      const logs = await openLogs(t, open)
      const { store } = logs
      await store.append([visit(NOON - 1, 'without a table')])
      await store.rotate(NOON, NEVER)
      await store.append([visit(NOON, 'first'), sampleLine({ takenAt: NOON, text: 'a build' })])
      await store.append([visit(NOON + DAY, 'second')])
      const endOfFirst = NOON + DAY / 2
      await store.rotate(NOON + DAY, endOfFirst - 1)
      // Rows of a day that has a table stay until all of it goes.
      assert.equal(await store.prune(endOfFirst - 1, 10), 1)
      assert.equal(await store.prune(endOfFirst - 1, 10), 0)
      assert.deepEqual(await texts(logs), ['first', 'a build', 'second'])
      await store.rotate(NOON + DAY, endOfFirst)
      assert.deepEqual(await dayTables(logs), [...DAYS.slice(1), 'public_logs.log_blocks_20231117'])
      assert.deepEqual(await texts(logs), ['a build', 'second'])
      await store.append([visit(NOON + DAY, 'third')])
      assert.deepEqual(await texts(logs), ['a build', 'second', 'third'])
    })

    it('count when there is too much, and the oldest are deleted wherever they are', async (t) => {
      const logs = await openLogs(t, open)
      const { store } = logs
      await store.append([visit(NOON - 1, '0')])
      await store.rotate(NOON, NEVER)
      const empty = await store.bytes()
      for (const i of [1, 2, 3]) await store.append([visit(NOON + (i - 1) * DAY, `${i}`)])
      assert.ok((await store.bytes()) > empty)
      assert.equal(await store.deleteOldest(2), 2)
      assert.deepEqual(await texts(logs), ['2', '3'])
      await store.deleteFor(['dpl_a'])
      assert.deepEqual(await places(logs), {})
    })

    it('do not hold what is repeated on another day twice', async (t) => {
      const logs = await openLogs(t, open)
      const batches = [[visit(NOON - 1, 'without a table')], [visit(NOON, 'first')]]
      await logs.store.append(batches[0] ?? [])
      await logs.store.rotate(NOON, NEVER)
      await logs.store.append(batches[1] ?? [])
      await logs.store.append([visit(NOON + DAY, 'second')])
      for (const batch of batches) await logs.store.append(batch)
      assert.deepEqual(await texts(logs), ['without a table', 'first', 'second'])
    })

    it('that somebody reads are dropped another time, and nobody waits for it', async (t) => {
      const logs = await openLogs(t, open)
      await logs.store.rotate(NOON, NEVER)
      await logs.store.append([visit(NOON)])
      const client = await connect(t, logs.config.url)
      await client.query('begin')
      await client.query('select count(*) from log_blocks')
      await logs.store.rotate(NOON + DAY, NOON + DAY)
      assert.equal((await dayTables(logs)).length, 4)
      assert.equal((await readAll(logs.store)).length, 1)
      await client.query('commit')
      await logs.store.rotate(NOON + DAY, NOON + DAY)
      assert.equal((await dayTables(logs)).length, 3)
    })

    it('come and go while several processes write and read, and none of them fails', async (t) => {
      const logs = await openLogs(t, open)
      const others = await Promise.all([logs.again(), logs.again()])
      const days = 6
      for (let day = 0; day < days; day++) {
        const now = NOON + day * DAY
        await Promise.all([
          logs.store.rotate(now, now - 2 * DAY),
          ...others.map(async ({ store }, who) => {
            for (let i = 0; i < 10; i++) {
              await store.append([visit(now + i, `${day} ${who} ${i}`)])
              await readAll(store)
            }
          }),
        ])
      }
      const now = NOON + days * DAY
      await logs.store.rotate(now, now - 2 * DAY)
      while ((await logs.store.prune(now - 2 * DAY, 10)) === 10);
      const left = (await readAll(logs.store)).map(({ text }) => text)
      const expected = [4, 5].flatMap((day) =>
        [0, 1].flatMap((who) => Array.from({ length: 10 }, (_, i) => `${day} ${who} ${i}`)),
      )
      assert.deepEqual(left.sort(), expected.sort())
    })

    it('are left to one table where the user of the database may not make a schema', async (t) => {
      const first = await openLogs(t, open)
      const role = `aloft_few_rights_${process.pid}`
      const client = await connect(t, first.config.url)
      await client.query(`create role ${role} login; alter table log_blocks owner to ${role};
        grant all on all tables in schema public to ${role}; grant create on schema public to ${role}`)
      const url = new URL(first.config.url ?? '')
      url.username = role
      const database = await openLogDatabase({ url: url.href, file: '' })
      const store = createLogStore(database.db)
      await store.rotate(NOON, NEVER)
      await store.append([visit(NOON)])
      await database.close()
      assert.deepEqual(await places(first), { log_blocks: 1 })
      // An operator may have made it.
      await client.query(`create schema public_logs authorization ${role}`)
      const again = await openLogDatabase({ url: url.href, file: '' })
      await createLogStore(again.db).rotate(NOON, NEVER)
      await again.close()
      assert.deepEqual(await dayTables(first), DAYS)
      await client.query(`drop table log_blocks cascade; drop owned by ${role}; drop role ${role}`)
    })

    it('are written, read and pruned by the version that knows nothing of them', async (t) => {
      const logs = await openLogs(t, open)
      await logs.store.rotate(NOON, NEVER)
      await logs.store.append([visit(NOON, 'by the newer')])
      const client = await connect(t, logs.config.url)
      const { rows: last } = await client.query(
        'select cast(max(last_serial) as text) as last from log_blocks',
      )
      assert.equal(last[0].last, String(firstSerialOf(NOON)))
      const insert = () =>
        client.query(
          `insert into log_blocks (last_serial, first_serial, id, deployment_id, project_id, entries, status_from,
             status_to, has_errors, bytes, body)
           select last_serial + 1, first_serial + 1, 'older', deployment_id, project_id, entries, status_from,
             status_to, has_errors, bytes, body from log_blocks where id <> 'older'
           on conflict (id) do nothing`,
        )
      assert.equal((await insert()).rowCount, 1)
      assert.equal((await insert()).rowCount, 0)
      await logs.store.append([visit(NOON, 'by the newer again')])
      assert.equal((await readAll(logs.store)).length, 3)
      const { rowCount } = await client.query(
        `delete from log_blocks where last_serial in
           (select last_serial from log_blocks where last_serial < $1 order by last_serial limit 1000)`,
        [String(firstSerialOf(NOON + 1))],
      )
      assert.equal(rowCount, 3)
    })

    it('are in a backup with all their rows, once', async (t) => {
      const logs = await openLogs(t, open)
      await logs.store.append([visit(NOON - 1)])
      await logs.store.rotate(NOON, NEVER)
      await logs.store.append([visit(NOON)])
      const source = createTableSource({ url: logs.config.url, file: '', logFile: '' })
      const copied = await source.rows('logs', { rows: async () => {}, blobs: async () => {} })
      assert.deepEqual(copied.tables, [
        { name: 'log_blocks', rows: 2 },
        { name: 'log_entries', rows: 0 },
        { name: 'traffic', rows: 0 },
        { name: 'traffic_paths', rows: 0 },
      ])
    })

    it('are each found by an index, and those outside of what is asked for have no row to look at', async (t) => {
      const logs = await openLogs(t, open)
      await logs.store.rotate(NOON, NEVER)
      for (let i = 0; i < 3; i++)
        for (let n = 0; n < 20; n++) await logs.store.append([visit(NOON + i * DAY + n)])
      const recorded: CompiledQuery[] = []
      const db = new Kysely<LogTables>({
        dialect: createPostgresDialect({ url: logs.config.url ?? '' }),
        log: ({ query }) => void recorded.push(query),
      })
      t.after(() => db.destroy())
      const store = createLogStore(db)
      const span = {
        after: String(firstSerialOf(NOON + DAY)),
        before: String(firstSerialOf(NOON + DAY + 10)),
      }
      for (const direction of ['forward', 'backward'] as const) {
        await store.read('dpl_a', { ...span, direction, limit: 10 })
        await store.readProject('prj_a', { ...span, direction, limit: 10 })
      }
      await store.append([visit(NOON + 2 * DAY)])
      const statements = new Map(
        recorded
          .filter(({ sql: text, parameters }) => /\blog_blocks\b/.test(text) && parameters.length > 0)
          .map((query) => [query.sql, query]),
      )
      const client = await connect(t, logs.config.url)
      await client.query('analyze; set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
      const looked: Record<string, number> = {}
      for (const { sql: text, parameters } of statements.values()) {
        if (!text.trimStart().startsWith('select')) continue
        await client.query(`prepare planned as ${text}`)
        const values = parameters.map((value) => pg.escapeLiteral(String(value)))
        const { rows } = await client.query(
          `explain (analyze, format json) execute planned (${values.join()})`,
        )
        await client.query('deallocate planned')
        const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan as PlanNode)
        const ofBlocks = nodes.filter((node) => node['Relation Name']?.startsWith('log_blocks'))
        assert.ok(ofBlocks.length >= 4, text)
        for (const node of ofBlocks) {
          assert.match(node['Node Type'], /^(Index|Bitmap Heap)/, text)
          assert.equal(node['Rows Removed by Filter'] ?? 0, 0, text)
          const table = node['Relation Name'] ?? ''
          if (/limit \$\d+$/.test(text)) looked[table] = (looked[table] ?? 0) + (node['Actual Rows'] ?? 0)
        }
        assert.ok(!nodes.some((node) => node['Node Type'] === 'Seq Scan'), text)
        if (/limit \$\d+$/.test(text))
          assert.ok(!nodes.some((node) => node['Node Type'].endsWith('Sort')), text)
      }
      const { log_blocks_20231115: meant = 0, log_blocks_20231116: later = 0, ...others } = looked
      assert.ok(meant > 0)
      assert.deepEqual(others, { log_blocks: 0, log_blocks_20231114: 0 })
      // The block that a span ends in is the first that ends behind it: a day behind it offers its first.
      assert.ok(later <= statements.size, JSON.stringify(looked))
    })
  }),
)

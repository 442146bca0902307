import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Kysely, sql } from 'kysely'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createPostgresDialect } from '#adapters/sql/database/dialect/postgres-dialect.ts'
import type { Tables } from '#adapters/sql/tables.ts'
import { onPostgres } from '#test/support/database/databases.ts'
import { asVersion } from '#test/support/database/older-server.ts'
import { openStores } from '#test/support/database/stores.ts'
import { until } from '#test/support/until.ts'

const unavailable = { kind: 'service_unavailable' }

onPostgres((name, open) =>
  describe(`the connection to ${name}`, () => {
    it('is unavailable while the server is away, and checks say so', async () => {
      const away = await openDatabase({ url: 'postgresql://postgres@localhost/a?host=/nowhere', file: '' })
      await assert.rejects(away.check(), unavailable)
      await assert.rejects(away.migrate(), unavailable)
      await away.close()
    })

    it('says what is wrong when it never can connect', async () => {
      const url = (await open()).replace(/aloft_\w+/, 'missing')
      const wrong = await openDatabase({ url, file: '' })
      await assert.rejects(wrong.check(), /database "missing" does not exist/)
      await wrong.close()
    })

    it('is refused in words where the server is too old, and works where it is just new enough', async (t) => {
      const url = await open()
      const old = await openDatabase({ url: await asVersion(url, '11.22'), file: '' })
      const oldest = await openDatabase({ url: await asVersion(url, '12.0'), file: '' })
      t.after(() => Promise.all([old.close(), oldest.close()]))
      const refused = /server is PostgreSQL 11\.22, and Aloft needs 12 or newer/
      await assert.rejects(old.migrate(), refused)
      await assert.rejects(old.check(), refused)
      await oldest.migrate()
      await oldest.check()
    })

    it('is replaced when the server ends it, be it idle or in the middle of a transaction', async (t) => {
      const { stores, transact, again } = await openStores(t, open)
      const other = await again()
      const endOthers = () =>
        sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
            where pid != pg_backend_pid() and datname = current_database()`.execute(other.database.db)
      await stores.settings.set('a', '1')
      const interrupted = transact(async ({ settings }) => {
        await settings.set('a', '2')
        await endOthers()
        await settings.set('a', '3')
      })
      await assert.rejects(interrupted, unavailable)
      assert.equal(await stores.settings.get('a'), '1')
      await endOthers()
      // The news that an idle connection is gone may arrive after it was used.
      await stores.settings.get('a').catch((error) => assert.equal(error.kind, 'service_unavailable'))
      assert.equal(await stores.settings.get('a'), '1')
    })

    it('is replaced when the server takes no writes any more, and refused by one that takes none', async (t) => {
      const { config } = await openStores(t, open)
      const url = config.url as string
      const db = new Kysely<Tables>({ dialect: createPostgresDialect({ url, connections: 1 }) })
      t.after(() => db.destroy())
      const write = () =>
        db
          .insertInto('settings')
          .values({ key: `${Math.random()}`, value: '1' })
          .execute()
      await sql`set session characteristics as transaction read only`.execute(db)
      await assert.rejects(write(), unavailable)
      await write()
      const only = new URL(url)
      only.searchParams.set('options', '-c default_transaction_read_only=on')
      const standby = await openDatabase({ url: `${only}`, file: '' })
      t.after(() => standby.close())
      await assert.rejects(standby.check(), { ...unavailable, message: /takes no writes/ })
      await assert.rejects(standby.migrate(), { ...unavailable, message: /takes no writes/ })
    })

    it('stops a statement that takes too long, and can be used again', async (t) => {
      const { config } = await openStores(t, open)
      const url = config.url as string
      const db = new Kysely<Tables>({
        dialect: createPostgresDialect({ url, connections: 1, statementMs: 20 }),
      })
      t.after(() => db.destroy())
      await assert.rejects(sql`select pg_sleep(60)`.execute(db), unavailable)
      assert.deepEqual((await sql`select 1 as one`.execute(db)).rows, [{ one: 1 }])
    })

    it('has every statement planned once that has a plan, with parameters or without', async (t) => {
      const { config } = await openStores(t, open)
      const db = new Kysely<Tables>({
        dialect: createPostgresDialect({ url: config.url as string, connections: 1 }),
      })
      t.after(() => db.destroy())
      const say = async () => {
        await sql`select pg_advisory_xact_lock(1), 'without'`.execute(db)
        await sql`select ${1}::int, 'with'`.execute(db)
        await sql`with few as (select 1 as one) select one from few`.execute(db)
        await sql`set lock_timeout = 1000`.execute(db)
        await sql`create temporary table if not exists some_table (one int)`.execute(db)
      }
      await say()
      await say()
      const { rows } = await sql<{ statement: string; plans: number }>`
        select statement, generic_plans + custom_plans as plans from pg_prepared_statements
        where statement not like '%pg_prepared_statements%' order by prepare_time`.execute(db)
      assert.deepEqual(rows, [
        { statement: "select pg_advisory_xact_lock(1), 'without'", plans: 2 },
        { statement: "select $1::int, 'with'", plans: 2 },
        { statement: 'with few as (select 1 as one) select one from few', plans: 2 },
      ])
    })

    it('has as many statements planned once as a server should keep, and those of the next connection anew', async (t) => {
      const { config } = await openStores(t, open)
      const db = new Kysely<Tables>({
        dialect: createPostgresDialect({ url: config.url as string, connections: 1 }),
      })
      t.after(() => db.destroy())
      const planned = async () => {
        const { rows } = await sql<{ count: number; pid: number }>`
          select count(*), pg_backend_pid() as pid from pg_prepared_statements`.execute(db)
        return rows[0] ?? assert.fail()
      }
      const say = (n: number) => sql`select ${sql.lit(n)} as n`.execute(db)
      for (let n = 0; n < 600; n++) await say(n)
      const { count, pid } = await planned()
      assert.equal(count, 512)
      const elsewhere = new Kysely<Tables>({
        dialect: createPostgresDialect({ url: config.url as string, connections: 1 }),
      })
      t.after(() => elsewhere.destroy())
      await sql`select pg_terminate_backend(${pid}, 10000)`.execute(elsewhere)
      // The news that it is gone may arrive after it was used.
      await say(599).catch((error) => assert.equal(error.kind, 'service_unavailable'))
      await say(599)
      const next = await planned()
      assert.notEqual(next.pid, pid)
      assert.equal(next.count, 2)
    })

    it('is replaced from time to time, so that the server forgets what nobody asks for any more', async (t) => {
      const { config } = await openStores(t, open)
      const db = new Kysely<Tables>({
        dialect: createPostgresDialect({ url: config.url as string, connections: 1, connectionMs: 50 }),
      })
      t.after(() => db.destroy())
      const pid = async () =>
        (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
      const first = await pid()
      await until(async () => (await pid()) !== first)
    })

    it('is not handed on while a transaction is open on it', async (t) => {
      const { config } = await openStores(t, open)
      const url = config.url as string
      const db = new Kysely<Tables>({ dialect: createPostgresDialect({ url, connections: 1 }) })
      t.after(() => db.destroy())
      await db.connection().execute((connection) => sql`begin`.execute(connection))
      await db.insertInto('settings').values({ key: 'a', value: '1' }).execute()
      const elsewhere = new Kysely<Tables>({ dialect: createPostgresDialect({ url, connections: 1 }) })
      t.after(() => elsewhere.destroy())
      assert.equal((await elsewhere.selectFrom('settings').selectAll().execute()).length, 1)
    })

    it('keeps nothing of a transaction that failed, also of statements that nobody awaited', async (t) => {
      const { stores, transact } = await openStores(t, open)
      for (const count of [1, 3]) {
        const statements: Promise<void>[] = []
        const failed = transact(async ({ settings }) => {
          for (let n = 0; n < count; n++) statements.push(settings.set(`${n}`, '1').catch(() => {}))
          throw new Error('no')
        })
        await assert.rejects(failed, /^Error: no$/)
        await Promise.all(statements)
        for (let n = 0; n < count; n++) assert.equal(await stores.settings.get(`${n}`), undefined)
      }
    })

    it('answers whole numbers of 64 bits as numbers', async (t) => {
      const { database } = await openStores(t, open)
      const { rows } = await sql`select 1700000000000::bigint as time, count(*) as n from users`.execute(
        database.db,
      )
      assert.deepEqual(rows, [{ time: 1_700_000_000_000, n: 0 }])
    })
  }),
)

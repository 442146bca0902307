import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { crashLoops } from '#adapters/sql/migrations/0020-crash-loops.ts'
import { MIGRATIONS } from '#adapters/sql/migrations/list.ts'
import { migrate } from '#adapters/sql/migrations/migrate.ts'
import type { Migration } from '#adapters/sql/migrations/migration.ts'
import { eachDatabase, onPostgres } from '#test/support/database/databases.ts'
import { type ServingRounds, startServingRounds } from '#test/support/database/serving-rounds.ts'
import { openStores, type TestStores } from '#test/support/database/stores.ts'
import { sampleDeployment, sampleUser } from '#test/support/samples.ts'

const PROCESS = join(import.meta.dirname, '../support/database/migrate-process.ts')

const bare = ({ database }: TestStores) => database.db as unknown as Kysely<unknown>

async function applied(opened: TestStores): Promise<string[]> {
  const db = bare(opened) as Kysely<{ aloft_migrations: { name: string } }>
  const rows = await db.selectFrom('aloft_migrations').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

const names = MIGRATIONS.map((migration) => migration.name)

eachDatabase((name, open) =>
  describe(`migrations on ${name}`, () => {
    it('makes the schema, and leaves it alone the next time', async (t) => {
      const opened = await openStores(t, open)
      const user = sampleUser()
      await opened.stores.users.insert(user)
      await opened.database.migrate()
      assert.deepEqual(await opened.stores.users.byId(user.id), user)
      assert.deepEqual(await applied(opened), names)
    })

    it('is done once by processes that start together', async (t) => {
      const opened = await openStores(t, open, { migrated: false })
      const children = Array.from({ length: 3 }, () =>
        spawn(process.execPath, [PROCESS, JSON.stringify(opened.config)], {
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
      )
      await Promise.all(children.map((child) => once(child.stdout, 'data')))
      for (const child of children) child.stdin.end()
      const exits = await Promise.all(children.map((child) => once(child, 'exit')))
      assert.deepEqual(
        exits.map(([code]) => code),
        [0, 0, 0],
      )
      assert.deepEqual(await applied(opened), names)
    })

    it('adds only what is new, and all of it or nothing', async (t) => {
      const opened = await openStores(t, open)
      const added: Migration = {
        name: '9998-added',
        up: async ({ schema }) => {
          await schema.createTable('added').addColumn('id', 'text').execute()
        },
      }
      const broken: Migration = { name: '9999-broken', up: () => Promise.reject(new Error('broken')) }
      await assert.rejects(migrate(bare(opened), [...MIGRATIONS, added, broken]), /broken/)
      assert.deepEqual(await applied(opened), names)
      await migrate(bare(opened), [...MIGRATIONS, added])
      assert.deepEqual(await applied(opened), [...names, '9998-added'])
    })

    it('serves deployments again that crashes of a function had put into ERROR', async (t) => {
      const opened = await openStores(t, open)
      const { deployments } = opened.stores
      const failed = (code: string) =>
        sampleDeployment({
          state: 'ERROR',
          failure: { code, message: 'The program keeps crashing', step: 'run' },
        })
      const [crashed, broken] = [failed('crash_loop'), failed('build_failed')]
      for (const each of [crashed, broken]) await deployments.insert(each, { manifest: [], sealedEnv: '' })
      await crashLoops.up(bare(opened))
      assert.deepEqual(await deployments.find(crashed.id), { ...crashed, state: 'READY', failure: null })
      assert.deepEqual(await deployments.find(broken.id), broken)
    })

    it('goes back to the version before where machines share it, and else refuses what a newer one has changed', async (t) => {
      const opened = await openStores(t, open)
      const [before, last] = [MIGRATIONS.slice(0, -1), names.at(-1)]
      const goBack = migrate(bare(opened), before)
      if (name === 'PostgreSQL') assert.deepEqual(await goBack, [last])
      else await assert.rejects(goBack, /newer version of Aloft/)
      assert.deepEqual(await applied(opened), names)
      // Nor is it for a version of another line, that has steps of its own.
      await assert.rejects(migrate(bare(opened), MIGRATIONS.slice(1)), /newer version of Aloft/)
    })

    it('refuses a database that a newer version has changed so that no other can use it', async (t) => {
      const opened = await openStores(t, open)
      const breaking: Migration = { name: '9999-breaking', up: async () => {} }
      await migrate(bare(opened), [...MIGRATIONS, breaking])
      await assert.rejects(opened.database.migrate(), /newer version of Aloft \(it has 9999-breaking\)/)
    })
  }),
)

onPostgres((_, open) =>
  it('migrations let the version before read and write meanwhile', async (t) => {
    let isReleased = false
    // Nothing stays open, whatever fails.
    t.after(async () => {
      isReleased = true
      await serving?.stop().catch(() => undefined)
    })
    let serving: ServingRounds | undefined
    // The version of today is the one before another that adds to the tables which it uses most.
    const before = await openStores(t, open)
    const newer = await before.again()
    const next: Migration = {
      name: '9998-next',
      up: async ({ schema }) => {
        for (const table of ['deployments', 'hosts', 'jobs']) {
          await schema.alterTable(table).addColumn('next', 'text').execute()
          await schema.createIndex(`${table}_next`).on(table).column('next').execute()
        }
        await schema.createTable('next_things').addColumn('id', 'text').execute()
      },
    }
    serving = startServingRounds(before.stores, before.transact)

    // Somebody is in the midst of a long transaction, which a step has to wait for.
    const begun = Promise.withResolvers<void>()
    const long = before.transact(async (stores) => {
      await stores.jobs.enqueue({ kind: 'long', payload: {}, runAt: 0 })
      begun.resolve()
      // The server ends what says nothing for too long.
      while (!isReleased) {
        await stores.jobs.counts()
        await setTimeout(20)
      }
    })
    await begun.promise
    await serving.more(5)
    const migrating = migrate(bare(newer), [...MIGRATIONS, next])
    // Heard of below.
    migrating.catch(() => undefined)
    const waiting = sql<{ n: number }>`
      select count(*)::int as n from pg_locks
      where mode = 'AccessExclusiveLock' and not granted
        and database = (select oid from pg_database where datname = current_database())`
    await serving.until(async () => (await waiting.execute(before.database.db)).rows[0]?.n === 1)
    await serving.more(40)
    assert.deepEqual(await applied(before), names)
    isReleased = true
    await long
    await migrating
    assert.deepEqual(await applied(before), [...names, '9998-next'])
    await serving.more(20)
    const { rounds, longestMs } = await serving.stop()
    t.diagnostic(`${rounds} rounds, the longest ${longestMs} ms`)
    // Another process of the version before may start now.
    assert.deepEqual(await (await before.again()).database.migrate(), ['9998-next'])
  }),
)

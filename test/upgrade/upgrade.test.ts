import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { MIGRATIONS } from '#adapters/sql/migrations/list.ts'
import { migrate } from '#adapters/sql/migrations/migrate.ts'
import type { Migration } from '#adapters/sql/migrations/migration.ts'
import { DAY } from '#contract/time.ts'
import { countVisit, createTally, showTally } from '#core/analytics/tally.ts'
import type { TrafficRow, TrafficStore } from '#core/analytics/traffic-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { asVersion } from '#test/support/database/older-server.ts'
import { type ServingRounds, startServingRounds } from '#test/support/database/serving-rounds.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import {
  type Installation,
  makePlace,
  NOTHING_RUNS,
  type Place,
  TOKEN,
  uninstall,
} from '#test/support/installation.ts'
import { startServer } from '#test/support/server.ts'
import { aboutSqlite } from '#test/support/several.ts'
import { caller, type KeptData, unpack } from './kept-data.ts'
import {
  countsIn,
  LOG_MIGRATIONS,
  migrationToLack,
  programWithout,
  storesIn,
  withoutHistory,
} from './older-program.ts'

const DATA = join(import.meta.dirname, 'data')
const files = (await readdir(DATA)).filter((name) => name.endsWith('.tar.br')).sort()
/** Data with functions, of those that were unpacked so far. */
const withFunctions: string[] = []
const isFunction = ({ path }: KeptData['pages'][number]) => path.startsWith('/api/')

type Get = (path: string, token?: string) => Promise<{ status: number; body: Record<string, unknown> }>

/** Everything that the older program acknowledged. */
async function assertKept(kept: KeptData, get: Get): Promise<void> {
  const named = async (path: string, list: string) => {
    const { status, body } = await get(path)
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    return body[list] as Record<string, string>[]
  }
  const has = (rows: readonly Record<string, string>[], row: Record<string, string>) =>
    assert.ok(
      rows.some((one) => Object.entries(row).every(([key, value]) => one[key] === value)),
      `${JSON.stringify(row)} is not in ${JSON.stringify(rows)}`,
    )
  if (kept.team) has(await named('/v1/teams', 'teams'), { slug: kept.team })
  if (kept.secret) has(await named('/v2/platform/secrets', 'secrets'), { name: kept.secret })
  if (kept.token) {
    has(await named('/v3/user/tokens', 'tokens'), { id: kept.token.id })
    assert.equal((await get('/v2/user', kept.token.bearer)).status, 200)
  }
  if (kept.variable) {
    const { project, key, value } = kept.variable
    has(await named(`/v9/projects/${project}/env?decrypt=true`, 'envs'), { key, value })
  }
  if (kept.domain) has(await named('/v4/domains', 'domains'), { name: kept.domain })
  if (kept.record) has(await named(`/v2/domains/${kept.domain}/records`, 'records'), { ...kept.record })
}

test('there is data of the schema before the newest, and each is another', () => {
  assert.ok(files.length >= 12)
  const before = MIGRATIONS.at(-2)?.name ?? ''
  assert.ok(
    files.some((name) => name.startsWith(before)) ||
      files.some((name) => name.startsWith(MIGRATIONS.at(-1)?.name ?? '')),
    `keep data of ${before}: node test/upgrade/keep.ts <checkout of that version>`,
  )
})

describe('the data directory of an older version, with the program of today', { skip: aboutSqlite }, () => {
  for (const file of files)
    test(file, async (t) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'aloft-upgrade-'))
      const kept = await unpack(join(DATA, file), dataDir)
      if (kept.pages.some(isFunction)) withFunctions.push(file)
      const server = await startServer({ env: { ALOFT_DATA_DIR: dataDir } })
      t.after(async () => {
        await server.close()
        await rm(dataDir, { recursive: true, force: true })
      })
      await assertKept(kept, (path, token = TOKEN) => server.call(`GET ${path}`, { token }))
      for (const page of kept.pages) {
        if (isFunction(page)) continue
        const { status, body } = await server.visit(page.host, page.path)
        assert.deepEqual([status, body], [200, page.text], page.host)
      }
      if (kept.logged) {
        const path = `GET /v2/platform/deployments/${kept.logged}/events`
        const { body } = await server.call(path, { token: TOKEN })
        assert.match(JSON.stringify(body), /GET \/ 200/)
      }
      const made = await server.call('POST /v8/platform/deployments', {
        token: TOKEN,
        body: { version: 2, name: 'site', files: [{ file: 'index.html', data: 'new' }] },
      })
      assert.equal(made.status, 200, JSON.stringify(made.body))
      assert.equal((await server.visit(made.body.url, '/')).body, 'new')
    })
})

describe('the program as people start it', () => {
  /** Where nothing was started yet, with the data directory of another. */
  async function withData(file: string): Promise<{ readonly place: Place; readonly kept: KeptData }> {
    const place = await makePlace({ operator: false })
    return { place, kept: await unpack(join(DATA, file), join(place.folder, 'data')) }
  }

  test('functions that an older version has built answer', { skip: aboutSqlite }, async (t) => {
    assert.ok(withFunctions.length >= 12)
    // Each has to be started: `npm run test:faults -- --only upgrades` has them all.
    for (const file of process.env.ALOFT_UPGRADES === 'all' ? withFunctions : withFunctions.slice(0, 1)) {
      const { place, kept } = await withData(file)
      const aloft = await place.start()
      try {
        for (const { host, path, text } of kept.pages) {
          const answer = await visit(aloft, host, { path })
          assert.deepEqual([answer.status, answer.text], [200, text], `${file}: ${host}`)
        }
        await assertKept(kept, (path, token) => caller(aloft, token)(`GET ${path}`))
        t.diagnostic(file)
      } finally {
        await aloft.remove()
      }
    }
  })

  for (const [file, table] of [
    ['aloft.db', 'aloft_migrations'],
    ['logs.db', 'aloft_log_migrations'],
  ] as const)
    test(`${file} of a newer version is refused in words, and left alone`, {
      skip: aboutSqlite,
    }, async (t) => {
      const { place } = await withData(files.at(-1) ?? '')
      t.after(() => uninstall(place))
      const path = join(place.folder, 'data', file)
      const newer = new DatabaseSync(path)
      newer.prepare(`insert into ${table} (name, applied_at) values ('9999-tomorrow', 1)`).run()
      const count = () => newer.prepare(`select count(*) as n from ${table}`).get()?.n
      const before = count()
      await assert.rejects(place.start(), (error: Error) => {
        assert.match(error.message, /used by a newer version of Aloft \(it has 9999-tomorrow\)/)
        return true
      })
      assert.equal(count(), before)
      newer.close()
    })

  test('the program of the version before refuses the data of today, in words, and leaves it alone', {
    skip: aboutSqlite || withoutHistory,
  }, async (t) => {
    const file = files.at(-1) ?? ''
    const { place, kept } = await withData(file)
    const folder = await mkdtemp(join(tmpdir(), 'aloft-before-'))
    t.after(async () => {
      await uninstall(place)
      await rm(folder, { recursive: true, force: true })
    })
    const newest = MIGRATIONS.findLast(({ name }) => kept.schema.includes(name))?.name ?? assert.fail()
    const main = await programWithout(newest, folder)
    const path = join(place.folder, 'data', 'aloft.db')
    const before = await readFile(path)
    await assert.rejects(place.start({ program: [process.execPath, main] }), (error: Error) => {
      const said = `used by a newer version of Aloft \\(it has (?:\\S+, )*${newest}`
      assert.match(error.message, new RegExp(said))
      return true
    })
    assert.ok((await readFile(path)).equals(before))
  })

  onPostgres((_, open) =>
    test('starts on a PostgreSQL that a newer version has migrated, unless it says that it broke something', async (t) => {
      const url = await open({ migrated: true })
      const database = await openDatabase({ url, file: '' })
      const place = await makePlace({ env: { ...NOTHING_RUNS, ALOFT_DATABASE_URL: url } })
      let aloft: Installation | undefined
      t.after(async () => {
        await aloft?.stop('SIGKILL')
        await database.close()
        await removeDatabase(url)
        await uninstall(place)
      })
      const db = database.db as unknown as Kysely<unknown>
      const tables = await sql<{ name: string }>`
        select tablename as name from pg_tables where schemaname = current_schema()`.execute(db)
      const next: Migration = {
        name: '9998-next',
        up: async ({ schema }) => {
          for (const { name } of tables.rows)
            await schema.alterTable(name).addColumn('next', 'text').execute()
          await schema.createTable('next_things').addColumn('id', 'text').execute()
        },
      }
      await migrate(db, [...MIGRATIONS, next])
      aloft = await place.start()
      const { url: host } = await deployed(aloft, { name: 'site', files: { 'index.html': 'served' } })
      assert.equal((await visit(aloft, host, { path: '/' })).text, 'served')
      assert.match(aloft.stdout() + aloft.stderr(), /9998-next/)
      await aloft.stop()
      await migrate(db, [...MIGRATIONS, next, { name: '9999-breaking', up: async () => {} }])
      await assert.rejects(place.start(), /newer version of Aloft \(it has .*9999-breaking/)
    }),
  )

  onPostgres((_, open) =>
    test('a PostgreSQL that is too old is refused in words', async (t) => {
      const url = await open()
      const place = await makePlace({
        env: { ...NOTHING_RUNS, ALOFT_DATABASE_URL: await asVersion(url, '11.22') },
      })
      t.after(async () => {
        await removeDatabase(url)
        await uninstall(place)
      })
      await assert.rejects(place.start(), /server is PostgreSQL 11\.22, and Aloft needs 12 or newer/)
    }),
  )
})

onPostgres((_, open) =>
  test('the stores of an earlier version go on while PostgreSQL is migrated, and afterwards', {
    skip: withoutHistory,
  }, async (t) => {
    const lacking = migrationToLack(MIGRATIONS.map(({ name }) => name))
    const folder = await mkdtemp(join(tmpdir(), 'aloft-before-'))
    await programWithout(lacking, folder)
    const older = await storesIn(folder)
    const config = { url: await open(), file: '' }
    const [before, today] = [await older.openDatabase(config), await openDatabase(config)]
    let serving: ServingRounds | undefined
    t.after(async () => {
      await serving?.stop().catch(() => undefined)
      await Promise.all([before.close(), today.close()])
      await removeDatabase(config.url)
      await rm(folder, { recursive: true, force: true })
    })
    const applied = async () => {
      const db = today.db as unknown as Kysely<{ aloft_migrations: { name: string } }>
      return (await db.selectFrom('aloft_migrations').select('name').execute()).map(({ name }) => name)
    }
    await before.migrate()
    assert.equal((await applied()).includes(lacking), false)
    const parts = { clock: systemClock }
    serving = startServingRounds(older.createStores(before.db, parts), older.createTransact(before.db, parts))
    await serving.more(10)
    await today.migrate()
    assert.equal((await applied()).includes(lacking), true)
    await serving.more(20)
    const { rounds, longestMs } = await serving.stop()
    t.diagnostic(`${rounds} rounds, the longest ${longestMs} ms`)
  }),
)

onPostgres((_, open) =>
  test('visits are counted in the same rows by the version that has no tables by time for them', {
    skip: withoutHistory,
  }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'aloft-before-'))
    await programWithout('0023-traffic-tables', folder, LOG_MIGRATIONS)
    const older = await countsIn(folder)
    const config = { url: await open(), file: '' }
    const [before, today] = [await older.openLogDatabase(config), await openLogDatabase(config)]
    t.after(async () => {
      await Promise.all([before.close(), today.close()])
      await removeDatabase(config.url)
      await rm(folder, { recursive: true, force: true })
    })
    await before.migrate()
    const stores = [older.createTrafficStore(before.db), createTrafficStore(today.db)] as const
    const [then, now] = stores
    const noon = Date.UTC(2023, 10, 14, 12)
    const scope = { projectId: 'prj_a', deploymentId: '' }
    const visits = (at: number): readonly TrafficRow[] => {
      const tally = createTally()
      countVisit(tally, { status: 200, ms: 3, bytes: 10 })
      const row = { ...scope, target: 'production', tally } as const
      return [
        { ...row, step: 'minute', at },
        { ...row, step: 'hour', at },
        { ...row, step: 'hour', at, path: '/' },
      ]
    }
    /** Of minutes, hours and paths, as each of them reads it. */
    const sums = async (store: TrafficStore) => {
      const time = { from: 0, to: 2 * noon }
      const tallies = [
        await store.read(scope, { step: 'minute', ...time }),
        await store.read(scope, { step: 'hour', ...time }),
        await store.topPaths(scope, { step: 'hour', ...time }, 10),
      ]
      return tallies.map((rows) => rows.map(({ tally }) => showTally(tally).requests))
    }
    await then.add(visits(noon))
    await today.migrate()
    await now.rotate('all', 'minute', noon, 0)
    await now.rotate('paths', 'hour', noon, 0)
    // One day has no table of its own, and two have one.
    for (const at of [noon, noon + DAY, noon + 2 * DAY])
      await Promise.all(
        stores.map(async (store) => {
          for (let n = 0; n < 10; n++) await store.add(visits(at))
        }),
      )
    for (const store of stores) assert.deepEqual(await sums(store), [[21, 20, 20], [21, 20, 20], [61]])
    const { rows } = await sql<{ place: string; count: number }>`
      select tableoid::regclass::text as place, count(*) from traffic where step = 'minute' group by 1 order by 1
    `.execute(today.db)
    assert.deepEqual(rows, [
      { place: 'public_logs.traffic_minute_20231115', count: 1 },
      { place: 'public_logs.traffic_minute_20231116', count: 1 },
      { place: 'traffic', count: 1 },
    ])
    // It goes on to delete row by row what is old, in whichever table.
    assert.equal(await then.prune('all', 'minute', noon + 3 * DAY, 500), 3)
    await then.deleteFor('prj_a')
    assert.deepEqual(await sums(now), [[], [], []])
  }),
)

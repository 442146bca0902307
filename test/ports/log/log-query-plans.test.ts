import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { Kysely } from 'kysely'
import { createSqliteDialect } from '#adapters/sql/database/dialect/sqlite-dialect.ts'
import { LOG_MIGRATIONS } from '#adapters/sql/log/log-migrations/list.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import type { LogTables } from '#adapters/sql/log/log-tables.ts'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { migrate } from '#adapters/sql/migrations/migrate.ts'
import { createTally } from '#core/analytics/tally.ts'
import type { LogFilter, ProjectLogFilter } from '#core/log/log-store.ts'
import { sampleLine, sampleResponse } from '#test/support/logs.ts'

const range = { after: '1', before: '9000000000000000000' }
const search = {
  ...range,
  types: ['stdout', 'command'],
  text: 'x',
  name: 'bld_1',
  status: { from: 400, to: 499 },
  instanceId: 'x',
} as const satisfies LogFilter

const projectSearch = {
  ...range,
  target: 'production',
  types: ['request', 'stderr'],
  levels: ['error'],
  sources: ['static', 'proxy'],
  statuses: [{ from: 400, to: 499 }],
  method: 'GET',
  path: { text: '/', anywhere: false },
  host: 'a.aloft.test',
  requestId: 'x',
  text: 'x',
} as const satisfies ProjectLogFilter

/** Not slow: what the statement was given. */
const SLOW = /^SCAN (?!json_each |\d+-ROW VALUES)|TEMP B-TREE/

async function openRecorded(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-plans-'))
  const file = join(folder, 'logs.db')
  const statements = new Set<string>()
  const db = new Kysely<LogTables>({
    dialect: createSqliteDialect({ file, onStatement: (sql) => void statements.add(sql) }),
  })
  const raw = new DatabaseSync(file)
  t.after(async () => {
    raw.close()
    await db.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  await migrate(db as Kysely<unknown>, LOG_MIGRATIONS, 'aloft_log_migrations')
  statements.clear()
  const planOf = (sql: string): readonly string[] =>
    raw
      .prepare(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
  return { db, statements, planOf }
}

it('finds every entry by an index and in its order, in every statement of the log store', async (t) => {
  const { db, statements, planOf } = await openRecorded(t)
  const store = createLogStore(db)
  await store.append([
    sampleResponse({ projectId: 'prj_a' }),
    ...Array.from({ length: 20 }, () => sampleLine()),
  ])
  for (const direction of ['forward', 'backward'] as const)
    for (const filter of [{}, range, search])
      for (const builds of [false, true])
        await store.read('dpl_a', { direction, limit: 10, builds, ...filter })
  for (const direction of ['forward', 'backward'] as const)
    for (const filter of [{}, range, projectSearch])
      for (const scope of [{}, { deploymentId: 'dpl_a' }])
        await store.readProject('prj_a', { direction, limit: 10, ...scope, ...filter })
  await store.after('1', 10)
  await store.serialBefore(10, '1')
  await store.rotate(1, 0)
  await store.prune(1, 10)
  await store.deleteOldest(10)
  await store.deleteFor(['dpl_a'])

  assert.ok(statements.size >= 12)
  for (const sql of statements) {
    if (/^(begin|commit)/i.test(sql)) continue
    const plan = planOf(sql)
    assert.deepEqual(
      plan.filter((step) => SLOW.test(step)),
      [],
      `${sql}\n${plan.join('\n')}`,
    )
    if (sql.includes("= 'build'") && /^select/.test(sql))
      assert.ok(
        plan.some((step) => /USING (COVERING )?INDEX log_entries_build/.test(step)),
        `${sql}\n${plan.join('\n')}`,
      )
  }
})

/** Not slow: the paths of one step, or of a time that is shown, of which there are few, put in the order of their requests. */
const SLOW_COUNTS = /^SCAN (?!CONSTANT)|^USE TEMP B-TREE FOR (?!ORDER BY|GROUP BY)/

it('finds counts of visits by their keys, in every statement of the traffic store', async (t) => {
  const { db, statements, planOf } = await openRecorded(t)
  const store = createTrafficStore(db)
  const scope = { projectId: 'prj_a', deploymentId: '' }
  const time = { step: 'hour', from: 0, to: 1 } as const
  const row = { ...scope, step: 'hour', at: 0, target: 'production', tally: createTally() } as const
  await store.add([row, { ...row, path: '/' }])
  await store.read(scope, time)
  await store.read(scope, time, 'preview')
  await store.topPaths(scope, time, 10)
  await store.topPaths(scope, time, 10, 'preview')
  await store.hours(['prj_a', 'prj_b'], 0, 1)
  for (const kind of ['all', 'paths'] as const) {
    await store.rotate(kind, 'hour', 1, 0)
    await store.prune(kind, 'hour', 1, 10)
  }
  await store.deleteFor('prj_a', 'dpl_a')
  await store.deleteFor('prj_a')
  assert.ok(statements.size >= 12)
  for (const sql of statements) {
    if (/^(begin|commit)/i.test(sql)) continue
    const plan = planOf(sql)
    const slow = plan.filter((step) => SLOW_COUNTS.test(step))
    assert.deepEqual(slow, [], `${sql}\n${plan.join('\n')}`)
    if (/^select/.test(sql))
      assert.ok(!plan.includes('USE TEMP B-TREE FOR ORDER BY') || sql.includes('group by'))
  }
})

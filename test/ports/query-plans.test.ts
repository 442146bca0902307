import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { Kysely } from 'kysely'
import { createSqliteDialect } from '#adapters/sql/database/dialect/sqlite-dialect.ts'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import { createZoneSource } from '#adapters/sql/domain/zone-source.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import { migrate } from '#adapters/sql/migrations/migrate.ts'
import { createStores } from '#adapters/sql/stores.ts'
import type { Tables } from '#adapters/sql/tables.ts'
import type { DeploymentFilter } from '#core/deployment/deployment-store.ts'
import { clockOf } from '#test/support/clock.ts'
import { sampleDomain } from '#test/support/samples.ts'
import { callsOn, contentIndexCalls, page, user } from './store-calls.ts'

/**
 * For people who operate the installation, and for a build that tells its place in the queue. There are few to go through:
 * finished jobs are deleted, damage is rare, every ten minutes the keys of all repositories are looked through once, and builds that wait are found by their kind before they are put in order.
 */
const MAY_SCAN = [
  'machines.list',
  'machines.removed',
  'jobs.counts',
  'jobs.queue',
  'files.countDamaged',
  'gitSizes.forgetHeld',
  'contents.bytes',
]

/**
 * Not slow: the few jobs being claimed, a walk along the queue that ends at the first job of a kind, a
 * count that ends at a number, a list that the statement was given, and all of those that an index is made of.
 */
const SLOW =
  /^SCAN (?!due$|few$|CONSTANT|\w+ VIRTUAL TABLE|jobs USING INDEX jobs_due$|deployments USING INDEX deployments_(?:kept|unsettled)$|usage USING COVERING INDEX usage_fresh$|content_objects USING INDEX content_objects_(?:wasteful|removable)$)|TEMP B-TREE/

async function openRecorded(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-plans-'))
  const file = join(folder, 'aloft.db')
  let recorded: string[] = []
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect({ file, onStatement: (sql) => void recorded.push(sql) }),
  })
  await migrate(db as unknown as Kysely<unknown>)
  const raw = new DatabaseSync(file)
  t.after(async () => {
    raw.close()
    await db.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    stores: createStores(db, { clock: clockOf(() => 1), onChanges() {} }),
    contents: createContentIndex(db),
    sites: createSiteSource(db, { domain: 'aloft.test' }),
    zones: createZoneSource(db, { domain: 'aloft.test', nameservers: [], authority: null }),
    async recordedBy(run: () => Promise<unknown>): Promise<string[]> {
      recorded = []
      await run()
      return recorded
    },
    planOf: (sql: string) =>
      raw
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
  }
}

it('finds every row by an index and in its order, in every statement of every store', async (t) => {
  const { stores, contents, recordedBy, planOf } = await openRecorded(t)
  for (const [store, calls] of Object.entries({
    ...callsOn(stores),
    contents: contentIndexCalls(contents),
  }))
    for (const [method, call] of Object.entries(calls)) {
      const statements = await recordedBy(call)
      // A single writer needs no locks.
      assert.equal(statements.length > 0, store !== 'locks')
      if (MAY_SCAN.includes(`${store}.${method}`)) continue
      for (const sql of statements) {
        const plan = planOf(sql)
        const slow = plan.filter((step) => SLOW.test(step))
        assert.deepEqual(slow, [], `${store}.${method}: ${sql}\n${plan.join('\n')}`)
      }
    }
})

it('finds the site of a host by keys alone', async (t) => {
  const { sites, recordedBy, planOf } = await openRecorded(t)
  const statements = await recordedBy(() => sites.find('a.aloft.test'))
  // Who has no site of his own may have one by a name with a star, which is looked for without what it shows.
  assert.equal(statements.length, 2)
  // Of the names of the one deployment, the canonical one is found by sorting them.
  const names = ['CORRELATED SCALAR SUBQUERY 1', 'USE TEMP B-TREE FOR ORDER BY']
  for (const sql of statements)
    for (const step of planOf(sql).filter((each) => !names.includes(each)))
      assert.match(step, /^SEARCH \w+ USING INDEX (?:sqlite_autoindex_|hosts_deployment )/)
})

it('finds the zone of a name by indexes alone', async (t) => {
  const { stores, zones, recordedBy, planOf } = await openRecorded(t)
  await stores.domains.add(sampleDomain({ name: 'example.com', boughtAt: 1 }))
  const statements = await recordedBy(() => zones.find('www.example.com'))
  assert.equal(statements.length, 2)
  for (const sql of statements)
    assert.deepEqual(
      planOf(sql).filter((step) => SLOW.test(step)),
      [],
    )
})

it('walks the newest deployments of a filter along the index made for it', async (t) => {
  const { stores, recordedBy, planOf } = await openRecorded(t)
  const indexOf = async (filter: DeploymentFilter): Promise<string> => {
    const statements = await recordedBy(() => stores.deployments.list(user.id, page, filter))
    const [first = ''] = planOf(statements.at(-1) ?? '')
    return first
  }
  const expected = [
    [{}, 'deployments_owner'],
    [{ app: 'x' }, 'deployments_name'],
    [{ projectId: 'x' }, 'deployments_project'],
    [{ projectId: 'x', states: ['ERROR'], creators: ['y'] }, 'deployments_project_state'],
    [{ projectId: 'x', target: 'staging' }, 'deployments_project_target'],
    [{ projectId: 'x', target: 'preview' }, 'deployments_project_target'],
    [{ app: 'x', states: ['ERROR'], target: 'staging' }, 'deployments_name'],
    [{ creators: ['x'], states: ['READY'] }, 'deployments_creator'],
    [{ target: 'production', states: ['READY'] }, 'deployments_target'],
    [{ states: ['READY'] }, 'deployments_state'],
    [{ meta: { a: '1' }, app: 'x' }, 'PRIMARY KEY'],
    [{ meta: { a: '1', b: '2' }, projectId: 'x', states: ['READY'] }, 'PRIMARY KEY'],
  ] as const
  for (const [filter, index] of expected) {
    const plan = await indexOf(filter)
    assert.match(
      plan,
      new RegExp(`^SEARCH \\w+ USING (INDEX )?${index} \\(owner_id=\\?`),
      JSON.stringify(filter),
    )
    assert.match(plan, /created_at>\? AND created_at<\?\)$/, JSON.stringify(filter))
  }
})

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { HOUR } from '#contract/time.ts'
import { addTally, countVisit, createTally, showTally, type Tally } from '#core/analytics/tally.ts'
import { KEPT_PATHS, type TrafficRow, type TrafficStore } from '#core/analytics/traffic-store.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openLogs } from '#test/support/logs.ts'

const AT = 1_700_000_000_000 - (1_700_000_000_000 % HOUR)

const tallyOf = (requests: number, given: { status?: number; ms?: number } = {}): Tally => {
  const tally = createTally()
  for (let i = 0; i < requests; i++) countVisit(tally, { status: 200, ms: 3, bytes: 10, ...given })
  return tally
}

const row = (requests: number, given: Partial<TrafficRow> = {}): TrafficRow => ({
  projectId: 'prj_a',
  deploymentId: '',
  target: 'production',
  step: 'hour',
  at: AT,
  tally: tallyOf(requests),
  ...given,
})

const scope = { projectId: 'prj_a', deploymentId: '' }
const time = { step: 'hour', from: AT, to: AT + HOUR } as const

async function openTraffic(t: TestContext, open: OpenDatabase) {
  const logs = await openLogs(t, open)
  const again = async () => createTrafficStore((await logs.again()).database.db)
  return { store: createTrafficStore(logs.database.db), again }
}

const requestsOf = async (store: TrafficStore, given: object = {}, target?: 'production' | 'preview') => {
  const rows = await store.read({ ...scope, ...given }, time, target)
  return rows.reduce((sum, { tally }) => sum + showTally(tally).requests, 0)
}

eachDatabase((name, open) =>
  describe(`traffic on ${name}`, () => {
    it('gives every counter back as it was added, and adds to what is there', async (t) => {
      const { store } = await openTraffic(t, open)
      const [first, second] = [createTally(), createTally()].map((tally, which) =>
        tally.map((_, i) => i * 1000 + which),
      ) as [Tally, Tally]
      await store.add([row(0, { tally: first })])
      await store.add([row(0, { tally: second })])
      const [read, ...more] = await store.read(scope, time)
      assert.deepEqual(read, { at: AT, tally: addTally(first.slice(), second) })
      assert.deepEqual(more, [])
    })

    it('adds what comes twice for the same row at once', async (t) => {
      const { store } = await openTraffic(t, open)
      await store.add([
        row(1),
        row(2),
        row(1, { path: '/a' }),
        row(4, { path: '/a' }),
        row(8, { path: '/b' }),
      ])
      assert.equal(await requestsOf(store), 3)
      const top = await store.topPaths(scope, time, 10)
      assert.deepEqual(
        top.map(({ path, tally }) => [path, showTally(tally).requests]),
        [
          ['/b', 8],
          ['/a', 5],
        ],
      )
    })

    it('loses nothing when several processes add to the same rows at once', async (t) => {
      const { store, again } = await openTraffic(t, open)
      const stores = [store, await again(), await again()]
      const paths = ['/a', '/b', '/c'].map((path) => row(1, { path }))
      await Promise.all(
        stores.flatMap((each) => Array.from({ length: 5 }, () => each.add([row(2), ...paths]))),
      )
      assert.equal(await requestsOf(store), 30)
      const top = await store.topPaths(scope, time, 10)
      assert.deepEqual(
        top.map(({ path, tally }) => [path, showTally(tally).requests]),
        [
          ['/a', 15],
          ['/b', 15],
          ['/c', 15],
        ],
      )
    })

    it('tells projects, deployments, targets, steps and times apart', async (t) => {
      const { store } = await openTraffic(t, open)
      await store.add([
        row(1),
        row(2, { target: 'preview' }),
        row(4, { deploymentId: 'dpl_a' }),
        row(8, { projectId: 'prj_b' }),
        row(16, { step: 'minute' }),
        row(32, { at: AT - HOUR }),
        row(64, { at: AT + HOUR }),
      ])
      assert.equal(await requestsOf(store), 3)
      assert.equal(await requestsOf(store, {}, 'production'), 1)
      assert.equal(await requestsOf(store, {}, 'preview'), 2)
      assert.equal(await requestsOf(store, { deploymentId: 'dpl_a' }), 4)
      assert.equal(await requestsOf(store, { projectId: 'prj_b' }), 8)
      const all = await store.read(scope, { step: 'hour', from: 0, to: AT * 2 })
      assert.deepEqual([...new Set(all.map(({ at }) => at))], [AT - HOUR, AT, AT + HOUR])
      const hours = await store.hours(['prj_a', 'prj_b', 'prj_none'], AT, AT + HOUR)
      assert.deepEqual(
        hours.map(({ projectId, at, requests }) => `${projectId} ${at - AT} ${requests}`).sort(),
        ['prj_a 0 1', 'prj_a 0 2', 'prj_b 0 8'],
      )
    })

    it('sums paths up over steps and targets, the busiest first', async (t) => {
      const { store } = await openTraffic(t, open)
      const failed = { tally: tallyOf(3, { status: 502, ms: 1000 }) }
      await store.add([
        row(2, { path: '/a' }),
        row(2, { path: '/b' }),
        row(0, { path: '/b', target: 'preview', ...failed }),
        row(1, { path: '/c', at: AT - HOUR }),
        row(9, { path: '/elsewhere', deploymentId: 'dpl_a' }),
      ])
      const top = await store.topPaths(scope, { ...time, from: AT - HOUR }, 2)
      assert.deepEqual(
        top.map(({ path, tally }) => [path, showTally(tally).requests, showTally(tally).status['5xx']]),
        [
          ['/b', 5, 3],
          ['/a', 2, 0],
        ],
      )
      assert.equal((await store.topPaths(scope, time, 10, 'preview')).length, 1)
    })

    it('keeps the busiest paths of a step, however many there are', async (t) => {
      const { store } = await openTraffic(t, open)
      const path = (i: number) => `/p${String(i).padStart(4, '0')}`
      await store.add([row(5, { path: '/zz-busy' }), row(1, { path: '/other', at: AT - HOUR })])
      for (let i = 0; i < 3; i++)
        await store.add(Array.from({ length: 60 }, (_, n) => row(1, { path: path(i * 60 + n) })))
      const kept = await store.topPaths(scope, time, 1000)
      assert.equal(kept.length, KEPT_PATHS)
      assert.equal(kept[0]?.path, '/zz-busy')
      assert.equal((await store.topPaths(scope, { ...time, from: AT - HOUR, to: AT }, 10)).length, 1)
    })

    it('prunes the steps that began before a time, some at a time', async (t) => {
      const { store } = await openTraffic(t, open)
      await store.add([
        ...[1, 2, 3].map((n) => row(1, { at: AT - n * HOUR })),
        row(1),
        row(1, { step: 'day', at: 0 }),
        row(1, { path: '/', at: AT - HOUR }),
      ])
      assert.equal(await store.prune('all', 'hour', AT, 2), 2)
      assert.equal(await store.prune('all', 'hour', AT, 2), 1)
      assert.equal(await store.prune('all', 'hour', AT, 2), 0)
      assert.equal(await requestsOf(store), 1)
      assert.equal((await store.read(scope, { step: 'day', from: 0, to: 1 })).length, 1)
      assert.equal(await store.prune('paths', 'hour', AT, 2), 1)
    })

    it('deletes a deployment and keeps what its project has, or deletes the project with all of it', async (t) => {
      const { store } = await openTraffic(t, open)
      const ids = ['', 'dpl_a', 'dpl_b']
      await store.add(
        ids.flatMap((deploymentId) => [row(1, { deploymentId }), row(1, { deploymentId, path: '/' })]),
      )
      await store.add([row(1, { projectId: 'prj_b' })])
      await store.deleteFor('prj_a', 'dpl_a')
      const left = async () => [
        ...(await Promise.all(ids.map((deploymentId) => requestsOf(store, { deploymentId })))),
        await requestsOf(store, { projectId: 'prj_b' }),
      ]
      assert.deepEqual(await left(), [1, 0, 1, 1])
      assert.deepEqual(await store.topPaths({ ...scope, deploymentId: 'dpl_a' }, time, 10), [])
      await store.deleteFor('prj_a')
      await store.deleteFor('prj_a')
      assert.deepEqual(await left(), [0, 0, 0, 1])
      assert.deepEqual(await store.topPaths(scope, time, 10), [])
    })
  }),
)

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFsPrerenderCache } from '#adapters/prerender-fs/fs-prerender-cache.ts'
import { createSharedPrerenderCache } from '#adapters/prerender-shared/shared-prerender-cache.ts'
import { untilBlocked } from '#test/support/blocked.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { quickFolder } from '#test/support/storage/quick-folder.ts'

eachDatabase((name, open) => {
  test(`${name}: of what names the same tag the latest counts, of each kind`, async (t) => {
    const { revalidations, deployments } = (await openStores(t, open)).stores
    for (const id of ['dpl_1', 'dpl_2'])
      await deployments.insert(sampleDeployment({ id }), { manifest: [], sealedEnv: '' })
    await revalidations.add('dpl_1', { tags: ['a', 'b', 'a'], at: 5 })
    await revalidations.add('dpl_1', { tags: ['a'], at: 3 })
    await revalidations.add('dpl_1', { tags: ['b'], at: 7, expire: 60 })
    await revalidations.add('dpl_1', { tags: [], at: 8 })
    await revalidations.add('dpl_2', { tags: ['a'], at: 9 })
    const all = (await revalidations.of('dpl_1')).toSorted(
      (x, y) => x.at - y.at || `${x.tags}`.localeCompare(`${y.tags}`),
    )
    assert.deepEqual(all, [
      { tags: ['a'], at: 5 },
      { tags: ['b'], at: 5 },
      { tags: ['b'], at: 7, expire: 60 },
    ])
    await revalidations.forget('dpl_1')
    assert.deepEqual(await revalidations.of('dpl_1'), [])
    assert.equal((await revalidations.of('dpl_2')).length, 1)
  })

  test(`${name}: what is revalidated on one machine is revalidated on all`, async (t) => {
    const { stores, clock } = await openStores(t, open)
    await stores.deployments.insert(sampleDeployment({ id: 'dpl_1' }), { manifest: [], sealedEnv: '' })
    const root = await mkdtemp(join(quickFolder, 'aloft-prerender-'))
    t.after(() => rm(root, { recursive: true, force: true }))
    const machine = (folder: string, store = stores.revalidations) =>
      createSharedPrerenderCache(
        createFsPrerenderCache({ folder: join(root, folder), budgetBytes: 1e7, clock, log: silentLog }),
        { store, clock, log: silentLog },
      )
    const [one, two] = [machine('one'), machine('two')]
    await one.revalidate('dpl_1', { tags: ['a'], at: 5 })
    await two.revalidate('dpl_1', { tags: ['b'], at: 6, expire: 60 })
    for (const each of [one, two]) {
      const tags = await each.revalidations('dpl_1')
      assert.deepEqual([...tags.times()].toSorted(), [
        ['a', 5],
        ['b', 6],
      ])
    }
    // Without the database a machine still knows what it was told itself.
    const away = async () => {
      throw new Error('the database is away')
    }
    const alone = machine('two', { add: away, of: away, join: away, forget: away })
    assert.deepEqual([...(await alone.revalidations('dpl_1')).times()], [['b', 6]])
    await one.forget('dpl_1')
    assert.equal((await one.revalidations('dpl_1')).size, 0)
  })

  test(`${name}: of two who put all tags together at once, the later time counts`, async (t) => {
    const opened = await openStores(t, open)
    const { revalidations, deployments } = opened.stores
    await deployments.insert(sampleDeployment({ id: 'dpl_1' }), { manifest: [], sealedEnv: '' })
    const other = await opened.again()
    let later: Promise<void> = Promise.resolve()
    await opened.transact(async (stores) => {
      await stores.revalidations.join('dpl_1', 100)
      later = other.stores.revalidations.join('dpl_1', 120)
      await untilBlocked(opened, later)
    })
    await later
    await revalidations.join('dpl_1', 110)
    assert.deepEqual(await revalidations.of('dpl_1'), [{ tags: ['*'], at: 120 }])
  })

  test(`${name}: very many tags are put together into one`, async (t) => {
    const { stores, clock } = await openStores(t, open)
    await stores.deployments.insert(sampleDeployment({ id: 'dpl_1' }), { manifest: [], sealedEnv: '' })
    const folder = await mkdtemp(join(quickFolder, 'aloft-prerender-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const local = createFsPrerenderCache({ folder, budgetBytes: 1e7, clock, log: silentLog })
    const cache = createSharedPrerenderCache(local, { store: stores.revalidations, clock, log: silentLog })
    for (let n = 0; n < 5; n++)
      await stores.revalidations.add('dpl_1', {
        tags: Array.from({ length: 500 }, (_, i) => `${n}.${i}`),
        at: n + 1,
      })
    assert.equal((await cache.revalidations('dpl_1')).stateOf(['0.0'], 1, 10).kind, 'expired')
    assert.deepEqual(await stores.revalidations.of('dpl_1'), [{ tags: ['*'], at: 5 }])
  })
})

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { createFsPrerenderCache } from '#adapters/prerender-fs/fs-prerender-cache.ts'
import { createSharedPages } from '#adapters/prerender-shared/shared-pages.ts'
import { createSharedPrerenderCache } from '#adapters/prerender-shared/shared-prerender-cache.ts'
import { HOUR } from '#contract/time.ts'
import type { PrerenderCache, PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'
import { RevalidatedTags } from '#core/site/revalidation.ts'
import { untilBlocked } from '#test/support/blocked.ts'
import { clockOf } from '#test/support/clock.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { quickFolder } from '#test/support/storage/quick-folder.ts'

const KEY = { deploymentId: 'dpl_1', path: 'index', query: 'a=1' }
const START = 1_000_000

const pageOf = (text: string, generatedAt: number, expiration: number | false = 60): PrerenderEntry => ({
  ...{ status: 200, headers: ['content-type', 'text/html'], body: Buffer.from(text) },
  ...{ generatedAt, expiration },
})
const textAt = async (machine: PrerenderCache, key: PrerenderKey = KEY) =>
  (await machine.get(key))?.body.toString()

/** Machines with disks of their own, one database and one store of contents. */
async function machines(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { stores } = opened
  await stores.deployments.insert(sampleDeployment({ id: KEY.deploymentId }), { manifest: [], sealedEnv: '' })
  const now = { ms: START }
  const clock = clockOf(() => now.ms)
  const root = await mkdtemp(join(quickFolder, 'aloft-pages-'))
  const blobs = await createFsBlobStore({ folder: join(root, 'blobs'), clock, log: silentLog })
  t.after(async () => {
    await blobs.close()
    await rm(root, { recursive: true, force: true })
  })
  const given: Promise<void>[] = []
  const machine = (name: string): PrerenderCache => {
    const local = createFsPrerenderCache({
      folder: join(root, name),
      budgetBytes: 1e7,
      clock,
      log: silentLog,
    })
    const pages = createSharedPages({ things: stores.sharedThings, blobs, clock })
    const give: typeof pages.give = (key, entry) => {
      const work = pages.give(key, entry)
      given.push(work)
      return work
    }
    const shared = { store: stores.revalidations, clock, log: silentLog, pages: { ...pages, give } }
    return createSharedPrerenderCache(local, shared)
  }
  const settled = () => Promise.all(given)
  return { opened, stores, now, settled, one: machine('one'), two: machine('two') }
}

eachDatabase((name, open) => {
  test(`${name}: however many pages visitors ask for, only the newest of a deployment are shared`, async (t) => {
    const { stores, now } = await machines(t, open)
    const blobs = { read: async () => undefined, putBytes: async () => ({ sha256: 'a', sha1: 'b', size: 1 }) }
    const clock = clockOf(() => now.ms)
    const pages = createSharedPages({
      things: stores.sharedThings,
      blobs,
      clock,
      most: { count: 50, bytes: 1e9 },
    })
    for (let n = 0; n < 301; n++) {
      now.ms += 1000
      await pages.give({ ...KEY, query: `n=${n}` }, pageOf('page', now.ms))
    }
    assert.equal((await stores.sharedThings.names('page of dpl_1')).length, 50)
  })

  test(`${name}: however large the pages of a deployment are, the newest that there is room for are shared`, async (t) => {
    const { stores, now } = await machines(t, open)
    const kept: number[] = []
    const blobs = {
      read: async () => undefined,
      async putBytes(bytes: Buffer) {
        kept.push(bytes.length)
        return { sha256: `${kept.length}`, sha1: 'b', size: bytes.length }
      },
    }
    const clock = clockOf(() => now.ms)
    const pages = createSharedPages({ things: stores.sharedThings, blobs, clock })
    const give = async (n: number) => {
      now.ms += 1000
      await pages.give({ ...KEY, query: `n=${n}` }, pageOf('x'.repeat(1_900_000), now.ms))
    }
    for (let n = 0; n < 50; n++) await give(n)
    const there = await stores.sharedThings.names('page of dpl_1')
    assert.ok(there.length <= 20, `${there.length} pages are kept`)
    assert.equal(kept.length, 35, 'what is given in an hour has an end')
    now.ms += HOUR
    await give(50)
    assert.equal(kept.length, 36)
  })

  test(`${name}: a page that one machine has made is not made by the others`, async (t) => {
    const { one, two, settled } = await machines(t, open)
    await one.put(KEY, pageOf('first', START))
    await settled()
    assert.deepEqual(await two.get(KEY), pageOf('first', START))
    assert.equal(await textAt(two, { ...KEY, query: 'a=2' }), undefined)
  })

  test(`${name}: a page that has become old here is looked for elsewhere`, async (t) => {
    const { one, two, now, settled } = await machines(t, open)
    for (const machine of [one, two]) await machine.put(KEY, pageOf('old', START))
    await settled()
    now.ms += 30_000
    await one.put(KEY, pageOf('new', now.ms))
    await settled()
    assert.equal(await textAt(two), 'old', 'while it is fresh nobody is asked')
    now.ms += 40_000
    assert.equal(await textAt(two), 'new')
    now.ms += 60_000
    assert.equal(await textAt(two), 'new', 'there is none that is newer')
  })

  test(`${name}: what is old because another page is new stays so`, async (t) => {
    const { one, two, settled } = await machines(t, open)
    await one.put(KEY, pageOf('fresh elsewhere', START))
    await settled()
    await two.put(KEY, pageOf('old on purpose', 0, 0))
    await settled()
    assert.equal(await textAt(two), 'old on purpose')
  })

  test(`${name}: what is fresh for moments is not shared, and nothing of a deployment that is gone`, async (t) => {
    const { stores, one, two, settled } = await machines(t, open)
    const brief = { ...KEY, path: 'brief' }
    await one.put(brief, pageOf('brief', START, 5))
    await one.put(KEY, pageOf('for good', START, false))
    await settled()
    assert.equal(await textAt(two, brief), undefined)
    await one.forget(KEY.deploymentId)
    assert.equal(await textAt(two), undefined)
    assert.deepEqual(await stores.sharedThings.names('page of dpl_1'), [])
  })

  test(`${name}: a deployment that is deleted takes its pages along, and none is given afterwards`, async (t) => {
    const { stores, one, settled } = await machines(t, open)
    await one.put(KEY, pageOf('before', START))
    await one.revalidate(KEY.deploymentId, { tags: ['a'], at: 5 })
    await settled()
    await stores.deployments.delete(KEY.deploymentId, START)
    await one.put(KEY, pageOf('afterwards', START + 1))
    await one.revalidate(KEY.deploymentId, { tags: ['a'], at: 6 })
    await settled()
    assert.deepEqual(await stores.sharedThings.names('page of dpl_1'), [])
    assert.deepEqual(await stores.revalidations.of(KEY.deploymentId), [])
  })

  test(`${name}: a page that is given while its deployment is being deleted does not stay`, async (t) => {
    const { opened, stores, one, settled } = await machines(t, open)
    await opened.transact(async ({ deployments }) => {
      await deployments.delete(KEY.deploymentId, START)
      await one.put(KEY, pageOf('meanwhile', START))
      await untilBlocked(opened, settled())
    })
    await settled()
    assert.deepEqual(await stores.sharedThings.names('page of dpl_1'), [])
  })
})

test('no machine knows of a revalidation before all can, and it counts on its own where the others cannot', async (t) => {
  const folder = await mkdtemp(join(quickFolder, 'aloft-pages-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const clock = clockOf(() => START)
  const local = createFsPrerenderCache({ folder, budgetBytes: 1e7, clock, log: silentLog })
  const written = Promise.withResolvers<void>()
  const nothing = async () => {}
  const cache = createSharedPrerenderCache(local, {
    ...{ clock, log: silentLog },
    store: { add: () => written.promise, of: async () => [], join: nothing, forget: nothing },
  })
  const known = async () => (await cache.revalidations(KEY.deploymentId)).size
  const revalidating = cache.revalidate(KEY.deploymentId, { tags: ['a'], at: START })
  assert.equal(await known(), 0)
  written.reject(new Error('the database is away'))
  await assert.rejects(revalidating, /the database is away/)
  assert.equal(await known(), 1)
})

test('everybody is told of a revalidation as soon as it is there for all, however long the disk of one machine takes', async () => {
  const steps: string[] = []
  const disk = Promise.withResolvers<void>()
  const nothing = async () => {}
  const cache = createSharedPrerenderCache(
    {
      ...{ get: async () => undefined, put: nothing, forget: nothing },
      revalidations: async () => new RevalidatedTags(),
      async revalidate(_id, _revalidation, tell) {
        await disk.promise
        steps.push('on the disk')
        tell?.()
      },
    },
    {
      ...{ clock: clockOf(() => START), log: silentLog },
      store: {
        ...{ of: async () => [], join: nothing, forget: nothing },
        async add() {
          steps.push('in the database')
        },
      },
    },
  )
  const told = Promise.withResolvers<void>()
  const revalidating = cache.revalidate(KEY.deploymentId, { tags: ['a'], at: START }, () => {
    steps.push('told')
    told.resolve()
  })
  await told.promise
  disk.resolve()
  await revalidating
  assert.deepEqual(steps, ['in the database', 'told', 'on the disk'])
})

test('a page is made here where others cannot be asked', async (t) => {
  const folder = await mkdtemp(join(quickFolder, 'aloft-pages-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const clock = clockOf(() => START)
  const local = createFsPrerenderCache({ folder, budgetBytes: 1e7, clock, log: silentLog })
  const away = async () => {
    throw new Error('the database is away')
  }
  for (const find of [away, () => new Promise<undefined>(() => {})]) {
    const cache = createSharedPrerenderCache(local, {
      ...{ clock, log: silentLog },
      store: { add: away, of: away, join: away, forget: away },
      pages: { find, give: away, forget: away },
    })
    assert.equal(await cache.get(KEY), undefined)
  }
})

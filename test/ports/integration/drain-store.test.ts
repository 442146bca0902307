import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleApplication, sampleDrain, sampleInstallation } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`drains on ${name}`, () => {
    it('keeps drains by account, newest first', async (t) => {
      const { drains } = (await openStores(t, open)).stores
      const older = sampleDrain({ ownerId: 'a', createdAt: 1, samplingRate: 0.5 })
      const newer = sampleDrain({ ownerId: 'a', createdAt: 2, projectIds: ['prj_1'], sources: ['build'] })
      const foreign = sampleDrain({ ownerId: 'b' })
      for (const drain of [older, newer, foreign]) await drains.add(drain, '1')
      assert.deepEqual(await drains.list('a'), [newer, older])
      assert.deepEqual(await drains.find('a', older.id), older)
      assert.equal(await drains.find('a', foreign.id), undefined)
      assert.equal(await drains.update(older.id, { status: 'errored', failingSince: 5 }), true)
      assert.deepEqual(await drains.find('a', older.id), { ...older, status: 'errored', failingSince: 5 })
      assert.equal(await drains.update('unknown', { failingSince: 5 }), false)
      assert.equal(await drains.remove('a', foreign.id), false)
      assert.equal(await drains.remove('a', older.id), true)
      assert.deepEqual(await drains.list('a'), [newer])
    })

    it('leases each to one worker, until the lease runs out or is let go', async (t) => {
      const { drains } = (await openStores(t, open)).stores
      assert.deepEqual(await drains.claim('one', 100, 200), [])
      const [drain, errored] = [sampleDrain(), sampleDrain({ status: 'errored' })]
      const position = '1700000000000999999'
      for (const it of [drain, errored]) await drains.add(it, position)
      const claimed = [{ drain, position, gap: null }]
      assert.deepEqual(await drains.claim('one', 100, 200), claimed)
      assert.deepEqual(await drains.claim('two', 150, 250), [])
      assert.deepEqual(await drains.claim('one', 150, 250), claimed)
      assert.equal(await drains.save(drain.id, 'two', { position: '7', gap: null }), false)
      const progress = { position: '1700000000001000000', gap: { from: 1, to: 2 } }
      assert.equal(await drains.save(drain.id, 'one', progress), true)
      assert.deepEqual(await drains.claim('two', 250, 350), [{ drain, ...progress }])
      assert.equal(await drains.save(drain.id, 'one', { position: '7', gap: null }), false)
      await drains.release('one')
      assert.deepEqual(await drains.claim('one', 260, 350), [])
      await drains.release('two')
      assert.deepEqual(await drains.claim('one', 260, 350), [{ drain, ...progress }])
    })

    it('gives each to one of several workers that ask at once', async (t) => {
      const first = await openStores(t, open)
      const all = Array.from({ length: 8 }, () => sampleDrain())
      for (const drain of all) await first.stores.drains.add(drain, '1')
      const others = [first, await first.again(), await first.again()]
      const claims = await Promise.all(
        others.map(({ stores }, i) => stores.drains.claim(`worker ${i}`, 100, 200)),
      )
      const ids = claims.flat().map(({ drain }) => drain.id)
      assert.deepEqual(ids.toSorted(), all.map(({ id }) => id).toSorted())
    })

    it('is given up by one of several who do so at once', async (t) => {
      const first = await openStores(t, open)
      const drain = sampleDrain({ ownerId: 'a' })
      await first.stores.drains.add(drain, '1')
      const all = [first, await first.again(), await first.again()]
      const given = await Promise.all(all.map(({ stores }) => stores.drains.giveUp(drain.id)))
      assert.equal(given.filter(Boolean).length, 1)
      assert.equal((await first.stores.drains.find('a', drain.id))?.status, 'errored')
      assert.equal(await first.stores.drains.giveUp('unknown'), false)
    })

    it('forgets a drain with the installation that it belongs to', async (t) => {
      const { applications, installations, drains } = (await openStores(t, open)).stores
      const application = sampleApplication()
      const installation = sampleInstallation({ applicationId: application.id, ownerId: 'a' })
      await applications.add(application)
      await installations.add(installation)
      const drain = sampleDrain({ ownerId: 'a', installationId: installation.id })
      await drains.add(drain, '1')
      assert.deepEqual(await drains.list('a'), [drain])
      await installations.remove(installation.id)
      assert.deepEqual(await drains.list('a'), [])
      assert.deepEqual(await drains.claim('one', 100, 200), [])
    })
  }),
)

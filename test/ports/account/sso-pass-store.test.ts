import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'

const pass = { hash: 'h', host: 'a.aloft.test', userId: 'u', expiresAt: 20 }

eachDatabase((name, open) =>
  describe(`passes into guarded sites on ${name}`, () => {
    it('gives a pass out for its host, in its time', async (t) => {
      const { ssoPasses } = (await openStores(t, open)).stores
      await ssoPasses.add(pass)
      assert.equal(await ssoPasses.take('other', pass.host, 10), undefined)
      assert.equal(await ssoPasses.take(pass.hash, 'b.aloft.test', 10), undefined)
      assert.equal(await ssoPasses.take(pass.hash, pass.host, 20), undefined)
      assert.deepEqual(await ssoPasses.take(pass.hash, pass.host, 19), pass)
      assert.equal(await ssoPasses.take(pass.hash, pass.host, 19), undefined)
    })

    it('gives a pass to one taker only', async (t) => {
      const { stores, again } = await openStores(t, open)
      const { stores: elsewhere } = await again()
      await stores.ssoPasses.add(pass)
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? stores : elsewhere).ssoPasses.take(pass.hash, pass.host, 10),
        ),
      )
      assert.deepEqual(taken.filter(Boolean), [pass])
    })

    it('forgets what has expired', async (t) => {
      const { stores, database } = await openStores(t, open)
      for (const expiresAt of [10, 20, 30])
        await stores.ssoPasses.add({ ...pass, hash: `${expiresAt}`, expiresAt })
      await stores.ssoPasses.prune(20)
      const left = await database.db.selectFrom('sso_passes').select('hash').execute()
      assert.deepEqual(left, [{ hash: '30' }])
    })
  }),
)

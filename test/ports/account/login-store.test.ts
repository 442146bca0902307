import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleLogin } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`login requests on ${name}`, () => {
    it("finds a request by the poller's hash and by the link's, never by the other", async (t) => {
      const { logins } = (await openStores(t, open)).stores
      const login = sampleLogin()
      await logins.insert(login, { poll: 'p', link: 'l' })
      assert.deepEqual(await logins.byPoll('p'), login)
      assert.deepEqual(await logins.byLink('l'), login)
      assert.equal(await logins.byPoll('l'), undefined)
      assert.equal(await logins.byLink('p'), undefined)
    })

    it('keeps the time of the first acceptance', async (t) => {
      const { logins } = (await openStores(t, open)).stores
      const login = sampleLogin()
      await logins.insert(login, { poll: 'p', link: 'l' })
      await logins.accept(login.id, 5)
      await logins.accept(login.id, 6)
      assert.deepEqual(await logins.byPoll('p'), { ...login, acceptedAt: 5 })
    })

    it('is taken by one caller only', async (t) => {
      const { stores, transact, again } = await openStores(t, open)
      const { transact: elsewhere } = await again()
      const login = sampleLogin()
      await stores.logins.insert(login, { poll: 'p', link: 'l' })
      const told = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? transact : elsewhere)(({ logins }) => logins.take(login.id)),
        ),
      )
      assert.equal(told.filter(Boolean).length, 1)
      assert.equal(await stores.logins.byPoll('p'), undefined)
    })

    it('forgets what expired before the given time', async (t) => {
      const { logins } = (await openStores(t, open)).stores
      for (const expiresAt of [10, 20, 30])
        await logins.insert(sampleLogin({ expiresAt }), { poll: `p${expiresAt}`, link: `l${expiresAt}` })
      assert.equal(await logins.deleteExpired(20), 1)
      assert.equal(await logins.byPoll('p10'), undefined)
      assert.equal((await logins.byPoll('p20'))?.expiresAt, 20)
      assert.equal(await logins.deleteExpired(100), 2)
    })
  }),
)

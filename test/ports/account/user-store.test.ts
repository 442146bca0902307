import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleTeam, sampleUser } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`users on ${name}`, () => {
    it('finds a user by id, address and username, as it was stored', async (t) => {
      const { users } = (await openStores(t, open)).stores
      const user = sampleUser({
        name: 'Zoë',
        avatar: 'a'.repeat(40),
        plan: 'pro',
        operator: true,
        softBlocked: true,
      })
      assert.equal(await users.insert(user), true)
      assert.deepEqual(await users.byId(user.id), user)
      assert.deepEqual(await users.byEmail(user.email), user)
      assert.deepEqual(await users.byUsername(user.username), user)
    })

    it('finds nothing where there is nothing', async (t) => {
      const { users } = (await openStores(t, open)).stores
      assert.equal(await users.byId('x'), undefined)
      assert.equal(await users.byEmail('x@aloft.test'), undefined)
      assert.equal(await users.byUsername('x'), undefined)
    })

    it('refuses a taken address and leaves the name free', async (t) => {
      const { users } = (await openStores(t, open)).stores
      const user = sampleUser()
      await users.insert(user)
      const rival = sampleUser({ email: user.email, username: 'wanted' })
      assert.equal(await users.insert(rival), false)
      assert.equal(await users.byId(rival.id), undefined)
      assert.equal(await users.insert(sampleUser({ username: 'wanted' })), true)
    })

    it('refuses a name that a user or a team has, and stores nothing', async (t) => {
      const { users, teams } = (await openStores(t, open)).stores
      const user = sampleUser({ username: 'anna' })
      await users.insert(user)
      await teams.insert(sampleTeam({ creatorId: user.id, slug: 'crew' }), user.id)
      for (const username of ['anna', 'crew']) {
        const rival = sampleUser({ username })
        assert.equal(await users.insert(rival), false)
        assert.equal(await users.byEmail(rival.email), undefined)
      }
      assert.deepEqual(await users.byUsername('anna'), user)
    })

    it('lets a transaction go on after a refusal', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const user = sampleUser({ username: 'anna' })
      await stores.users.insert(user)
      const second = sampleUser({ username: 'anna-2' })
      await transact(async ({ users }) => {
        assert.equal(await users.insert({ ...second, username: 'anna' }), false)
        assert.equal(await users.insert({ ...second, email: user.email }), false)
        assert.equal(await users.insert(second), true)
      })
      assert.deepEqual(await stores.users.byUsername('anna-2'), second)
    })

    it('lets one of many that race for a name have it', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again(), await first.again()]
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          (all[i % 3] ?? first).transact(({ users }) => users.insert(sampleUser({ username: 'anna' }))),
        ),
      )
      assert.equal(made.filter(Boolean).length, 1)
    })

    it('changes what it is told to and answers the user', async (t) => {
      const { users } = (await openStores(t, open)).stores
      const user = sampleUser()
      await users.insert(user)
      assert.deepEqual(await users.update(user.id, { plan: 'enterprise' }), { ...user, plan: 'enterprise' })
      const changed = { ...user, plan: 'enterprise', softBlocked: true, operator: true }
      assert.deepEqual(await users.update(user.id, { softBlocked: true, operator: true }), changed)
      assert.deepEqual(await users.byId(user.id), changed)
    })

    it('takes a change of nothing, and a change of nobody', async (t) => {
      const { users } = (await openStores(t, open)).stores
      const user = sampleUser()
      await users.insert(user)
      assert.deepEqual(await users.update(user.id, {}), user)
      assert.equal(await users.update('nobody', {}), undefined)
      assert.equal(await users.update('nobody', { plan: 'pro' }), undefined)
    })

    it('knows whether anybody operates the installation', async (t) => {
      const { users } = (await openStores(t, open)).stores
      const user = sampleUser()
      await users.insert(user)
      assert.equal(await users.hasOperator(), false)
      await users.update(user.id, { operator: true })
      assert.equal(await users.hasOperator(), true)
    })
  }),
)

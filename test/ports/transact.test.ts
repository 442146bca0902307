import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleToken, sampleUser } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`transactions on ${name}`, () => {
    it('answers what the work answered, and keeps it all', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const answer = await transact(async ({ settings, users }) => {
        await settings.set('a', '1')
        return users.insert(sampleUser({ username: 'anna' }))
      })
      assert.equal(answer, true)
      assert.equal(await stores.settings.get('a'), '1')
      assert.equal((await stores.users.byUsername('anna'))?.username, 'anna')
    })

    it('keeps nothing when the work fails, and passes its error on', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const error = new Error('no')
      const failed = transact(async ({ settings, users }) => {
        await settings.set('a', '1')
        await users.insert(sampleUser({ username: 'anna' }))
        throw error
      })
      await assert.rejects(failed, error)
      assert.equal(await stores.settings.get('a'), undefined)
      assert.equal(await stores.users.byUsername('anna'), undefined)
      assert.equal(await stores.users.insert(sampleUser({ username: 'anna' })), true)
    })

    it('never resolves for work that went on after a statement failed, unless all of it is kept', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const user = sampleUser()
      await stores.users.insert(user)
      const token = sampleToken({ userId: user.id })
      await stores.tokens.insert(token, 'hash')
      const resolved = await transact(async ({ settings, tokens }) => {
        await settings.set('a', '1')
        await assert.rejects(tokens.insert(token, 'hash'))
      }).then(
        () => true,
        () => false,
      )
      assert.equal(await stores.settings.get('a'), resolved ? '1' : undefined)
    })

    it('sees its own writes, which others do not see before the end', async (t) => {
      const { stores, transact, again } = await openStores(t, open)
      const other = await again()
      await transact(async ({ settings }) => {
        await settings.set('a', '1')
        assert.equal(await settings.get('a'), '1')
        assert.equal(await stores.settings.get('a'), undefined)
        assert.equal(await other.stores.settings.get('a'), undefined)
      })
      assert.equal(await stores.settings.get('a'), '1')
      assert.equal(await other.stores.settings.get('a'), '1')
    })

    it('does not lose an update among many that read, lock and write', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again(), await first.again()]
      await first.stores.settings.set('lock', '0')
      await first.stores.settings.set('count', '0')
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          (all[i % 3] ?? first).transact(async ({ settings }) => {
            await settings.set('lock', `${i}`)
            const count = Number(await settings.get('count'))
            await new Promise(setImmediate)
            await settings.set('count', `${count + 1}`)
          }),
        ),
      )
      assert.equal(await first.stores.settings.get('count'), '30')
    })

    it('refuses stores that are used after their transaction ended', async (t) => {
      const { transact, stores } = await openStores(t, open)
      const { settings } = await transact(async (inTx) => inTx)
      await assert.rejects(settings.set('a', '1'))
      assert.equal(await stores.settings.get('a'), undefined)
    })

    it('does the work again when the database undid it to end a deadlock', async (t) => {
      const { transact, stores, again } = await openStores(t, open)
      const other = await again()
      let runs = 0
      let met = 0
      const both = Promise.withResolvers<void>()
      const crosswise = (run: typeof transact, first: string, second: string) =>
        run(async ({ settings }) => {
          const written = `${first} and then ${second}`
          runs++
          await settings.set(written, 'done')
          await settings.set(first, written)
          // On the embedded database the second one only begins when the first has ended.
          if (++met === 2 || name === 'SQLite') both.resolve()
          await both.promise
          await settings.set(second, written)
        })
      await Promise.all([crosswise(transact, 'a', 'b'), crosswise(other.transact, 'b', 'a')])
      for (const written of ['a and then b', 'b and then a'])
        assert.equal(await stores.settings.get(written), 'done')
      // Both keys are of the one that was the last.
      assert.equal(await stores.settings.get('a'), await stores.settings.get('b'))
      // Whoever does it again early may stand in the way of the other once more.
      if (name === 'SQLite') assert.equal(runs, 2)
      else assert.ok(runs > 2)
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'

eachDatabase((name, open) =>
  describe(`locks on ${name}`, () => {
    it('let one transaction after the other count and add, in this process and in another', async (t) => {
      const first = await openStores(t, open)
      const second = await first.again()
      const add = ({ transact }: typeof first) =>
        transact(async ({ locks, settings }) => {
          await locks.take('count', 'an-account')
          const count = Number((await settings.get('count')) ?? 0)
          await settings.set('count', String(count + 1))
        })
      await Promise.all([first, second, first, second, first, second].map(add))
      assert.equal(await first.stores.settings.get('count'), '6')
    })
  }),
)

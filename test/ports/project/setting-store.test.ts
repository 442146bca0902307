import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'

eachDatabase((name, open) =>
  describe(`settings on ${name}`, () => {
    it('keeps the last value that was set', async (t) => {
      const { settings } = (await openStores(t, open)).stores
      assert.equal(await settings.get('a'), undefined)
      await settings.set('a', 'one')
      await settings.set('a', 'two')
      assert.equal(await settings.get('a'), 'two')
    })

    it('lets processes that race for a first value agree', async (t) => {
      const first = await openStores(t, open)
      const others = await Promise.all(Array.from({ length: 4 }, () => first.again()))
      const values = await Promise.all(
        others.flatMap(({ stores }, i) => [
          stores.settings.ensure('key', `${i}`),
          stores.settings.ensure('key', `${i}, again`),
        ]),
      )
      assert.equal(new Set(values).size, 1)
      assert.equal(await first.stores.settings.get('key'), values[0])
    })

    it('gives a value away once, and only for exactly what it is', async (t) => {
      const { stores, again } = await openStores(t, open)
      const other = await again()
      await stores.settings.set('link', 'secret')
      assert.equal(await stores.settings.take('link', 'guess'), false)
      assert.equal(await stores.settings.get('link'), 'secret')
      const told = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? stores : other.stores).settings.take('link', 'secret')),
      )
      assert.equal(told.filter(Boolean).length, 1)
      assert.equal(await stores.settings.get('link'), undefined)
    })

    it('refuses text that only one of the databases could keep', async (t) => {
      const { settings } = (await openStores(t, open)).stores
      await assert.rejects(settings.set('a', 'b\0c'), { kind: 'bad_request' })
      await assert.rejects(settings.get('\0'), { kind: 'bad_request' })
    })
  }),
)

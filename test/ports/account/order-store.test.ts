import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Order } from '#core/registrar/order.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleOrder } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`orders on ${name}`, () => {
    it('lets a name have one order that is not done, whoever asks', async (t) => {
      const { orders } = (await openStores(t, open)).stores
      const first = sampleOrder({ ownerId: 'anna' })
      const second = sampleOrder({ ownerId: 'bert' })
      assert.deepEqual(await orders.begin(first), first)
      assert.deepEqual(await orders.begin(second), first)
      assert.deepEqual(await orders.find(first.name), first)
      assert.equal(await orders.update(first.name, first.key, { state: 'done', expiresAt: 5 }), true)
      assert.deepEqual(await orders.begin(second), second)
    })

    it('lets a state only go on, and an order that is paid stay', async (t) => {
      const { orders } = (await openStores(t, open)).stores
      const order = sampleOrder()
      await orders.begin(order)
      const become = (state: Order['state']) => orders.update(order.name, order.key, { state })
      assert.deepEqual([await become('paid'), await become('paid')], [true, false])
      await orders.cancel(order.name, order.key)
      assert.equal((await orders.find(order.name))?.state, 'paid')
      assert.deepEqual([await become('done'), await become('paid')], [true, false])
    })

    it('gives a name to one of many that order it at once', async (t) => {
      const { stores, again } = await openStores(t, open)
      const elsewhere = (await again()).stores
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? stores : elsewhere).orders.begin(sampleOrder())),
      )
      assert.equal(new Set(answers.map(({ key }) => key)).size, 1)
    })

    it('changes and forgets an order by its key alone', async (t) => {
      const { orders } = (await openStores(t, open)).stores
      const order = sampleOrder()
      await orders.begin(order)
      assert.equal(await orders.update(order.name, 'another', { state: 'done' }), false)
      await orders.cancel(order.name, 'another')
      assert.deepEqual(await orders.find(order.name), order)
      await orders.cancel(order.name, order.key)
      assert.equal(await orders.find(order.name), undefined)
      assert.equal(await orders.update(order.name, order.key, { state: 'done' }), false)
    })

    it('lists those in a state, the oldest first', async (t) => {
      const { orders } = (await openStores(t, open)).stores
      for (const [i, state] of (['paid', 'pending', 'paid', 'paid'] as const).entries())
        await orders.begin(sampleOrder({ name: `${i}.test`, state, createdAt: 10 - i }))
      const found = await orders.inState('paid', 10, 2)
      assert.deepEqual(
        found.map((order) => order.name),
        ['3.test', '2.test'],
      )
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDelivery, sampleWebhook } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`webhooks on ${name}`, () => {
    it('keeps webhooks by account, newest first', async (t) => {
      const { webhooks } = (await openStores(t, open)).stores
      const [older, newer] = [
        sampleWebhook({ ownerId: 'a', createdAt: 1 }),
        sampleWebhook({ ownerId: 'a', createdAt: 2, projectIds: ['prj_1'] }),
      ]
      const foreign = sampleWebhook({ ownerId: 'b' })
      for (const webhook of [older, newer, foreign]) await webhooks.add(webhook)
      assert.deepEqual(await webhooks.list('a'), [newer, older])
      assert.deepEqual(await webhooks.find('a', older.id), older)
      assert.equal(await webhooks.find('a', foreign.id), undefined)
      assert.equal(await webhooks.update(older.id, { disabledAt: 5, failingSince: 4 }), true)
      assert.deepEqual(await webhooks.byId(older.id), { ...older, disabledAt: 5, failingSince: 4 })
      assert.equal(await webhooks.update('unknown', { disabledAt: 5 }), false)
      assert.equal(await webhooks.remove('a', foreign.id), false)
      assert.equal(await webhooks.remove('a', older.id), true)
      assert.deepEqual(await webhooks.list('a'), [newer])
    })

    it('remembers what was sent and what came of it, and forgets it with the webhook', async (t) => {
      const { webhooks, deliveries } = (await openStores(t, open)).stores
      const webhook = sampleWebhook({ ownerId: 'c' })
      await webhooks.add(webhook)
      const target = { kind: 'webhook', id: webhook.id } as const
      const [first, second] = [
        sampleDelivery({ target, createdAt: 10 }),
        sampleDelivery({ target, createdAt: 20 }),
      ]
      for (const delivery of [first, second]) await deliveries.add(delivery)
      const attempt = { at: 11, ms: 3, status: 500, answer: 'no' }
      await deliveries.attempted(first.id, attempt, 'waiting')
      await deliveries.attempted(first.id, { ...attempt, at: 12, status: 200 }, 'delivered')
      const { items } = await deliveries.list(webhook.id, { limit: 10 })
      assert.deepEqual(
        items.map(({ id, state, attempts }) => [id, state, attempts.length]),
        [
          [second.id, 'waiting', 0],
          [first.id, 'delivered', 2],
        ],
      )
      assert.equal(await deliveries.prune(15, 10), 1)
      assert.equal(await deliveries.byId(first.id), undefined)
      await webhooks.remove('c', webhook.id)
      assert.equal(await deliveries.byId(second.id), undefined)
    })
  }),
)

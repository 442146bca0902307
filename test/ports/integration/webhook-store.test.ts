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

    it('remembers each of several attempts at once', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again(), await first.again()]
      const delivery = sampleDelivery({ createdAt: 10 })
      await first.stores.deliveries.add(delivery)
      const times = Array.from({ length: 12 }, (_, i) => i)
      await Promise.all(
        times.map((at) =>
          all[at % all.length]?.stores.deliveries.attempted(
            delivery.id,
            { at, ms: 1, status: 500, answer: '' },
            'waiting',
          ),
        ),
      )
      const { attempts = [] } = (await first.stores.deliveries.byId(delivery.id)) ?? {}
      assert.deepEqual(
        attempts.map(({ at }) => at).toSorted((a, b) => a - b),
        times,
      )
    })

    it('does not wait again for what has arrived or was given up, whichever attempt is told last', async (t) => {
      const { deliveries } = (await openStores(t, open)).stores
      const attempt = { at: 11, ms: 3, status: null, answer: 'no' }
      for (const [states, expected] of [
        [['delivered', 'waiting'], 'delivered'],
        [['delivered', 'failed'], 'delivered'],
        [['failed', 'waiting'], 'failed'],
        [['failed', 'delivered'], 'delivered'],
      ] as const) {
        const delivery = sampleDelivery({ createdAt: 10 })
        await deliveries.add(delivery)
        for (const state of states) await deliveries.attempted(delivery.id, attempt, state)
        const { state, attempts } = (await deliveries.byId(delivery.id)) ?? assert.fail()
        assert.deepEqual([state, attempts.length], [expected, 2])
      }
    })

    it('is locked by who looks at it first, and the next finds it as that one left it', async (t) => {
      const { transact, stores } = await openStores(t, open)
      const webhook = sampleWebhook({ ownerId: 'd' })
      await stores.webhooks.add(webhook)
      const found = await Promise.all(
        [1, 2, 3].map((now) =>
          transact(async ({ webhooks }) => {
            const present = await webhooks.lock(webhook.id)
            if (present?.disabledAt === null) await webhooks.update(webhook.id, { disabledAt: now })
            return present?.disabledAt
          }),
        ),
      )
      assert.equal(found.filter((at) => at === null).length, 1)
      assert.equal(await transact(({ webhooks }) => webhooks.lock('unknown')), undefined)
    })
  }),
)

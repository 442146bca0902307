import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SILENT_MS } from '#core/machine/machine.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleInstance } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`instances on ${name}`, () => {
    it('lists those of a deployment, oldest first, and counts them', async (t) => {
      const { instances } = (await openStores(t, open)).stores
      const second = sampleInstance({ deploymentId: 'dpl_a', startedAt: 2 })
      const first = sampleInstance({ deploymentId: 'dpl_a', startedAt: 1 })
      const other = sampleInstance({ deploymentId: 'dpl_b' })
      for (const instance of [second, first, other]) await instances.add(instance)
      assert.deepEqual(await instances.ofDeployment('dpl_a'), [first, second])
      const counts = await instances.counts(['dpl_a', 'dpl_b', 'dpl_c'])
      assert.deepEqual([counts.get('dpl_a'), counts.get('dpl_b'), counts.get('dpl_c') ?? 0], [2, 1, 0])
      assert.deepEqual(await instances.counts([]), new Map())
    })

    it('leaves out those of a machine that is not heard of, until it is again', async (t) => {
      const { stores, database } = await openStores(t, open)
      const { instances, machines } = stores
      const amount = { free: 1, total: 2 }
      const report = () =>
        machines.report({
          ...{ name: 'lost', role: 'work', version: '1', origin: 'iad1', address: undefined, load: 0 },
          ...{ publicAddresses: [], memory: amount, disk: amount, startedAt: 1 },
        })
      await report()
      const owned = { deploymentId: 'dpl_a', ownerId: 'an-account', memoryMb: 10 }
      const [here, there, beside] = ['here', 'lost', 'lost.1'].map((worker, startedAt) =>
        sampleInstance({ ...owned, worker, startedAt }),
      )
      for (const instance of [here, there, beside]) if (instance) await instances.add(instance)
      const told = async () => [
        await instances.ofDeployment('dpl_a'),
        (await instances.counts(['dpl_a'])).get('dpl_a') ?? 0,
        await instances.ofOwner('an-account', 'another'),
      ]
      const all = [[here, there, beside], 3, { count: 3, memoryMb: 30 }]
      assert.deepEqual(await told(), all)
      await database.db
        .updateTable('machines')
        .set(({ eb, ref }) => ({ heard_at: eb(ref('heard_at'), '-', SILENT_MS) }))
        .execute()
      assert.deepEqual(await told(), [[here], 1, { count: 1, memoryMb: 10 }])
      await report()
      assert.deepEqual(await told(), all)
    })

    it('forgets one, and all of a worker', async (t) => {
      const { instances } = (await openStores(t, open)).stores
      const [a, b, c] = ['w1', 'w1', 'w2'].map((worker) => sampleInstance({ deploymentId: 'dpl_a', worker }))
      for (const instance of [a, b, c]) if (instance) await instances.add(instance)
      await instances.remove(a?.id ?? '')
      assert.equal((await instances.ofDeployment('dpl_a')).length, 2)
      await instances.clear('w1')
      assert.deepEqual(await instances.ofDeployment('dpl_a'), [c])
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/databases.ts'
import { sampleInstance } from '#test/support/samples.ts'
import { openStores } from '#test/support/stores.ts'

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

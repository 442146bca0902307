import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/databases.ts'
import { sampleProject, samplePush } from '#test/support/samples.ts'
import { openStores } from '#test/support/stores.ts'

eachDatabase((name, open) =>
  describe(`pushes on ${name}`, () => {
    it('finds those of a ref that are open, and the newest that was deployed', async (t) => {
      const { projects, pushes } = (await openStores(t, open)).stores
      const project = sampleProject({ ownerId: 'a' })
      await projects.insert(project)
      const of = (createdAt: number, given: object) =>
        samplePush({ ownerId: 'a', projectId: project.id, createdAt, ...given })
      const all = [
        of(1, { state: 'deployed', deploymentId: 'dpl_1' }),
        of(2, { state: 'deployed', deploymentId: 'dpl_2', ref: 'refs/heads/other' }),
        of(3, { state: 'waiting' }),
        of(4, { state: 'queued' }),
        of(5, { state: 'queued', ref: 'refs/heads/other' }),
        of(6, { state: 'skipped' }),
      ]
      for (const push of all) await pushes.add(push)
      const ids = (list: readonly { id: string }[]) =>
        list.map(({ id }) => all.findIndex((one) => one.id === id))
      assert.deepEqual(ids(await pushes.openOf(project.id, 'refs/heads/main')), [2, 3])
      assert.deepEqual(await pushes.lastDeployed(project.id, 'refs/heads/main'), all[0])
      assert.deepEqual(await pushes.lastDeployed(project.id), all[1])
      assert.deepEqual(ids((await pushes.list(project.id, { limit: 2 })).items), [5, 4])
      assert.deepEqual(ids(await pushes.overdue(5, 10)), [2, 3])
      assert.equal(await pushes.update(all[2]?.id ?? '', ['queued'], { state: 'failed' }), false)
      const reason = { code: 'why', message: 'Because.' }
      assert.equal(await pushes.update(all[2]?.id ?? '', ['waiting'], { state: 'failed', reason }), true)
      assert.deepEqual(await pushes.byId(all[2]?.id ?? ''), { ...all[2], state: 'failed', reason })
      assert.equal(await pushes.prune(4, 10), 3)
      await projects.delete(project.id)
      assert.equal(await pushes.byId(all[3]?.id ?? ''), undefined)
    })

    it('knows contents by the ids of objects, each account its own', async (t) => {
      const { gitObjects } = (await openStores(t, open)).stores
      await gitObjects.add('a', new Map([['1', 'x']]))
      await gitObjects.add(
        'a',
        new Map([
          ['1', 'z'],
          ['2', 'y'],
        ]),
      )
      assert.deepEqual(
        await gitObjects.known('a', ['1', '2', '3']),
        new Map([
          ['1', 'z'],
          ['2', 'y'],
        ]),
      )
      assert.equal((await gitObjects.known('b', ['1'])).size, 0)
    })
  }),
)

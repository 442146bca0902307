import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleProject, samplePush } from '#test/support/samples.ts'

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

    it('keeps the newest of a ref, and remembers a call of a host once', async (t) => {
      const { projects, pushes, sources } = (await openStores(t, open)).stores
      const project = sampleProject({ ownerId: 'a' })
      await projects.insert(project)
      const [projectId, ref] = [project.id, 'webhook']
      const add = (createdAt: number, given = {}) =>
        pushes.add(samplePush({ ownerId: 'a', projectId, createdAt, state: 'skipped', ...given }))
      for (const createdAt of [1, 2, 3]) await add(createdAt, { ref })
      await add(0)
      await pushes.keepNewest(projectId, ref, 2)
      const { items } = await pushes.list(projectId, { limit: 10 })
      assert.deepEqual(
        items.map(({ createdAt }) => createdAt),
        [3, 2, 0],
      )
      assert.equal(await sources.remember(projectId, 'x', 1), true)
      assert.equal(await sources.remember(projectId, 'x', 2), false)
      for (let i = 0; i < 500; i++) await sources.remember(projectId, `later-${i}`, 3)
      assert.equal(await sources.remember(projectId, 'x', 4), true, 'the oldest is forgotten')
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

    it('forgets objects whose content the account does not have any more, some at a time', async (t) => {
      const { gitObjects, files } = (await openStores(t, open)).stores
      const kept = { sha1: 'kept', sha256: 'sha256', size: 1 }
      await files.add('a', [kept], 1)
      for (const ownerId of ['a', 'b'])
        await gitObjects.add(
          ownerId,
          new Map([
            ['1', 'gone'],
            ['2', 'kept'],
            ['3', 'gone'],
          ]),
        )
      let last = await gitObjects.prune(undefined, 2)
      assert.deepEqual([last?.ownerId, last?.oid], ['a', '2'])
      while (last) last = await gitObjects.prune(last, 2)
      assert.deepEqual([...(await gitObjects.known('a', ['1', '2', '3'])).keys()], ['2'])
      assert.equal((await gitObjects.known('b', ['1', '2', '3'])).size, 0)
    })
  }),
)

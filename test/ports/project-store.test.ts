import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/databases.ts'
import { sampleProject } from '#test/support/samples.ts'
import { openStores } from '#test/support/stores.ts'

eachDatabase((name, open) =>
  describe(`projects on ${name}`, () => {
    it('finds a project by its id or its name in its account, as it was stored', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      const project = sampleProject({
        ownerId: 'anna',
        name: 'my-site',
        defaultHost: 'my-site-anna.aloft.test',
        directoryListing: true,
        createdAt: 1,
        updatedAt: 2,
      })
      assert.equal(await projects.insert(project), true)
      for (const key of [project.id, 'my-site']) {
        assert.deepEqual(await projects.byIdOrName('anna', key), project)
        assert.equal(await projects.byIdOrName('bert', key), undefined)
      }
      assert.equal(await projects.byIdOrName('anna', 'other'), undefined)
      assert.equal(await projects.byIdOrName('anna', 'prj_other'), undefined)
    })

    it('refuses a name that the account has, and stores nothing', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      const first = sampleProject({ ownerId: 'anna', name: 'my-site' })
      const second = sampleProject({ ownerId: 'anna', name: 'my-site' })
      assert.equal(await projects.insert(first), true)
      assert.equal(await projects.insert(second), false)
      assert.deepEqual(await projects.byIdOrName('anna', 'my-site'), first)
      assert.equal(await projects.byIdOrName('anna', second.id), undefined)
      assert.equal(await projects.insert(sampleProject({ ownerId: 'bert', name: 'my-site' })), true)
    })

    it('keeps one of many that are made at once, which the others then find', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again(), await first.again()]
      const found = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          (all[i % 3] ?? first).transact(async ({ projects }) => {
            await projects.insert(sampleProject({ ownerId: 'anna', name: 'my-site' }))
            return (await projects.byIdOrName('anna', 'my-site'))?.id
          }),
        ),
      )
      assert.equal(new Set(found).size, 1)
      assert.match(found[0] ?? '', /^prj_/)
    })

    it('remembers the latest touch and the default host', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      const project = sampleProject({ ownerId: 'anna', updatedAt: 10 })
      const other = sampleProject({ ownerId: 'anna' })
      await projects.insert(project)
      await projects.insert(other)
      await projects.touch('anna', project.id, 30)
      await projects.touch('anna', project.id, 20)
      await projects.setDefaultHost(project.id, 'a.aloft.test')
      assert.deepEqual(await projects.byIdOrName('anna', project.id), {
        ...project,
        updatedAt: 30,
        defaultHost: 'a.aloft.test',
      })
      assert.deepEqual(await projects.byIdOrName('anna', other.id), other)
      assert.equal(await projects.touch('anna', 'prj_none', 1), false)
      assert.equal(await projects.touch('bert', project.id, 99), false)
    })
  }),
)

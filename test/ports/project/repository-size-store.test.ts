import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { copyOf, HELD } from '#core/git/git-repositories.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleProject } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`sizes of repositories on ${name}`, () => {
    it('adds up what the repositories of an account take, with their copies of others', async (t) => {
      const { projects, gitSizes } = (await openStores(t, open)).stores
      const [one, other] = [sampleProject({ ownerId: 'a' }), sampleProject({ ownerId: 'a', name: 'other' })]
      for (const project of [one, other]) await projects.insert(project)
      assert.equal(await gitSizes.used('a'), 0)
      await gitSizes.set(one.id, 5)
      await gitSizes.set(one.id, 2 ** 40)
      await gitSizes.set(copyOf(one.id, 'module'), 20)
      await gitSizes.set(other.id, 300)
      assert.equal(await gitSizes.used('a'), 2 ** 40 + 320)
      assert.equal(await gitSizes.used('b'), 0)
    })

    it('forgets a repository with its copies of others, or one of them', async (t) => {
      const { projects, gitSizes } = (await openStores(t, open)).stores
      const [one, other] = [sampleProject({ ownerId: 'a' }), sampleProject({ ownerId: 'a', name: 'other' })]
      for (const project of [one, other]) await projects.insert(project)
      for (const [index, id] of [one.id, copyOf(one.id, 'm'), copyOf(one.id, 'n'), other.id].entries())
        await gitSizes.set(id, 10 ** index)
      await gitSizes.clear(copyOf(one.id, 'm'))
      assert.equal(await gitSizes.used('a'), 1101)
      await gitSizes.clear(one.id)
      assert.equal(await gitSizes.used('a'), 1000)
    })

    it('forgets what was held for pushes that began long ago, whichever project they were to', async (t) => {
      const { projects, gitSizes } = (await openStores(t, open)).stores
      const [one, other] = [sampleProject({ ownerId: 'a' }), sampleProject({ ownerId: 'a', name: 'other' })]
      for (const project of [one, other]) await projects.insert(project)
      for (const [index, id] of [
        one.id,
        copyOf(one.id, `${HELD}1000-a`),
        copyOf(other.id, `${HELD}999-b`),
        copyOf(other.id, `${HELD}1001-c`),
        copyOf(one.id, 'm'),
      ].entries())
        await gitSizes.set(id, 10 ** index)
      await gitSizes.forgetHeld(1001)
      assert.equal(await gitSizes.used('a'), 11001)
    })

    it('follows a project to another account, and is forgotten with it', async (t) => {
      const { projects, gitSizes } = (await openStores(t, open)).stores
      const project = sampleProject({ ownerId: 'a' })
      await projects.insert(project)
      await gitSizes.set(project.id, 5)
      await gitSizes.set(copyOf(project.id, 'module'), 20)
      await projects.give(project, { ownerId: 'b', name: 'given' })
      assert.deepEqual([await gitSizes.used('a'), await gitSizes.used('b')], [0, 25])
      await projects.delete(project.id)
      await gitSizes.set(project.id, 5)
      assert.equal(await gitSizes.used('b'), 0)
    })
  }),
)

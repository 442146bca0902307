import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleEnvVariable, sampleProject } from '#test/support/samples.ts'

async function openVariables(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { projects, envVariables } = opened.stores
  const [mine, other] = [sampleProject(), sampleProject()]
  for (const project of [mine, other]) await projects.insert(project)
  return { ...opened, projects, envVariables, mine, other }
}

eachDatabase((name, open) =>
  describe(`variables of projects on ${name}`, () => {
    it('lists those of a project, newest first, as they were stored', async (t) => {
      const { envVariables, mine, other } = await openVariables(t, open)
      const plain = sampleEnvVariable({ projectId: mine.id, createdAt: 1 })
      const full = sampleEnvVariable({
        projectId: mine.id,
        key: 'TOKEN',
        type: 'sensitive',
        value: 'sealed ü\n',
        size: 4,
        target: ['preview'],
        gitBranch: 'next',
        customEnvironmentId: 'env_1',
        comment: 'why',
        configurationId: 'icfg_1',
        createdAt: 3,
        createdBy: null,
        updatedAt: 4,
        updatedBy: 'bert',
      })
      const elsewhere = sampleEnvVariable({ projectId: other.id, createdAt: 2 })
      for (const variable of [plain, elsewhere, full]) await envVariables.save(variable)
      assert.deepEqual(await envVariables.list(mine.id), [full, plain])
      assert.deepEqual(await envVariables.list(other.id), [elsewhere])
      assert.deepEqual(await envVariables.list('prj_none'), [])
    })

    it('has several of one key, because they can be for different targets', async (t) => {
      const { envVariables, mine } = await openVariables(t, open)
      const both = [
        sampleEnvVariable({ projectId: mine.id, target: ['production'], createdAt: 2 }),
        sampleEnvVariable({ projectId: mine.id, target: ['preview'], createdAt: 1 }),
      ]
      for (const variable of both) await envVariables.save(variable)
      assert.deepEqual(await envVariables.list(mine.id), both)
    })

    it('finds those that are a secret of their account', async (t) => {
      const { envVariables, projects, mine } = await openVariables(t, open)
      const other = sampleProject({ ownerId: 'somebody-else' })
      await projects.insert(other)
      const uses = (projectId: string, value: string, type: 'secret' | 'plain' = 'secret') =>
        sampleEnvVariable({ projectId, type, value })
      const [one, theirs] = [uses(mine.id, 'sec_1'), uses(other.id, 'sec_1')]
      for (const variable of [one, theirs, uses(mine.id, 'sec_2'), uses(mine.id, 'sec_1', 'plain')])
        await envVariables.save(variable)
      assert.deepEqual(await envVariables.ofSecret(mine.ownerId, 'sec_1'), [one])
      assert.deepEqual(await envVariables.ofSecret(other.ownerId, 'sec_1'), [theirs])
      assert.deepEqual(await envVariables.ofSecret('u_none', 'sec_1'), [])
    })

    it('changes one that it has as a whole, and leaves it where it is', async (t) => {
      const { envVariables, mine, other } = await openVariables(t, open)
      const variable = sampleEnvVariable({ projectId: mine.id, comment: 'old' })
      await envVariables.save(variable)
      const changed = {
        ...variable,
        key: 'OTHER',
        type: 'encrypted',
        value: 'sealed',
        comment: null,
      } as const
      await envVariables.save({ ...changed, projectId: other.id })
      assert.deepEqual(await envVariables.list(mine.id), [changed])
      assert.deepEqual(await envVariables.list(other.id), [])
    })

    it('removes one, and all of a project with it', async (t) => {
      const { envVariables, projects, mine, other } = await openVariables(t, open)
      const [gone, kept, theirs] = [
        sampleEnvVariable({ projectId: mine.id }),
        sampleEnvVariable({ projectId: mine.id }),
        sampleEnvVariable({ projectId: other.id }),
      ]
      for (const variable of [gone, kept, theirs]) await envVariables.save(variable)
      await envVariables.delete(gone.id)
      await envVariables.delete(gone.id)
      assert.deepEqual(await envVariables.list(mine.id), [kept])
      await projects.delete(mine.id)
      assert.deepEqual(await envVariables.list(mine.id), [])
      assert.deepEqual(await envVariables.list(other.id), [theirs])
    })

    it('keeps nothing of a transaction that failed', async (t) => {
      const { envVariables, transact, mine } = await openVariables(t, open)
      const variable = sampleEnvVariable({ projectId: mine.id })
      await assert.rejects(
        transact(async (stores) => {
          await stores.envVariables.save(variable)
          throw new Error('no')
        }),
      )
      assert.deepEqual(await envVariables.list(mine.id), [])
    })
  }),
)

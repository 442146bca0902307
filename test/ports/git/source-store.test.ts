import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { untilBlocked } from '#test/support/blocked.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleProject, samplePush, sampleSource } from '#test/support/samples.ts'

const project = sampleProject({ ownerId: 'anna' })
const source = sampleSource({ ownerId: 'anna', projectId: project.id, problem: null })
const push = samplePush({ ownerId: 'anna', projectId: project.id, state: 'queued' })

async function connected(t: TestContext, open: OpenDatabase) {
  const here = await openStores(t, open)
  await here.stores.projects.insert(project)
  await here.stores.sources.save(source)
  await here.stores.pushes.add(push)
  return { here, there: await here.again() }
}

eachDatabase((name, open) =>
  describe(`repositories that projects follow on ${name}`, () => {
    it('lose nothing of two changes at the same moment', async (t) => {
      const { here, there } = await connected(t, open)
      let second: Promise<boolean[]> | undefined
      await here.transact(async ({ sources, pushes }) => {
        await sources.update(project.id, { problem: 'it is gone' })
        await pushes.update(push.id, ['queued'], { message: 'changed' })
        second = Promise.all([
          there.stores.sources.update(project.id, { failures: 7 }),
          there.stores.pushes.update(push.id, ['queued'], { stateAt: 7 }),
        ])
        await untilBlocked(here, second)
      })
      assert.deepEqual(await second, [true, true])
      const { problem, failures } = (await here.stores.sources.find(project.id)) ?? {}
      assert.deepEqual([problem, failures], ['it is gone', 7])
      const { message, stateAt } = (await here.stores.pushes.byId(push.id)) ?? {}
      assert.deepEqual([message, stateAt], ['changed', 7])
    })

    it('stay disconnected, whoever changes one at that moment', async (t) => {
      const { here, there } = await connected(t, open)
      let second: Promise<boolean> | undefined
      await here.transact(async ({ sources }) => {
        await sources.remove(project.id)
        second = there.stores.sources.update(project.id, { failures: 7 })
        await untilBlocked(here, second)
      })
      assert.equal(await second, false)
      assert.equal(await here.stores.sources.find(project.id), undefined)
    })
  }),
)

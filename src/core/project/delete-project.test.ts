import assert from 'node:assert/strict'
import { it } from 'node:test'
import { clockOf } from '#test/support/clock.ts'
import { sampleDeployment, sampleProject } from '#test/support/samples.ts'
import { type DeleteStores, deleteProject } from './delete-project.ts'

it('goes on with the project it began with, when another one has come to its name', async () => {
  const project = sampleProject({ name: 'shop' })
  const other = sampleProject({ name: 'shop' })
  let left = Array.from({ length: 60 }, () => sampleDeployment({ projectId: project.id, host: null }))
  const named = [project, other]
  const deleted: string[] = []
  const stores = {
    projects: {
      lock: async (_ownerId: string, idOrName: string) =>
        idOrName === 'shop' ? named.shift() : [project, other].find(({ id }) => id === idOrName),
      delete: async (id: string) => deleted.push(id),
    },
    deployments: {
      list: async (_ownerId: string, { limit }: { limit: number }, { projectId }: { projectId: string }) => ({
        items: projectId === project.id ? left.slice(0, limit) : [],
      }),
      delete: async (id: string) => {
        left = left.filter((deployment) => deployment.id !== id)
      },
    },
    hosts: { ofDeployment: async () => [], holder: async () => undefined },
    jobs: { enqueue: async () => {} },
    events: { emit: async () => {} },
    sources: { find: async () => undefined },
  } as unknown as DeleteStores
  const parts = {
    transact: <T>(work: (all: DeleteStores) => Promise<T>) => work(stores),
    clock: clockOf(() => 1),
    onHostsChanged: () => {},
    onNews: () => {},
  }
  assert.equal(await deleteProject(parts, project.ownerId, 'anna', 'shop'), true)
  assert.deepEqual([deleted, left], [[project.id], []])
})

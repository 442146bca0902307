import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { goLiveBuilt } from '#core/deployment/publish.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment, sampleProject } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`going live on ${name}`, () => {
    it('is done one after the other by what is built at the same time: the newest has the name', async (t) => {
      const { stores, transact, clock } = await openStores(t, open)
      const host = 'shop-ada.aloft.test'
      const project = sampleProject({ defaultHost: host })
      await stores.projects.insert(project)
      const { id: projectId, ownerId } = project
      const built = [1, 2, 3, 4].map((createdAt) =>
        sampleDeployment({
          ...{ ownerId, projectId, createdAt, state: 'DEPLOYING', readyAt: null, target: null },
          aliasFinal: [host],
        }),
      )
      for (const each of built) await stores.deployments.insert(each, { manifest: [], sealedEnv: '' })
      const live = await Promise.all(
        built.map((each) => transact((inside) => goLiveBuilt(inside, each, clock.now()))),
      )
      assert.deepEqual(
        live.map(({ deployment }) => deployment.aliasError),
        built.map(() => null),
      )
      assert.equal((await stores.hosts.alias(ownerId, host))?.deploymentId, built.at(-1)?.id)
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment, sampleEntry, sampleFile, sampleOutput } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`outputs on ${name}`, () => {
    it('gives back what was saved last', async (t) => {
      const { stores } = await openStores(t, open)
      const output = sampleOutput()
      assert.equal(await stores.outputs.find('dpl_x'), undefined)
      await stores.outputs.save('dpl_x', output)
      assert.deepEqual(await stores.outputs.find('dpl_x'), output)
      const { functions, programs } = (await stores.outputs.code('dpl_x')) ?? {}
      assert.deepEqual([functions, programs], [output.functions, output.programs])
      assert.equal(await stores.outputs.code('dpl_y'), undefined)
      const bare = { routes: undefined, files: [], functions: [], programs: [] }
      await stores.outputs.save('dpl_x', bare)
      assert.deepEqual(await stores.outputs.find('dpl_x'), { files: [], functions: [], programs: [] })
    })

    it('refers to its contents while its deployment lives', async (t) => {
      const { stores } = await openStores(t, open)
      const deployment = sampleDeployment({ ownerId: 'an-account' })
      await stores.deployments.insert(deployment, { manifest: [sampleEntry('a')], sealedEnv: 'sealed' })
      const fallback = sampleFile('fallback')
      const output = sampleOutput({
        functions: [
          {
            path: 'page',
            program: 'program-1',
            prerender: { expiration: 60, passQuery: false, fallback },
          },
        ],
      })
      await stores.outputs.save(deployment.id, output)
      const sought = [sampleFile('home'), sampleFile('archive'), fallback].map(({ sha1 }) => sha1)
      const found = await stores.deployments.referenced('an-account', [...sought, 'f'.repeat(40)])
      assert.deepEqual([...found].sort(), [...sought].sort())
      await stores.deployments.delete(deployment.id, 1)
      assert.equal(await stores.outputs.find(deployment.id), undefined)
      assert.deepEqual(await stores.deployments.referenced('an-account', sought), new Set())
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Stores } from '#adapters/sql/stores.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment, sampleEntry, sampleFile, sampleProject } from '#test/support/samples.ts'

const NOW = 1_700_000_000_000
const [a, b] = [sampleFile('a'), sampleFile('bb')]

const bytesOf = ({ usage }: Stores, owner: string) => usage.used(owner, 'contentBytes', '')
const deploymentsOf = ({ usage }: Stores, owner: string) => usage.used(owner, 'deployments', '')

eachDatabase((name, open) =>
  describe(`usage on ${name}`, () => {
    it('adds up what was counted, for each account, thing and period apart', async (t) => {
      const { usage } = (await openStores(t, open)).stores
      const one = { ownerId: 'anna', what: 'logBytes', period: '2026-11-16', amount: 5 } as const
      await usage.add([one, one, { ...one, period: '2026-11-15' }, { ...one, ownerId: 'bert' }])
      await usage.add([{ ...one, what: 'buildMs', period: '2026-11' }])
      assert.equal(await usage.used('anna', 'logBytes', '2026-11-16'), 10)
      assert.equal(await usage.used('anna', 'logBytes', '2026-11-15'), 5)
      assert.equal(await usage.used('anna', 'buildMs', '2026-11'), 5)
      assert.equal(await usage.used('carl', 'logBytes', '2026-11-16'), 0)
    })

    it('counts a file once, however often it comes, and no more when it is forgotten', async (t) => {
      const { stores } = await openStores(t, open)
      await stores.files.add('anna', [a, b, a], NOW)
      await stores.files.add('anna', [a], NOW + 1)
      await stores.files.add('anna', [a], NOW - 1)
      await stores.files.add('bert', [b], NOW)
      assert.equal(await bytesOf(stores, 'anna'), a.size + b.size)
      assert.equal(await bytesOf(stores, 'bert'), b.size)
      await stores.files.forget('anna', [b.sha1, 'none'], NOW + 1)
      assert.equal(await bytesOf(stores, 'anna'), a.size)
    })

    it('counts a file once when many add it at the same time', async (t) => {
      const first = await openStores(t, open)
      const others = await Promise.all([first.again(), first.again(), first.again()])
      await Promise.all(
        [...others, ...others].map(({ transact }, i) =>
          transact(({ files }) => files.add('anna', [a, b], NOW + i)),
        ),
      )
      assert.equal(await bytesOf(first.stores, 'anna'), a.size + b.size)
    })

    it('counts nothing of a transaction that is undone', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const undone = transact(async ({ files, deployments }) => {
        await files.add('anna', [a], NOW)
        await deployments.insert(sampleDeployment({ ownerId: 'anna' }), { manifest: [], sealedEnv: '' })
        throw new Error('undone')
      })
      await assert.rejects(undone, /undone/)
      assert.deepEqual([await bytesOf(stores, 'anna'), await deploymentsOf(stores, 'anna')], [0, 0])
    })

    it('counts deployments while they live, with the account that has them', async (t) => {
      const { stores } = await openStores(t, open)
      const project = sampleProject({ ownerId: 'anna' })
      await stores.projects.insert(project)
      const content = { manifest: [sampleEntry('index.html')], sealedEnv: '' }
      const made = [0, 1, 2].map(() => sampleDeployment({ ownerId: 'anna', projectId: project.id }))
      for (const deployment of made) await stores.deployments.insert(deployment, content)
      const [gone] = made
      await stores.deployments.delete(gone?.id ?? '', NOW)
      await stores.deployments.delete(gone?.id ?? '', NOW)
      assert.equal(await deploymentsOf(stores, 'anna'), 2)
      await stores.projects.give(project, { ownerId: 'bert', name: project.name })
      assert.deepEqual([await deploymentsOf(stores, 'anna'), await deploymentsOf(stores, 'bert')], [0, 2])
    })

    it('makes few entries of many without a sum ever being wrong', async (t) => {
      const { stores, again } = await openStores(t, open)
      const other = await again()
      const one = { ownerId: 'anna', what: 'logBytes', period: '2026-11-16', amount: 1 } as const
      const add = async () => {
        for (let i = 0; i < 50; i++) await other.stores.usage.add([one])
      }
      const compact = async () => {
        for (let i = 0; i < 20; i++) await stores.usage.compact(10)
      }
      await Promise.all([add(), compact(), compact()])
      assert.equal(await stores.usage.used('anna', 'logBytes', '2026-11-16'), 50)
      await stores.usage.compact(10)
      assert.equal(await stores.usage.compact(10), 0, 'nothing is left to be added up')
      assert.equal(await stores.usage.used('anna', 'logBytes', '2026-11-16'), 50)
    })

    it('forgets days and months that are over, and nothing that counts for as long as it is there', async (t) => {
      const { stores } = await openStores(t, open)
      const { usage } = stores
      const one = { ownerId: 'anna', amount: 1 }
      await usage.add([
        { ...one, what: 'contentBytes', period: '' },
        { ...one, what: 'buildMs', period: '2026-10' },
        { ...one, what: 'logBytes', period: '2026-10-31' },
        { ...one, what: 'logBytes', period: '2026-11-01' },
      ])
      await usage.prune('2026-11-01')
      assert.equal(await usage.used('anna', 'logBytes', '2026-10-31'), 0)
      assert.equal(await usage.used('anna', 'logBytes', '2026-11-01'), 1)
      assert.equal(await usage.used('anna', 'buildMs', '2026-10'), 1)
      await usage.prune('2026-11')
      assert.equal(await usage.used('anna', 'buildMs', '2026-10'), 0)
      assert.equal(await bytesOf(stores, 'anna'), 1)
    })
  }),
)

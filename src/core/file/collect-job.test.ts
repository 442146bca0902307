import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY } from '#contract/time.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment, sampleEntry, sampleFile } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { createCollectJob } from './collect-job.ts'

test('what nobody needs is collected although very many contents that are in use are damaged', async (t) => {
  const { stores, clock } = await openStores(t, usualDatabase)
  const deployment = sampleDeployment()
  const manifest = Array.from({ length: 1000 }, (_, n) => sampleEntry(`${n}.txt`))
  await stores.deployments.insert(deployment, { manifest, sealedEnv: '' })
  const used = manifest.map(({ sha1, sha256, size }) => ({ sha1, sha256, size }))
  await stores.files.add(deployment.ownerId, used, clock.now())
  for (const { sha256 } of used) await stores.files.addDamaged(sha256, clock.now())
  const unneeded = sampleFile('nobody needs it')
  await stores.files.add(deployment.ownerId, [unneeded], clock.now() + 1)
  clock.advance(2 * DAY)

  const deleted: string[] = []
  const blobs = {
    delete: async (sha256s: readonly string[]) => void deleted.push(...sha256s),
    async *list() {},
  } as unknown as BlobStore
  const limit = new AbortController()
  let batches = 0
  const files = {
    ...stores.files,
    stale: (...asked: Parameters<typeof stores.files.stale>) => {
      if (++batches === 5) limit.abort()
      return stores.files.stale(...asked)
    },
  }
  const collect = createCollectJob({ ...stores, files, blobs, clock })
  await collect.run({}, { id: 'job', attempt: 1, signal: limit.signal, log: silentLog })
  assert.deepEqual([batches, deleted], [2, [unneeded.sha256]])
  assert.equal((await stores.files.known(used.map(({ sha256 }) => sha256))).size, 1000)
})

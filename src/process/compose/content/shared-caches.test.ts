import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import type { QuotaLimits } from '#contract/limit/quotas.ts'
import { Redacted } from '#contract/redacted.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { quickFolder } from '#test/support/storage/quick-folder.ts'
import { openSharedCaches } from './shared-caches.ts'

async function openCaches(t: TestContext, open: OpenDatabase) {
  const { stores, clock } = await openStores(t, open)
  const root = await mkdtemp(join(quickFolder, 'aloft-caches-'))
  const blobs = await createFsBlobStore({ folder: root, clock, log: silentLog })
  t.after(async () => {
    await blobs.close()
    await rm(root, { recursive: true, force: true })
  })
  const quotas = { limitsById: async () => ({ contentBytes: 10 }) as QuotaLimits }
  const config = { databaseUrl: new Redacted('postgres:'), blobUrl: 's3:' }
  const caches = openSharedCaches(config, { stores, blobs, quotas, clock })
  assert.ok(caches)
  return {
    async give(owner: string, key: string, bytes: number) {
      clock.advance(1)
      await caches.give(owner, key, Readable.from([Buffer.alloc(bytes, key)]))
    },
    has: async (owner: string, key: string) => {
      const found = await caches.take(owner, key)
      found?.destroy()
      return found !== undefined
    },
  }
}

eachDatabase((name, open) =>
  test(`${name}: shared caches of an account take no more than it may store, and the newest stay`, async (t) => {
    const { give, has } = await openCaches(t, open)
    await give('a', 'one', 4)
    await give('ab', 'one', 9)
    await give('a', 'two', 4)
    await give('a', 'one', 4)
    assert.deepEqual([await has('a', 'one'), await has('a', 'two')], [true, true])
    await give('a', 'three', 4)
    assert.deepEqual(
      [await has('a', 'one'), await has('a', 'two'), await has('a', 'three')],
      [true, false, true],
    )
    await assert.rejects(give('a', 'four', 11), { kind: 'too_large' })
    assert.deepEqual([await has('a', 'one'), await has('a', 'three')], [true, true])
    assert.ok(await has('ab', 'one'), 'those of others are left alone')
  }),
)

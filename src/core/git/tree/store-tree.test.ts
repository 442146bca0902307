import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { BlobDigest } from '../../ports/blob-store.ts'
import { systemClock } from '../../ports/system-clock.ts'
import type { TreeEntry } from '../git-repositories.ts'
import { storeTree } from './store-tree.ts'
import type { StoreTreeParts } from './tree-parts.ts'

const MB = 2 ** 20

test('however many files a commit has, few of their bytes are in memory at once', async () => {
  const count = 40
  const oidOf = (n: number) => n.toString(16).padStart(40, '0')
  const entries = Array.from({ length: count }, (_, n): TreeEntry => {
    return { path: `${n}.bin`, mode: '100644', oid: oidOf(n), size: 4 * MB }
  })
  let [held, most, stored] = [0, 0, 0]
  const parts: StoreTreeParts = {
    repositories: {
      tree: async () => entries,
      async *contents() {
        for (const { oid, size } of entries) {
          held += size
          most = Math.max(most, held)
          yield { oid, size, bytes: Buffer.alloc(size) }
        }
      },
    },
    objects: { known: async () => new Map(), add: async () => undefined } as never,
    files: {
      claim: async () => new Map(),
      add: async (_owner, files) => {
        stored += files.length
        held -= files.reduce((sum, { size }) => sum + size, 0)
      },
    },
    blobs: {
      put: () => assert.fail('none of them is large'),
      putBytes: async (bytes): Promise<BlobDigest> => {
        const sha1 = createHash('sha1').update(String(stored)).digest('hex')
        return { sha1, sha256: sha1, size: bytes.length } as BlobDigest
      },
    },
    content: {
      take: async () => ({ most: Number.POSITIVE_INFINITY, exceeded: assert.fail, release() {} }),
    } as never,
    clock: systemClock,
  }
  const { files } = await storeTree(
    parts,
    { kind: 'user', id: 'usr_1' } as never,
    {
      at: { repository: 'prj_1', commit: oidOf(1), url: 'https://git.test/me/site.git' },
      openModule: () => assert.fail('there are no submodules'),
      isLfsOn: false,
      lfs: () => undefined,
    },
    AbortSignal.timeout(60_000),
  )
  assert.deepEqual([files.length, stored], [count, count])
  assert.ok(most <= 32 * MB, `${most / MB} MB`)
})

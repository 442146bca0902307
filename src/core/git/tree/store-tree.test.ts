import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { BlobDigest } from '../../ports/blob-store.ts'
import { systemClock } from '../../ports/system-clock.ts'
import type { TreeEntry } from '../git-repositories.ts'
import { storeTree } from './store-tree.ts'
import type { CommitPlace } from './submodules.ts'
import type { StoreTreeParts } from './tree-parts.ts'

const MB = 2 ** 20

type Repositories = StoreTreeParts['repositories']

/** Stores the tree of one commit, with nothing there yet. */
const storeOne = (repositories: Repositories, more: Partial<StoreTreeParts>, at: Partial<CommitPlace> = {}) =>
  storeTree(
    {
      repositories,
      objects: { known: async () => new Map(), add: async () => undefined } as never,
      files: { claim: async () => new Map(), add: async () => undefined } as never,
      blobs: {
        put: () => assert.fail('none of them is large'),
        putBytes: async (bytes): Promise<BlobDigest> => {
          const sha1 = createHash('sha1').update(bytes).digest('hex')
          return { sha1, sha256: sha1, size: bytes.length } as BlobDigest
        },
      },
      content: {
        take: async () => ({ most: Number.POSITIVE_INFINITY, exceeded: assert.fail, release() {} }),
      } as never,
      clock: systemClock,
      ...more,
    },
    { kind: 'user', id: 'usr_1' } as never,
    {
      at: { repository: 'prj_1', commit: oidOf(1), url: 'https://git.test/me/site.git', ...at },
      openModule: () => assert.fail('there are no submodules'),
      isLfsOn: false,
      lfs: () => undefined,
    },
    AbortSignal.timeout(60_000),
  )

const oidOf = (n: number) => n.toString(16).padStart(40, '0')

test('git is not started to list what was listed before', async () => {
  const tree = [{ path: 'index.html', mode: '100644', oid: oidOf(1), size: 1 }]
  const { files } = await storeOne(
    {
      tree: () => assert.fail('it was listed before'),
      async *contents(_id, entries) {
        for (const { oid, size } of entries) yield { oid, size, bytes: Buffer.from('x') }
      },
    },
    {},
    { tree },
  )
  assert.deepEqual(
    files.map(({ file }) => file),
    ['index.html'],
  )
})

test('links are read together, and one that is too long for a path is not read at all', async () => {
  const target = Buffer.from('index.html')
  const file = { path: 'index.html', mode: '100644', oid: oidOf(1), size: 1 }
  const links = Array.from({ length: 5000 }, (_, n) => ({
    ...{ path: `links/${n}`, mode: '120000', oid: oidOf(10 + n), size: target.length },
  }))
  const long = { path: 'long', mode: '120000', oid: oidOf(2), size: 2 ** 30 }
  const asked: number[] = []
  const { notes } = await storeOne(
    {
      tree: async () => [file, ...links, long],
      async *contents(_id, entries) {
        asked.push(entries.length)
        for (const { oid, size } of entries) {
          assert.ok(size <= 1024, 'it would be in memory as a whole')
          yield { oid, size, bytes: oid === file.oid ? Buffer.from('x') : target }
        }
      },
    },
    {},
  )
  assert.deepEqual(asked, [5000, 1])
  // These lead to links/index.html.
  assert.equal(notes.length, 101)
  assert.equal(notes.at(-1), 'There are 4901 more notes like these.')
})

test('however many files a commit has, few of their bytes are in memory at once', async () => {
  const count = 40
  const entries = Array.from({ length: count }, (_, n): TreeEntry => {
    return { path: `${n}.bin`, mode: '100644', oid: oidOf(n), size: 4 * MB }
  })
  let [held, most, stored] = [0, 0, 0]
  const { files } = await storeOne(
    {
      tree: async () => entries,
      async *contents() {
        for (const { oid, size } of entries) {
          held += size
          most = Math.max(most, held)
          yield { oid, size, bytes: Buffer.alloc(size) }
        }
      },
    },
    {
      files: {
        claim: async () => new Map(),
        add: async (_owner, files) => {
          stored += files.length
          held -= files.reduce((sum, { size }) => sum + size, 0)
        },
      },
    },
  )
  assert.deepEqual([files.length, stored], [count, count])
  assert.ok(most <= 32 * MB, `${most / MB} MB`)
})

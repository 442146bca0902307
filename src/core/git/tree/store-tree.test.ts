import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ContentsGone } from '../../file/check-present.ts'
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
        stat: async (sha256s) => new Map(sha256s.map((sha256) => [sha256, { sha256, size: 1, putAt: 1 }])),
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

test('contents that were collected before the account had them are not taken for stored', async () => {
  const damaged: string[] = []
  const sha256 = 'a'.repeat(64)
  const storing = storeOne(
    {
      tree: async () => [{ path: 'index.html', mode: '100644', oid: oidOf(1), size: 1 }],
      async *contents() {
        yield { oid: oidOf(1), size: 1, bytes: Buffer.from('x') }
      },
    },
    {
      objects: {
        known: async () => new Map(),
        add: () => assert.fail('nobody is to rely on what is gone'),
      } as never,
      files: {
        claim: async () => new Map(),
        add: async () => undefined,
        addDamaged: async (sha256) => void damaged.push(sha256),
      },
      blobs: {
        put: () => assert.fail('it is small'),
        putBytes: async () => ({ sha1: 'b'.repeat(40), sha256, size: 1 }),
        stat: async () => new Map(),
      },
    },
  )
  await assert.rejects(storing, ContentsGone)
  assert.deepEqual(damaged, [sha256])
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
        addDamaged: () => assert.fail('all are there'),
      },
    },
  )
  assert.deepEqual([files.length, stored], [count, count])
  assert.ok(most <= 32 * MB, `${most / MB} MB`)
})

/** The files that are deployed of a commit with these. */
async function filesOf(contents: Readonly<Record<string, string>>) {
  const entries = Object.entries(contents).map(([path, text], n): TreeEntry => {
    return { path, mode: '100644', oid: oidOf(n), size: text.length }
  })
  const texts = new Map(entries.map(({ oid, path }) => [oid, contents[path] ?? '']))
  const { files } = await storeOne(
    {
      tree: async () => entries,
      async *contents(_id, wanted) {
        for (const { oid, size } of wanted) yield { oid, size, bytes: Buffer.from(texts.get(oid) ?? '') }
      },
    },
    {},
  )
  return files.map(({ file }) => file).filter((path) => !path.includes('ignore'))
}

test('what ignore files name is no part of the deployment, and .gitignore says nothing of what is committed', async () => {
  const files = {
    ...{ 'index.html': 'a', 'private/a.txt': 'b', 'x.log': 'c', 'keep.log': 'd' },
    ...{ 'sub/draft.md': 'e', 'draft.md': 'f', 'private/b/.aloftignore': '!*\n', 'private/b/c': 'g' },
  }
  const paths = Object.keys(files).filter((path) => !path.includes('ignore'))
  assert.deepEqual(await filesOf({ ...files, '.gitignore': '*\n' }), paths)
  const left = await filesOf({
    ...files,
    '.vercelignore': 'private\n*.log\n',
    '.nowignore': 'index.html\n',
    '.aloftignore': '!keep.log\n',
    'sub/.aloftignore': 'draft.md\n',
  })
  assert.deepEqual(left, ['index.html', 'keep.log', 'draft.md'])
  const older = await filesOf({ ...files, '.nowignore': 'private/\n*.md' })
  assert.deepEqual(older, ['index.html', 'x.log', 'keep.log'])
})

test('ignore files that would take too long are refused', async () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`${'a'.repeat(200)}${n}`, 'x']))
  for (const [ignore, reason] of [
    [`${'*a'.repeat(30)}b\n`.repeat(400), /take too long/],
    [`${'*a'.repeat(600)}b\n`, /longer than 1024/],
    ['a\n'.repeat(50_000), /too large/],
  ] as const)
    for (const name of ['.vercelignore', 'sub/.aloftignore'])
      await assert.rejects(filesOf({ ...many, [name]: ignore, '.aloftignore': ignore }), {
        kind: 'bad_request',
        message: reason,
      })
})

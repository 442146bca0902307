import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { it, type TestContext } from 'node:test'
import { archiveOf, type Files } from '#test/ports/runner/workbench.ts'
import { createTestClock } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { until } from '#test/support/until.ts'
import { ProgramFolders } from './program-folders.ts'

async function openFolders(t: TestContext, maxBytes = 1e6) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-programs-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const blobs = new Map<string, Buffer>()
  const clock = createTestClock()
  const opened: string[] = []
  const removed: string[] = []
  const make = async (boot = 'first', syncAfterMs = 60_000) => {
    const folders = new ProgramFolders({
      ...{ folder, clock, log: silentLog, maxBytes, programBytes: 10_000, boot, syncAfterMs },
      ...{ programEntries: 100, listedEntries: 3, onRemoved: () => removed.push('') },
      blobs: {
        async open(sha256) {
          opened.push(sha256)
          const bytes = blobs.get(sha256)
          return bytes && Readable.from([bytes])
        },
      },
    })
    await folders.open()
    return folders
  }
  const store = async (files: Files) => {
    const bytes = await archiveOf(files)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    blobs.set(sha256, bytes)
    return { sha1: '', sha256, size: bytes.length }
  }
  return { folder, clock, opened, removed, make, store, folders: await make() }
}

it('unpacks an archive once, whoever asks and whenever', async (t) => {
  const { folders, store, opened, make } = await openFolders(t)
  const archive = await store({ 'a/b': 'content' })
  const [one, two] = await Promise.all([folders.hold(archive), folders.hold(archive)])
  assert.equal(one.root, two.root)
  assert.equal(await readFile(join(one.root, 'a/b'), 'utf8'), 'content')
  assert.deepEqual(one.tree, { folders: ['a'], files: ['a/b'], links: [] })
  assert.ok(!(folders.hold(archive) instanceof Promise))
  const later = await (await make()).hold(archive)
  assert.deepEqual(later.tree, one.tree)
  assert.equal(opened.length, 1)
})

it('unpacks again what may have been lost when the machine stopped', async (t) => {
  const { folder, folders, store, opened, make } = await openFolders(t)
  const archive = await store({ a: 'content' })
  const { root } = await folders.hold(archive)
  const cut = async (file: string, boot: string) => {
    await truncate(file)
    const again = await (await make(boot)).hold(archive)
    assert.equal(await readFile(join(again.root, 'a'), 'utf8'), 'content')
  }
  await cut(join(root, 'a'), 'second')
  await cut(join(folder, archive.sha256, 'meta.json'), 'second')
  assert.equal(opened.length, 3)
  await (await make('second')).hold(archive)
  assert.equal(opened.length, 3)
})

it('unpacks nothing again that was written to the disk since', async (t) => {
  const { folder, store, opened, make } = await openFolders(t)
  const archives = await Promise.all(['one', 'two'].map((content) => store({ a: content })))
  const folders = await make('first', 0)
  for (const archive of archives) await folders.hold(archive)
  await until(async () => {
    const metas = archives.map(({ sha256 }) => readFile(join(folder, sha256, 'meta.json'), 'utf8'))
    return (await Promise.all(metas)).every((meta) => !meta.includes('boot'))
  })
  const later = await make('second')
  for (const archive of archives) await later.hold(archive)
  assert.equal(opened.length, 2)
})

it('does not list what is large', async (t) => {
  const { folders, store } = await openFolders(t)
  const held = await folders.hold(await store({ a: '', b: '', c: '', d: '' }))
  assert.equal(held.tree, undefined)
})

it('leaves nothing of an archive that cannot be unpacked', async (t) => {
  const { folder, folders, store } = await openFolders(t)
  await assert.rejects(async () => folders.hold(await store({ a: 'x'.repeat(20_000) })), {
    name: 'BadArchive',
  })
  const absent = { sha1: '', sha256: 'a'.repeat(64), size: 1 }
  await assert.rejects(async () => folders.hold(absent), /not stored/)
  await assert.rejects(async () => folders.hold({ ...absent, sha256: '../x' }), /hex digits/)
  assert.deepEqual(await readdir(folder), [])
})

it('removes those used longest ago beyond its size, but none that is in use', async (t) => {
  const { folders, store, folder, clock, removed } = await openFolders(t, 150_000)
  const [a, b, c, d] = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => store({ [name]: name.repeat(9000) })),
  )
  if (!a || !b || !c || !d) return assert.fail()
  const used = await folders.hold(a)
  for (const archive of [b, c, d]) {
    clock.advance(1000)
    ;(await folders.hold(archive)).release()
  }
  while (removed.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const left = await readdir(folder)
  assert.ok(left.includes(a.sha256))
  assert.ok(!left.includes(b.sha256))
  used.release()
})

it('counts files that are empty, also of what an earlier process unpacked', async (t) => {
  const { folders, store, opened, make } = await openFolders(t, 1e6)
  const files = (name: string) => Object.fromEntries(Array.from({ length: 50 }, (_, n) => [name + n, '']))
  const [a, b] = await Promise.all(['a', 'b'].map((name) => store(files(name))))
  if (!a || !b) return assert.fail()
  ;(await folders.hold(a)).release()
  const later = await make()
  await later.hold(b)
  // Waits until what had to go is gone.
  await later.hold(a)
  assert.deepEqual(opened, [a.sha256, b.sha256, a.sha256])
})

it('clears what a process left that died in the middle', async (t) => {
  const { folder, make } = await openFolders(t)
  await mkdir(join(folder, 'f'.repeat(64), 'root'), { recursive: true })
  await mkdir(join(folder, `${(2 ** 22 + 1).toString(36)}-0`))
  await utimes(folder, 0, 0)
  await make()
  await until(async () => (await readdir(folder)).length === 0)
})

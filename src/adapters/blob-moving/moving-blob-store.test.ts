import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { shareS3, withoutS3 } from '#test/support/storage/s3.ts'
import { openS3Storage } from '#test/support/storage/s3-storage.ts'
import { createFsBlobStore } from '../blob-fs/fs-blob-store.ts'
import { createMovingBlobStore } from './moving-blob-store.ts'

const nameOf = (bytes: Buffer) => hash('sha256', bytes)
const goOn = new AbortController().signal

async function openDisk(t: TestContext, name: string): Promise<BlobStore> {
  const folder = await mkdtemp(join(tmpdir(), `aloft-moving-${name}-`))
  const store = await createFsBlobStore({ folder, clock: systemClock, log: silentLog })
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
  return store
}

const some = () => [
  ...Array.from({ length: 1200 }, (_, n) => Buffer.from(`content ${n}`)),
  ...Array.from({ length: 20 }, () => randomBytes(100_000)),
]

test('everything is there before, during and after a move that is interrupted', async (t) => {
  const [to, from] = [await openDisk(t, 'to'), await openDisk(t, 'from')]
  const contents = some()
  await Promise.all(contents.map((bytes) => from.putBytes(bytes)))
  const store = createMovingBlobStore(to, from)
  const assertAll = async () => {
    for (const bytes of contents) assert.ok((await store.read(nameOf(bytes)))?.equals(bytes))
    assert.equal((await store.stat(contents.map(nameOf))).size, contents.length)
  }
  await assertAll()
  const stop = new AbortController()
  const moving = store.move(stop.signal)
  const late = randomBytes(50)
  contents.push(late)
  await store.putBytes(late)
  stop.abort()
  await moving
  const left = await store.left()
  assert.ok(left > 0, 'it was interrupted')
  await assertAll()
  const { contents: moved } = await store.move(goOn)
  assert.equal(moved, left)
  assert.equal(await store.left(), 0)
  await assertAll()
  const listed: string[] = []
  for await (const { sha256 } of to.list()) listed.push(sha256)
  assert.deepEqual(listed, contents.map(nameOf).toSorted())
})

test('what is moved between two looks is found', async (t) => {
  const [to, from] = [await openDisk(t, 'to'), await openDisk(t, 'from')]
  const bytes = randomBytes(100)
  const { sha256 } = await from.putBytes(bytes)
  const looks: { [K in 'read' | 'open' | 'stat' | 'verify']: (store: BlobStore) => Promise<unknown> } = {
    read: (store) => store.read(sha256),
    open: async (store) => (await store.open(sha256))?.toArray().then((chunks) => Buffer.concat(chunks)),
    stat: async (store) => (await store.stat([sha256])).has(sha256),
    verify: (store) => store.verify(sha256),
  }
  for (const [name, look] of Object.entries(looks)) {
    await to.delete([sha256])
    await from.putBytes(bytes)
    const expected = await look(from)
    // Everything is moved just before the second look, which therefore finds nothing.
    const second = new Proxy(from, {
      get: (target, key) => {
        const method = Reflect.get(target, key).bind(target)
        if (key !== name) return method
        return async (...given: unknown[]) => {
          await createMovingBlobStore(to, target).move(goOn)
          return method(...given)
        }
      },
    })
    assert.deepEqual(await look(createMovingBlobStore(to, second)), expected, name)
    assert.equal((await from.stat([sha256])).size, 0, name)
  }
})

test('what is deleted meanwhile is gone from both', async (t) => {
  const [to, from] = [await openDisk(t, 'to'), await openDisk(t, 'from')]
  const store = createMovingBlobStore(to, from)
  const bytes = randomBytes(100)
  await Promise.all([from.putBytes(bytes), to.putBytes(bytes)])
  assert.equal(await store.delete([nameOf(bytes)]), 1)
  assert.equal(await store.read(nameOf(bytes)), undefined)
  await from.putBytes(bytes)
  assert.equal(await store.delete([nameOf(bytes)], { notPutSince: 1 }), 0)
  assert.equal(await store.delete([nameOf(bytes)]), 1)
})

test('contents go to an object store and back', { skip: withoutS3 }, async (t) => {
  const server = await shareS3()
  t.after(() => server.stop())
  const storage = await openS3Storage(server, usualDatabase)
  t.after(() => storage.remove())
  const remote = await storage.open(systemClock)
  t.after(() => remote.close())
  const [disk, again] = [await openDisk(t, 'disk'), await openDisk(t, 'again')]
  const contents = [...some(), randomBytes(9 << 20)]
  await Promise.all(contents.map((bytes) => disk.putBytes(bytes)))
  await createMovingBlobStore(remote, disk).move(goOn)
  assert.equal((await remote.stat(contents.map(nameOf))).size, contents.length)
  await createMovingBlobStore(again, remote).move(goOn)
  for (const bytes of contents) assert.ok((await again.read(nameOf(bytes)))?.equals(bytes))
  assert.equal((await remote.stat(contents.map(nameOf))).size, 0)
})

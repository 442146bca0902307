import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFile,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { BlobError, type BlobFault, type BlobStore } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createFsBlobStore } from './fs-blob-store.ts'

const isLinux = process.platform === 'linux'
const SMALL = 4096
const LARGE = 300_000

const isFault = (kind: BlobFault) => (error: unknown) => error instanceof BlobError && error.kind === kind
const nameOf = (bytes: Buffer) => hash('sha256', bytes)
const someOf = (count: number, size = SMALL) => Array.from({ length: count }, () => randomBytes(size))

let folder: string
let stores: BlobStore[]
/** What was told to be damaged. */
let told: string[]

const openStore = async (packBytes = 1 << 20) => {
  const onDamage = async (sha256: string) => void told.push(sha256)
  const store = await createFsBlobStore({ folder, clock: systemClock, log: silentLog, packBytes, onDamage })
  stores.push(store)
  return store
}
const putAll = (store: BlobStore, contents: readonly Buffer[]) =>
  Promise.all(contents.map((bytes) => store.putBytes(bytes)))
const packPaths = async () =>
  (await readdir(join(folder, 'packs'))).map((name) => join(folder, 'packs', name))
const onlyPack = async () => {
  const [path, ...others] = await packPaths()
  assert.deepEqual(others, [])
  assert.ok(path)
  return path
}
const packedBytes = async () =>
  (await Promise.all((await packPaths()).map((path) => stat(path)))).reduce((sum, { size }) => sum + size, 0)
const temps = () => readdir(join(folder, 'temp'))

async function assertAll(store: BlobStore, contents: readonly Buffer[]): Promise<void> {
  for (const bytes of contents) assert.ok((await store.read(nameOf(bytes)))?.equals(bytes))
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aloft-blobs-'))
  stores = []
  told = []
})

afterEach(async () => {
  mock.restoreAll()
  await Promise.all(stores.map((store) => store.close()))
  await rm(folder, { recursive: true, force: true })
})

/** Every open file is of one class, which Node does not export. */
async function handleClass(): Promise<{ write: typeof write; datasync: () => Promise<void> }> {
  const handle = await open(folder, 'r')
  await handle.close()
  return Object.getPrototypeOf(handle)
}
declare function write(...args: unknown[]): Promise<{ bytesWritten: number }>

const failure = (code: string) => Object.assign(new Error(code), { code })

describe('what is on disk', () => {
  it('is closed to everybody else', async () => {
    const store = await openStore()
    await putAll(store, [randomBytes(SMALL), randomBytes(LARGE)])
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      assert.equal((mode & 0o777).toString(8), entry.isDirectory() ? '700' : '600', entry.name)
    }
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
  })

  it('is one synced write for all small contents of one moment', async () => {
    const store = await openStore()
    await store.putBytes(randomBytes(SMALL))
    const writes = mock.method(await handleClass(), 'write')
    await putAll(store, someOf(200))
    assert.equal(writes.mock.callCount(), 1)
  })

  it('does not grow when contents are repeated', async () => {
    const store = await openStore()
    const contents = someOf(10)
    await putAll(store, [...contents, ...contents])
    const before = await packedBytes()
    await putAll(store, contents)
    await putAll(await openStore(), contents)
    assert.equal(await packedBytes(), before)
  })

  it('goes on in a new pack when one is full', async () => {
    const store = await openStore(64 << 10)
    const contents = someOf(60)
    for (const bytes of contents) await store.putBytes(bytes)
    assert.equal((await packPaths()).length, 4)
    await assertAll(store, contents)
  })

  it('does not become one more pack with every start', async () => {
    const contents = someOf(20)
    for (const bytes of contents) {
      const store = await openStore()
      await store.putBytes(bytes)
      await store.close()
    }
    await onlyPack()
    await assertAll(await openStore(), contents)
  })

  it('is not a pack for a store that only reads', async () => {
    const store = await openStore()
    await store.read('0'.repeat(64))
    await store.close()
    assert.deepEqual(await packPaths(), [])
    assert.deepEqual(await readdir(join(folder, 'writers')), [])
  })

  it('never belongs to two writers at once', async () => {
    const [one, two] = [await openStore(), await openStore()]
    const contents = someOf(40)
    await Promise.all(contents.map((bytes, n) => (n % 2 === 0 ? one : two).putBytes(bytes)))
    assert.equal((await packPaths()).length, 2)
    await assertAll(one, contents)
    await assertAll(two, contents)
  })

  it('is told to be damaged rather than given out wrong', async () => {
    const store = await openStore()
    const [small, large] = [randomBytes(SMALL), randomBytes(LARGE)]
    await putAll(store, [small, large])
    for (const path of [await onlyPack(), join(folder, 'large', nameOf(large).slice(0, 2), nameOf(large))]) {
      const handle = await open(path, 'r+')
      await handle.write('damage', 1000)
      await handle.close()
    }
    await assert.rejects(store.read(nameOf(small)), isFault('corrupt'))
    const stream = await store.open(nameOf(large))
    const got: Buffer[] = []
    await assert.rejects(async () => {
      for await (const piece of stream ?? []) got.push(piece)
    }, isFault('corrupt'))
    assert.ok(Buffer.concat(got).length < large.length, 'the last bytes are held back')
  })

  it('is checked as a whole before a part of it is given out, for as long as it is not known to be sound', async () => {
    const first = await openStore()
    const large = randomBytes(LARGE)
    await putAll(first, [large])
    const path = join(folder, 'large', nameOf(large).slice(0, 2), nameOf(large))
    const handle = await open(path, 'r+')
    await handle.write('damage', 1000)
    await handle.close()
    // The part itself is as it was.
    const part = { start: 200_000, end: 200_010 }
    const all = await Promise.allSettled([1, 2, 3].map(() => first.open(nameOf(large), part)))
    for (const one of all) assert.ok(one.status === 'rejected' && isFault('corrupt')(one.reason))
    assert.equal(await first.open(nameOf(large), part), undefined)
    await putAll(first, [large])
    const healed = await first.open(nameOf(large), part)
    assert.deepEqual(
      Buffer.concat(await (healed ?? assert.fail()).toArray()),
      large.subarray(200_000, 200_010),
    )
  })

  it('is cut while a part of it is given out, where looking at all of it takes long', async () => {
    const store = await createFsBlobStore({
      ...{ folder, clock: systemClock, log: silentLog, checkedFirstBytes: 0 },
    })
    stores.push(store)
    const large = randomBytes(4 * LARGE)
    await putAll(store, [large])
    const path = join(folder, 'large', nameOf(large).slice(0, 2), nameOf(large))
    const handle = await open(path, 'r+')
    await handle.write('damage', 1000)
    await handle.close()
    const stream = (await store.open(nameOf(large), { start: 1 })) ?? assert.fail()
    // Whoever takes what they are sent slowly is cut off in the middle of it.
    await assert.rejects(once(stream, 'end'), isFault('corrupt'))
    assert.equal(await store.verify(nameOf(large)), 'absent')
  })

  it('is open once, however many read it at the same time', { skip: !isLinux && 'reads /proc' }, async () => {
    const store = await openStore()
    const large = randomBytes(4 * LARGE)
    await putAll(store, [large])
    const path = join(folder, 'large', nameOf(large).slice(0, 2), nameOf(large))
    const openCount = async () => {
      const links = (await readdir('/proc/self/fd')).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      )
      return (await Promise.all(links)).filter((link) => link === path).length
    }
    const streams = await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.open(nameOf(large), n % 2 === 0 ? undefined : { start: n })),
    )
    assert.equal(await openCount(), 1)
    // Some are read to their end, some are not, and none of them ends another.
    for (const [n, stream] of streams.entries())
      if (n % 5 === 0) stream?.destroy()
      else assert.ok((await buffer(stream ?? assert.fail())).equals(large.subarray(n % 2 === 0 ? 0 : n)))
    while ((await openCount()) > 0) await new Promise(setImmediate)
    // What was deleted meanwhile is not found again by whoever comes next.
    const held = (await store.open(nameOf(large))) ?? assert.fail()
    await store.delete([nameOf(large)])
    assert.equal(await store.open(nameOf(large)), undefined)
    assert.ok((await buffer(held)).equals(large), 'whoever has begun to read it reads it to its end')
  })

  it('is looked at one after the other, whoever asks for parts of many', async () => {
    const store = await createFsBlobStore({
      ...{ folder, clock: systemClock, log: silentLog, checkedFirstBytes: 0 },
    })
    stores.push(store)
    const contents = Array.from({ length: 6 }, () => randomBytes(4 * LARGE))
    await putAll(store, contents)
    const verify = store.verify.bind(store)
    const all = Promise.withResolvers<void>()
    let [reading, most, count] = [0, 0, 0]
    store.verify = async (sha256) => {
      most = Math.max(most, ++reading)
      const found = await verify(sha256)
      reading--
      if (++count === contents.length) all.resolve()
      return found
    }
    const streams = await Promise.all(
      contents.map((content) => store.open(nameOf(content), { start: 0, end: 1 })),
    )
    for (const stream of streams) for await (const byte of stream ?? []) assert.equal(byte.length, 1)
    await all.promise
    assert.equal(most, 1)
  })

  it('is absent once it was found damaged, and whole again once it was put again', async () => {
    const store = await openStore()
    const [small, other, large] = [randomBytes(SMALL), randomBytes(SMALL), randomBytes(LARGE)]
    await putAll(store, [small, other, large])
    const largePath = join(folder, 'large', nameOf(large).slice(0, 2), nameOf(large))
    for (const path of [await onlyPack(), largePath]) {
      const handle = await open(path, 'r+')
      await handle.write('damage', 1000)
      await handle.close()
    }
    const all = [small, other, large].map(nameOf)
    assert.deepEqual(await Promise.all(all.map((name) => store.verify(name))), [
      'damaged',
      'sound',
      'damaged',
    ])
    assert.deepEqual(await Promise.all(all.map((name) => store.verify(name))), ['absent', 'sound', 'absent'])
    assert.deepEqual([...(await store.stat(all)).keys()], [nameOf(other)])
    assert.equal(await store.read(nameOf(small)), undefined)
    assert.deepEqual(await readdir(join(folder, 'damaged')), [nameOf(large)])
    await putAll(store, [small, large])
    await assertAll(store, [small, other, large])
    assert.deepEqual(await Promise.all(all.map((name) => store.verify(name))), Array(3).fill('sound'))
  })
})

describe('a content that was put again since it was found damaged', () => {
  let lost: string[]

  const openTelling = async () => {
    const onDamage = async (sha256: string) => void lost.push(sha256)
    const store = await createFsBlobStore({ folder, clock: systemClock, log: silentLog, onDamage })
    stores.push(store)
    return store
  }
  async function damage(path: string): Promise<void> {
    const handle = await open(path, 'r+')
    await handle.write('damage', 1000)
    await handle.close()
  }
  const heal = async (store: BlobStore, bytes: Buffer) => {
    assert.equal(await store.verify(nameOf(bytes)), 'damaged')
    assert.equal((await store.stat([nameOf(bytes)])).size, 0)
    await store.putBytes(bytes)
  }

  beforeEach(() => {
    lost = []
  })

  it('stays, whoever still reads the file from before', async () => {
    const [one, two] = [await openTelling(), await openTelling()]
    const large = randomBytes(8 * LARGE)
    await one.putBytes(large)
    await damage(join(folder, 'large', nameOf(large).slice(0, 2), nameOf(large)))
    const slow = (await two.open(nameOf(large))) ?? assert.fail()
    await once(slow, 'readable')
    await heal(one, large)
    // Not from the file that the slow one reads.
    assert.ok((await two.read(nameOf(large)))?.equals(large))
    await assert.rejects(buffer(slow), isFault('corrupt'))
    assert.equal(await one.verify(nameOf(large)), 'sound')
    assert.equal(await two.verify(nameOf(large)), 'sound')
    assert.deepEqual(lost, [nameOf(large)])
  })

  it('stays, whoever still reads the record from before', async () => {
    const [one, two] = [await openTelling(), await openTelling()]
    const small = randomBytes(SMALL)
    await one.putBytes(small)
    await damage(await onlyPack())
    const reads = (await handleClass()) as unknown as { read: (...args: unknown[]) => Promise<unknown> }
    const read = reads.read
    const [begun, healed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = mock.method(reads, 'read', async function (this: unknown, ...args: unknown[]) {
      first.mock.restore()
      begun.resolve()
      await healed.promise
      return read.apply(this, args)
    })
    const slow = two.read(nameOf(small))
    await begun.promise
    await heal(one, small)
    healed.resolve()
    await assert.rejects(slow, isFault('corrupt'))
    assert.ok((await two.read(nameOf(small)))?.equals(small))
    assert.deepEqual(lost, [nameOf(small)])
  })
})

describe('compaction', () => {
  it('gives back the space of deleted contents and keeps the others', async () => {
    const store = await openStore(256 << 10)
    const contents = someOf(300)
    await putAll(store, contents)
    const before = await packedBytes()
    const [gone, kept] = [contents.slice(0, 250), contents.slice(250)]
    assert.equal(await store.delete(gone.map(nameOf)), 250)
    assert.ok((await packedBytes()) < before / 2)
    await assertAll(store, kept)
    assert.equal((await store.stat(gone.map(nameOf))).size, 0)
  })

  it('leaves a pack alone that is mostly alive', async () => {
    const store = await openStore(256 << 10)
    const contents = someOf(50)
    await putAll(store, contents)
    const before = await packPaths()
    await store.delete(contents.slice(0, 20).map(nameOf))
    assert.deepEqual(await packPaths(), before)
  })

  it('keeps the time of the last put', async () => {
    let now = 1000
    const store = await createFsBlobStore({
      folder,
      clock: clockOf(() => now),
      log: silentLog,
      packBytes: 64 << 10,
    })
    stores.push(store)
    const contents = someOf(60)
    await putAll(store, contents)
    now = 2000
    const kept = contents[59] as Buffer
    await store.delete(contents.slice(0, 59).map(nameOf))
    assert.equal((await store.stat([nameOf(kept)])).get(nameOf(kept))?.putAt, 1000)
  })

  it('is not noticed by readers of other stores, whether they have the pack open or not', async () => {
    const store = await openStore(64 << 10)
    const contents = someOf(60)
    for (const bytes of contents) await store.putBytes(bytes)
    const kept = contents.filter((_, n) => n % 6 === 0)
    const reader = await openStore()
    await assertAll(reader, kept.slice(0, 5))
    let deleted = false
    const reading = (async () => {
      while (!deleted) await assertAll(reader, kept)
    })()
    await store.delete(contents.filter((_, n) => n % 6 !== 0).map(nameOf))
    deleted = true
    await reading
    await assertAll(reader, kept)
    await assertAll(await openStore(), kept)
  })

  it('works on packs of stores that are closed, but not on one that another store fills', async () => {
    const writer = await openStore()
    const filling = someOf(10)
    await putAll(writer, filling)
    const pack = await onlyPack()
    const collector = await openStore()
    await collector.delete(filling.slice(0, 9).map(nameOf))
    assert.deepEqual(await packPaths(), [pack])
    await writer.close()
    await collector.delete([])
    assert.ok(!(await packPaths()).includes(pack))
    await assertAll(collector, filling.slice(9))
  })

  it('goes on with other packs where one cannot be opened', async () => {
    const store = await openStore(64 << 10)
    const contents = someOf(33)
    for (const bytes of contents) await store.putBytes(bytes)
    const packOf = async (bytes: Buffer | undefined) => {
      assert.ok(bytes)
      for (const path of await packPaths()) if ((await readFile(path)).includes(bytes)) return path
      throw new Error('it is in no pack')
    }
    const [first, second] = [await packOf(contents[0]), await packOf(contents[16])]
    assert.notEqual(first, second)
    // It would be the first to be compacted, having the least in it.
    await rm(first)
    const kept = [16, 31, 32].map((n) => contents[n] as Buffer)
    await store.delete(contents.filter((bytes, n) => n > 0 && !kept.includes(bytes)).map(nameOf))
    assert.ok(!(await packPaths()).includes(second))
    await assertAll(store, kept)
  })

  it('drops what it cannot read, and tells so, that it can be put again', async () => {
    const store = await openStore(64 << 10)
    const contents = someOf(16)
    await putAll(store, contents)
    const pack = await onlyPack()
    const [lost, kept, ...gone] = contents
    assert.ok(lost && kept)
    const at = (await readFile(pack)).indexOf(lost)
    const handle = await open(pack, 'r+')
    await handle.write('damage', at)
    await handle.close()
    await store.delete(gone.map(nameOf))
    await assertAll(store, [kept])
    assert.equal(await store.read(nameOf(lost)), undefined)
    assert.deepEqual(told, [nameOf(lost)])
    await store.putBytes(lost)
    await assertAll(store, [kept, lost])
  })
})

describe('opening', () => {
  /** Contents of all kinds in a closed folder. */
  async function fill(count = 30): Promise<Buffer[]> {
    const store = await openStore(64 << 10)
    const contents = [...someOf(count), ...someOf(2, LARGE)]
    for (const bytes of contents) await store.putBytes(bytes)
    await store.close()
    return contents
  }

  it('cuts off a record that was being written and goes on there', async () => {
    const store = await openStore()
    const contents = someOf(3)
    await putAll(store, contents)
    await store.close()
    const pack = await onlyPack()
    const sound = await readFile(pack)
    for (const torn of [
      sound.subarray(0, 2000),
      sound.subarray(0, 51),
      Buffer.alloc(9000),
      randomBytes(9000),
    ]) {
      await writeFile(pack, Buffer.concat([sound, torn]))
      await (await openStore()).close()
      assert.equal((await stat(pack)).size, sound.length)
    }
    const again = await openStore()
    await again.putBytes(Buffer.from('more'))
    await assertAll(again, [...contents, Buffer.from('more')])
    await onlyPack()
  })

  it('makes a lost index anew from the packs', async () => {
    const contents = await fill()
    await rm(join(folder, 'index.sqlite'))
    await assertAll(await openStore(), contents)
  })

  it('makes a damaged index anew from the packs', async () => {
    const contents = await fill()
    await writeFile(join(folder, 'index.sqlite'), randomBytes(20_000))
    await assertAll(await openStore(), contents)
  })

  it('does not touch a lost index while another store is open', async () => {
    await openStore()
    await rm(join(folder, 'index.sqlite'))
    await assert.rejects(createFsBlobStore({ folder, clock: systemClock, log: silentLog }), /stop them first/)
  })

  it('finds everything again with an index from before, as a power cut leaves it', async () => {
    const early = await fill(20)
    await copyFile(join(folder, 'index.sqlite'), join(folder, 'before'))
    const late = await fill(50)
    await copyFile(join(folder, 'before'), join(folder, 'index.sqlite'))
    await assertAll(await openStore(), [...early, ...late])
  })

  it('finds everything again with an index from before a compaction', async () => {
    const contents = (await fill(60)).slice(0, 60)
    await copyFile(join(folder, 'index.sqlite'), join(folder, 'before'))
    const store = await openStore(64 << 10)
    const kept = contents.filter((_, n) => n % 6 === 0)
    await store.delete(contents.filter((_, n) => n % 6 !== 0).map(nameOf))
    await store.close()
    await copyFile(join(folder, 'before'), join(folder, 'index.sqlite'))
    await assertAll(await openStore(), kept)
  })

  it('tells contents absent that a pack which was cut short no longer holds', async () => {
    const contents = someOf(3)
    const store = await openStore()
    for (const bytes of contents) await store.putBytes(bytes)
    await store.close()
    await truncate(await onlyPack(), SMALL * 2)
    const again = await openStore()
    await assertAll(again, contents.slice(0, 1))
    for (const bytes of contents.slice(1)) assert.equal(await again.read(nameOf(bytes)), undefined)
    assert.deepEqual(told.toSorted(), contents.slice(1).map(nameOf).toSorted())
    await putAll(again, contents)
    await assertAll(again, contents)
  })

  it('tells of contents whose pack is gone, and not of those that a compaction had moved', async () => {
    const contents = await fill(20)
    await copyFile(join(folder, 'index.sqlite'), join(folder, 'before'))
    const store = await openStore(64 << 10)
    await store.delete(contents.slice(0, 12).map(nameOf))
    await store.close()
    await copyFile(join(folder, 'before'), join(folder, 'index.sqlite'))
    const again = await openStore()
    await assertAll(again, contents.slice(12))
    await again.close()
    assert.deepEqual(told.toSorted(), contents.slice(0, 12).map(nameOf).toSorted())
    told = []
    for (const path of await packPaths()) await rm(path)
    const empty = await openStore()
    await assertAll(empty, contents.slice(20))
    await empty.close()
    assert.deepEqual(told.toSorted(), contents.slice(12, 20).map(nameOf).toSorted())
  })

  it('removes temporary files of the dead, not those of the living', async () => {
    const living = await openStore()
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const bytes = randomBytes(LARGE)
    let started = () => {}
    const underWay = new Promise<void>((resolve) => {
      started = resolve
    })
    const put = living.put(
      (async function* () {
        yield bytes.subarray(0, LARGE / 2)
        started()
        await finished
        yield bytes.subarray(LARGE / 2)
      })(),
      { maxBytes: LARGE },
    )
    await underWay
    await writeFile(join(folder, 'temp', 'dead0123.1'), 'left behind')
    const other = await openStore()
    assert.equal((await temps()).length, 1)
    finish()
    await put
    await assertAll(other, [bytes])
    assert.deepEqual(await temps(), [])
  })

  it('works for many stores at once', async () => {
    const contents = someOf(24)
    await Promise.all(
      [...Array(6).keys()].map(async (n) => {
        const store = await openStore()
        await putAll(store, contents.slice(n * 4, n * 4 + 4))
      }),
    )
    for (const store of stores) await assertAll(store, contents)
  })
})

describe('a failing disk', () => {
  it('takes no more of a large content once there is no room, and leaves nothing of it', async () => {
    let chunks = 0
    const hasRoom = () => chunks < 5
    const store = await createFsBlobStore({ folder, clock: systemClock, log: silentLog, hasRoom })
    stores.push(store)
    async function* endless() {
      for (;;) {
        chunks++
        yield randomBytes(LARGE)
      }
    }
    await assert.rejects(store.put(endless(), { maxBytes: 1e12 }), isFault('no_space'))
    assert.equal(chunks, 5)
    assert.deepEqual(await temps(), [])
  })

  it('rejects the puts it fails and none after', async () => {
    const store = await openStore()
    const before = someOf(5)
    await putAll(store, before)
    const size = await packedBytes()
    for (const [code, isExpected] of [
      ['ENOSPC', isFault('no_space')],
      ['EDQUOT', isFault('no_space')],
      ['EIO', (error: unknown) => error instanceof Error && error.message === 'EIO'],
    ] as const) {
      const failing = mock.method(await handleClass(), 'write', () => Promise.reject(failure(code)))
      const contents = [...someOf(3), randomBytes(LARGE)]
      const outcomes = await Promise.allSettled(contents.map((bytes) => store.putBytes(bytes)))
      for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isExpected(outcome.reason))
      failing.mock.restore()
      assert.equal((await store.stat(contents.map(nameOf))).size, 0)
      assert.equal(await packedBytes(), size)
      assert.deepEqual(await temps(), [])
    }
    const after = [...someOf(5), randomBytes(LARGE)]
    await putAll(store, after)
    await assertAll(store, [...before, ...after])
    await store.close()
    await assertAll(await openStore(), [...before, ...after])
  })

  it('leaves nothing of a batch of which it wrote a part', async () => {
    const store = await openStore()
    await store.putBytes(randomBytes(SMALL))
    const size = await packedBytes()
    const { write: writeSound } = await handleClass()
    let calls = 0
    mock.method(
      await handleClass(),
      'write',
      function (this: unknown, bytes: Buffer, from: number, _: number, at: number) {
        calls += 1
        if (calls > 1) return Promise.reject(failure('ENOSPC'))
        return writeSound.call(this, bytes, from, SMALL + 500, at)
      },
    )
    const contents = someOf(3)
    for (const outcome of await Promise.allSettled(contents.map((bytes) => store.putBytes(bytes))))
      assert.equal(outcome.status, 'rejected')
    mock.restoreAll()
    assert.equal(calls, 2)
    assert.equal(await packedBytes(), size)
    await putAll(store, contents)
    await assertAll(store, contents)
  })

  it('does not name a large content that it failed to sync', async () => {
    const store = await openStore()
    mock.method(await handleClass(), 'datasync', () => Promise.reject(failure('EIO')))
    const bytes = randomBytes(LARGE)
    await assert.rejects(store.putBytes(bytes), /EIO/)
    mock.restoreAll()
    assert.equal(await store.read(nameOf(bytes)), undefined)
    assert.deepEqual(await temps(), [])
    await store.putBytes(bytes)
    await assertAll(store, [bytes])
  })
})

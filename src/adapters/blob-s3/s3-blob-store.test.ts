import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { DAY, MINUTE } from '#contract/time.ts'
import { BlobError, type BlobStore } from '#core/ports/blob-store.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import { clockOf } from '#test/support/clock.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { type Fate, type FlakyProxy, startFlakyProxy } from '#test/support/storage/flaky-proxy.ts'
import { type SharedS3, shareS3, withoutS3 } from '#test/support/storage/s3.ts'
import { openS3Storage, type S3Storage } from '#test/support/storage/s3-storage.ts'
import { PART_BYTES } from './large-uploads.ts'
import type { Marker } from './marker.ts'

const nameOf = (bytes: Uint8Array) => hash('sha256', bytes)
const isCorrupt = (error: unknown) => error instanceof BlobError && error.kind === 'corrupt'

describe('contents in an object store', { skip: withoutS3 }, () => {
  let server: SharedS3
  let proxy: FlakyProxy
  let fateOf: (on: string, query: URLSearchParams) => Fate
  let storage: S3Storage
  let now: number
  const clock = clockOf(() => now)
  const opened: BlobStore[] = []

  const open: S3Storage['open'] = async (...args) => {
    const store = await storage.open(...args)
    opened.push(store)
    return store
  }
  const machine = (options = {}) => open(clock, { pause: async () => {}, ...options })
  const objects = async () => [
    ...(await storage.client.list('packs/')),
    ...(await storage.client.list('large/')),
  ]

  before(async () => {
    server = await shareS3()
    proxy = await startFlakyProxy(server.endpoint, (...given) => fateOf(...given))
  })
  after(async () => {
    await proxy.close()
    await server.stop()
  })
  beforeEach(async () => {
    now = 1_700_000_000_000
    fateOf = () => 'pass'
    const makeBucket = async (prefix?: string) =>
      (await server.makeBucket(prefix)).replace(
        encodeURIComponent(server.endpoint),
        encodeURIComponent(proxy.url),
      )
    storage = await openS3Storage({ makeBucket }, usualDatabase)
  })
  afterEach(async () => {
    fateOf = () => 'pass'
    await Promise.all(opened.splice(0).map((store) => store.close()))
    await storage.remove()
  })

  it('are few uploads where they are many small files', async () => {
    const store = await machine()
    const files = Array.from({ length: 10_000 }, (_, n) => Buffer.from(`file ${n} ${'x'.repeat(n % 900)}`))
    const from = proxy.seen.length
    // As many clients do: some at a time, each waiting for its answer.
    const waiting = files.values()
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        for (const bytes of waiting) await store.putBytes(bytes)
      }),
    )
    const uploads = proxy.seen.slice(from).filter((on) => on.startsWith('PUT')).length
    assert.ok(uploads < 400, `${uploads} uploads`)
    assert.equal((await store.stat(files.map(nameOf))).size, files.length)
  })

  it('are read from this machine once they were read, also while the store is away', async () => {
    const [here, there] = [await machine(), await machine()]
    const site = Array.from({ length: 20 }, () => randomBytes(3000))
    const large = randomBytes(200_000)
    await Promise.all([...site, large].map((bytes) => here.putBytes(bytes)))
    const [first = large] = site
    // Those that came a moment later may be in a pack of their own.
    const placed = await storage.index.find(site.map(nameOf))
    const oneOfEach = new Map(placed.map(({ object, sha256 }) => [object, sha256]))
    assert.ok(oneOfEach.size < site.length)
    for (const sha256 of [...oneOfEach.values(), nameOf(large)])
      assert.equal(nameOf((await there.read(sha256)) ?? Buffer.alloc(0)), sha256)
    // What shares a pack with what was read comes along; closing waits for it.
    await there.close()
    const again = await machine({ folder: join(storage.folder, 'machine-1') })
    fateOf = () => 'cut'
    for (const bytes of [...site, large]) assert.ok((await again.read(nameOf(bytes)))?.equals(bytes))
    // What was put here is here.
    for (const bytes of [...site, large]) assert.ok((await here.read(nameOf(bytes)))?.equals(bytes))
    const unknown = await machine()
    await assert.rejects(unknown.read(nameOf(large)), isUnavailable)
    await assert.rejects(here.putBytes(randomBytes(100)), isUnavailable)
    assert.equal(await here.putBytes(first).then(({ sha256 }) => sha256), nameOf(first))
  })

  it('are fetched anew where the copy is damaged', async () => {
    const store = await machine()
    const bytes = randomBytes(200_000)
    const { sha256 } = await store.putBytes(bytes)
    const path = join(storage.folder, 'machine-0', 'large', sha256.slice(0, 2), sha256)
    assert.equal((await stat(path)).size, bytes.length)
    await writeFile(path, randomBytes(200_000))
    assert.ok((await store.read(sha256))?.equals(bytes))
    assert.equal(await store.verify(sha256), 'sound')
  })

  it('are absent once they are damaged in the store, and whole once they were put again', async () => {
    const damaged: string[] = []
    const [writer, reader] = [
      await machine(),
      await machine({ onDamage: async (sha256: string) => void damaged.push(sha256) }),
    ]
    for (const bytes of [randomBytes(2000), randomBytes(200_000), randomBytes(9 << 20)]) {
      const { sha256 } = await writer.putBytes(bytes)
      const [{ object: key } = { object: '' }] = await storage.index.find([sha256])
      const whole = await storage.client.getBytes(key)
      assert.ok(whole)
      await storage.client.put(key, Buffer.concat([whole.subarray(0, 60), randomBytes(whole.length - 60)]))
      await assert.rejects(async () => {
        const stream = await reader.open(sha256)
        if (stream) await buffer(stream)
      }, isCorrupt)
      assert.equal((await reader.stat([sha256])).size, 0)
      await storage.client.remove(key)
      await writer.putBytes(bytes)
      assert.ok((await reader.read(sha256))?.equals(bytes))
    }
    assert.equal(damaged.length, 3)
  })

  it('that were put again since they were found damaged stay, whoever still reads the object from before', async () => {
    const damaged: string[] = []
    const onDamage = async (sha256: string) => void damaged.push(sha256)
    const [writer, one, two] = [
      await machine(),
      await machine({ onDamage, budgetBytes: 1 }),
      await machine({ onDamage, budgetBytes: 1 }),
    ]
    const bytes = randomBytes(9 << 20)
    const { sha256 } = await writer.putBytes(bytes)
    const [{ object: key } = { object: '' }] = await storage.index.find([sha256])
    await storage.client.put(key, Buffer.concat([bytes.subarray(0, -60), randomBytes(60)]))
    const slow = (await two.open(sha256)) ?? assert.fail()
    await once(slow, 'readable')
    assert.equal(await one.verify(sha256), 'damaged')
    await writer.putBytes(bytes)
    await assert.rejects(buffer(slow), isCorrupt)
    assert.equal((await one.stat([sha256])).size, 1)
    assert.equal(await one.verify(sha256), 'sound')
    assert.deepEqual(damaged, [sha256])
  })

  it('are not given up for one wrong answer', async () => {
    const damaged: string[] = []
    const onDamage = async (sha256: string) => void damaged.push(sha256)
    const writer = await machine()
    for (const bytes of [randomBytes(2000), randomBytes(9 << 20)]) {
      const { sha256 } = await writer.putBytes(bytes)
      const [{ object: key } = { object: '' }] = await storage.index.find([sha256])
      const whole = (await storage.client.getBytes(key)) ?? assert.fail()
      const [gone, changed] = [
        undefined,
        Buffer.concat([whole.subarray(0, 60), randomBytes(whole.length - 60)]),
      ]
      for (const answer of [gone, changed]) {
        // Until it is asked for the second time.
        const reader = await machine({ onDamage, pause: () => storage.client.put(key, whole) })
        const wrong = () => (answer ? storage.client.put(key, answer) : storage.client.remove(key))
        await wrong()
        assert.equal(await reader.verify(sha256), 'sound')
        await wrong()
        // What was sent of a large one cannot be taken back.
        const all = async () => buffer((await reader.open(sha256)) ?? assert.fail())
        if (answer && bytes.length > PART_BYTES) await assert.rejects(all, isCorrupt)
        else assert.ok((await all()).equals(bytes))
        assert.equal((await reader.stat([sha256])).size, 1)
      }
    }
    assert.deepEqual(damaged, [])
  })

  it('that were given up for wrong answers are kept in the store for long', async () => {
    const store = await machine()
    const reader = await machine()
    const contents = [randomBytes(2000), randomBytes(200_000)]
    for (const bytes of contents) {
      const { sha256 } = await store.putBytes(bytes)
      const [{ object: key } = { object: '' }] = await storage.index.find([sha256])
      const whole = (await storage.client.getBytes(key)) ?? assert.fail()
      await storage.client.remove(key)
      assert.equal(await reader.verify(sha256), 'damaged')
      await storage.client.put(key, whole)
    }
    now += 29 * DAY
    await store.delete([])
    assert.equal((await objects()).length, 2)
    now += 2 * DAY
    await store.delete([])
    assert.deepEqual(await objects(), [])
  })

  it('are not given up in the store of another installation', async () => {
    const writer = await machine()
    const bytes = randomBytes(200_000)
    const { sha256 } = await writer.putBytes(bytes)
    for (const key of await objects()) await storage.client.remove(key)
    const reader = await machine({ installation: async () => 'another' })
    await assert.rejects(reader.read(sha256), isCorrupt)
    assert.equal((await reader.stat([sha256])).size, 1)
  })

  it('are stored only after the store was marked, which is tried again while it is away', async () => {
    const marked: (string | undefined)[] = []
    let isAway = true
    const store = await machine({
      claim: async (marker: Marker) => {
        if (isAway) throw new Error('away')
        marked.push(await marker.read())
      },
    })
    const contents = [randomBytes(100), randomBytes(200_000)]
    for (const bytes of contents) await assert.rejects(store.putBytes(bytes), /away/)
    assert.deepEqual(await objects(), [])
    isAway = false
    for (const bytes of contents) await store.putBytes(bytes)
    assert.deepEqual(marked, ['one'])
  })

  it('keep within the budget of the machine, and what was used stays', async () => {
    const store = await machine({ budgetBytes: 1_000_000 })
    const contents = Array.from({ length: 30 }, () => randomBytes(100_000))
    const [hot = Buffer.alloc(0)] = contents
    for (const bytes of contents) {
      now += 1000
      await store.putBytes(bytes)
      assert.ok((await store.read(nameOf(hot)))?.equals(hot))
    }
    await store.close()
    const files = await readdir(join(storage.folder, 'machine-0', 'large'), { recursive: true })
    const kept = files.filter((name) => name.length > 64)
    assert.ok(kept.length <= 10, `${kept.length} files`)
    assert.ok(kept.some((name) => name.endsWith(nameOf(hot))))
    const again = await machine()
    for (const bytes of contents) assert.ok((await again.read(nameOf(bytes)))?.equals(bytes))
  })

  it('go on being read where the connection breaks', async () => {
    const writer = await machine()
    const bytes = randomBytes(20 << 20)
    const { sha256 } = await writer.putBytes(bytes)
    const reader = await machine()
    const fates: Fate[] = ['break', 'cut', 'break']
    fateOf = (on) => (on.startsWith('GET') && on.includes('large/') && fates.shift()) || 'pass'
    const stream = await reader.open(sha256)
    assert.ok(stream)
    assert.ok((await buffer(stream)).equals(bytes))
    const part = await (await machine()).open(sha256, { start: 9_000_000, end: 9_000_100 })
    assert.ok(part)
    assert.ok((await buffer(part)).equals(bytes.subarray(9_000_000, 9_000_100)))
  })

  it('larger than a part are sent in parts, each with its checksum, and read by range', async () => {
    const writer = await machine()
    const bytes = randomBytes(2 * PART_BYTES + 1000)
    const sent: string[] = []
    fateOf = (on, query) => {
      const isEnd = on.startsWith('POST') && query.has('uploadId')
      const what = isEnd ? 'end' : (query.get('partNumber') ?? (query.has('uploads') ? 'begin' : ''))
      const isFirst = !sent.includes(what)
      if (what !== '') sent.push(what)
      // One part is changed on the way, which the store notices; and the answer to the end is lost.
      if (isFirst && what === '2') return 'change'
      return isFirst && isEnd ? 'break' : 'pass'
    }
    const { sha256 } = await writer.putBytes(bytes)
    assert.deepEqual(sent.toSorted(), ['1', '2', '2', '3', 'begin', 'end', 'end'])
    fateOf = () => 'pass'
    assert.equal((await objects()).length, 1)
    assert.deepEqual(await storage.strays(), [])
    for (const [start, end] of [
      [PART_BYTES - 10, PART_BYTES + 10],
      [0, 5],
      [2 * PART_BYTES - 1, bytes.length],
    ] as const) {
      const part = await (await machine()).open(sha256, { start, end })
      assert.ok(part && (await buffer(part)).equals(bytes.subarray(start, end)), `${start} to ${end}`)
    }
    assert.equal(await writer.verify(sha256), 'sound')
  })

  it('leave no parts of an upload that was broken off', async () => {
    const store = await machine()
    const sent: string[] = []
    // The first part is refused while others still have to be tried again.
    fateOf = (on, query) => {
      const part = query.get('partNumber')
      const isAgain = part !== null && sent.includes(part)
      sent.push(part ?? on.split(' ')[0] ?? '')
      return part === null || isAgain ? 'pass' : part === '1' ? 'refuse' : 'cut'
    }
    await assert.rejects(store.putBytes(randomBytes(4 * PART_BYTES)), /refused PUT: 403/)
    // A part that comes after the upload was given up would stay.
    assert.deepEqual(sent.slice(1, sent.indexOf('DELETE')).toSorted(), ['1', '2', '2', '3', '3'])
    assert.deepEqual(await storage.client.unfinished(''), [])
    assert.deepEqual([await storage.strays(), await objects()], [[], []])
  })

  it('give their space back a while after they were deleted, and not what was put meanwhile', async () => {
    const [store, other] = [await machine(), await machine()]
    const [gone, kept] = [randomBytes(200_000), randomBytes(200_000)]
    await Promise.all([store.putBytes(gone), store.putBytes(kept)])
    await store.delete([nameOf(gone), nameOf(kept)])
    assert.equal((await objects()).length, 2, 'who has just looked them up still reads them')
    await other.putBytes(kept)
    now += 11 * MINUTE
    await store.delete([])
    assert.equal((await objects()).length, 1)
    assert.ok((await (await machine()).read(nameOf(kept)))?.equals(kept))
  })

  it('leave nothing of uploads that never ended', async () => {
    const store = await machine()
    const uploadId = await storage.client.beginParts('large/aa/lost')
    await storage.client.putPart('large/aa/lost', uploadId, 1, randomBytes(6 << 20))
    await storage.index.noteUpload('large/aa/lost', now)
    await storage.client.put('packs/bb/lost', randomBytes(10))
    await storage.index.noteUpload('packs/bb/lost', now)
    await store.delete([])
    assert.equal((await storage.client.unfinished('')).length, 1, 'it may still be under way')
    now += DAY + MINUTE
    await store.delete([])
    assert.deepEqual(await storage.strays(), [])
    assert.deepEqual(await objects(), [])
  })

  it('that came one by one are put together', async () => {
    const store = await machine()
    const contents = Array.from({ length: 40 }, () => randomBytes(1000))
    for (const bytes of contents) await store.putBytes(bytes)
    assert.equal((await objects()).length, 40)
    const [deleted = Buffer.alloc(0), ...left] = contents
    await store.delete([nameOf(deleted)])
    now += 11 * MINUTE
    await store.delete([])
    assert.equal((await objects()).length, 1)
    const reader = await machine()
    for (const bytes of left) assert.ok((await reader.read(nameOf(bytes)))?.equals(bytes))
    assert.equal(await reader.read(nameOf(deleted)), undefined)
  })
})

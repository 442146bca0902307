import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { BlobDigest, BlobFault, BlobStore, StoredBlob } from '#core/ports/blob-store.ts'
import { BlobError } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import { clockOf } from '#test/support/clock.ts'

/** One empty storage. Every store opened on it is another process as far as the port goes. */
interface BlobStorage {
  open(clock: Clock): Promise<BlobStore>
  /** What unfinished work has left lying about, for a store that is idle. */
  strays(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** On both sides of every limit at which an adapter may change its ways. */
const SIZES = [0, 1, 4096, 64 << 10, (64 << 10) + 1, 1 << 20, (9 << 20) + 7]
const SMALL = 4096
const LARGE = 300_000
const ABSENT = 'a'.repeat(64)

const digestOf = (bytes: Uint8Array): BlobDigest => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  sha1: createHash('sha1').update(bytes).digest('hex'),
  size: bytes.length,
})

const isFault = (kind: BlobFault) => (error: unknown) => error instanceof BlobError && error.kind === kind

async function* chunksOf(bytes: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export function blobStoreSuite(name: string, createStorage: () => Promise<BlobStorage>): void {
  describe(name, () => {
    let storage: BlobStorage
    let store: BlobStore
    let now: number
    const clock: Clock = clockOf(() => now)
    const opened: BlobStore[] = []

    const open = async () => {
      const another = await storage.open(clock)
      opened.push(another)
      return another
    }

    beforeEach(async () => {
      now = 1_700_000_000_000
      storage = await createStorage()
      store = await open()
    })

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((each) => each.close()))
      await storage.remove()
    })

    const assertEmpty = async () => {
      assert.deepEqual(await collect(store.list()), [])
      assert.deepEqual(await storage.strays(), [])
    }

    for (const size of SIZES) {
      it(`gives back ${size} bytes as they were put, streamed or not`, async () => {
        const streamed = randomBytes(size)
        const inMemory = randomBytes(size)
        const digest = await store.put(chunksOf(streamed), { maxBytes: size, sizeHint: size })
        assert.deepEqual(digest, digestOf(streamed))
        assert.deepEqual(await store.putBytes(inMemory), digestOf(inMemory))
        for (const bytes of [streamed, inMemory]) {
          const { sha256 } = digestOf(bytes)
          const stream = await store.open(sha256)
          assert.ok(stream)
          assert.ok((await buffer(stream)).equals(bytes))
          assert.ok((await store.read(sha256))?.equals(bytes))
        }
        assert.deepEqual(await storage.strays(), [])
      })

      it(`does not need to be told that ${size} bytes come`, async () => {
        const bytes = randomBytes(size)
        const digest = await store.put(Readable.from(chunksOf(bytes), { objectMode: false }), {
          maxBytes: size,
        })
        assert.deepEqual(digest, digestOf(bytes))
        assert.ok((await store.read(digest.sha256))?.equals(bytes))
      })
    }

    it('does not believe the announced size', async () => {
      const small = randomBytes(SMALL)
      const large = randomBytes(LARGE)
      await store.put(chunksOf(small), { maxBytes: LARGE, sizeHint: LARGE })
      await store.put(chunksOf(large), { maxBytes: LARGE, sizeHint: SMALL })
      assert.ok((await store.read(digestOf(small).sha256))?.equals(small))
      assert.ok((await store.read(digestOf(large).sha256))?.equals(large))
    })

    it('survives closing and opening again', async () => {
      const contents = [randomBytes(SMALL), randomBytes(LARGE)]
      await Promise.all(contents.map((bytes) => store.putBytes(bytes)))
      await store.close()
      const again = await open()
      for (const bytes of contents) assert.ok((await again.read(digestOf(bytes).sha256))?.equals(bytes))
    })

    it('knows nothing of an absent content', async () => {
      assert.equal(await store.read(ABSENT), undefined)
      assert.equal(await store.open(ABSENT), undefined)
      assert.equal((await store.stat([ABSENT])).size, 0)
      assert.equal(await store.delete([ABSENT]), 0)
    })

    it('refuses names that are not hashes', async () => {
      for (const bad of [
        '',
        '../../etc/passwd',
        ABSENT.toUpperCase(),
        `${ABSENT}\n`,
        `${ABSENT}/..`,
        ABSENT.slice(1),
      ]) {
        await assert.rejects(store.read(bad), isFault('bad_name'))
        await assert.rejects(store.open(bad), isFault('bad_name'))
        await assert.rejects(store.stat([ABSENT, bad]), isFault('bad_name'))
        await assert.rejects(store.delete([ABSENT, bad]), isFault('bad_name'))
        await assert.rejects(collect(store.list(bad)), isFault('bad_name'))
      }
    })

    it('keeps one copy of equal contents put at the same time from several stores', async () => {
      const other = await open()
      for (const size of [0, SMALL, LARGE]) {
        const bytes = randomBytes(size)
        const puts = [store, other, store, other].flatMap((each) => [
          each.putBytes(bytes),
          each.put(chunksOf(bytes), { maxBytes: size }),
        ])
        for (const digest of await Promise.all(puts)) assert.deepEqual(digest, digestOf(bytes))
      }
      assert.equal((await collect(store.list())).length, 3)
      assert.deepEqual(await storage.strays(), [])
    })

    it('is at once in sight of every other store', async () => {
      const other = await open()
      for (const size of [SMALL, LARGE]) {
        const bytes = randomBytes(size)
        const { sha256 } = await store.putBytes(bytes)
        assert.ok((await other.read(sha256))?.equals(bytes))
        assert.equal(await other.delete([sha256]), 1)
        assert.equal((await store.stat([sha256])).size, 0)
        assert.equal(await other.read(sha256), undefined)
      }
    })

    it('keeps a thousand contents put in one moment', async () => {
      const contents = Array.from({ length: 1000 }, (_, n) =>
        Buffer.concat([randomBytes(n), Buffer.from(`${n}`)]),
      )
      await Promise.all(contents.map((bytes) => store.putBytes(bytes)))
      const found = await store.stat(contents.map((bytes) => digestOf(bytes).sha256))
      assert.equal(found.size, 1000)
      for (const bytes of contents) assert.ok((await store.read(digestOf(bytes).sha256))?.equals(bytes))
    })

    it('reads any range within the content and no other', async () => {
      for (const size of [SMALL, LARGE]) {
        const bytes = randomBytes(size)
        const { sha256 } = await store.putBytes(bytes)
        const ranges = [
          { start: 0 },
          { start: 0, end: 1 },
          { start: 17, end: 3000 },
          { start: size - 1 },
          { start: 5, end: 5 },
          { start: size },
        ]
        for (const range of ranges) {
          const stream = await store.open(sha256, range)
          assert.ok(stream)
          assert.ok(
            (await buffer(stream)).equals(bytes.subarray(range.start, range.end)),
            JSON.stringify(range),
          )
        }
        const wrong = [
          { start: -1 },
          { start: 0, end: size + 1 },
          { start: 2, end: 1 },
          { start: 0.5 },
          { start: size + 1 },
        ]
        for (const range of wrong) await assert.rejects(store.open(sha256, range), isFault('bad_range'))
      }
    })

    it('refuses one byte more than allowed and leaves nothing', async () => {
      for (const size of [SMALL, LARGE, 9 << 20]) {
        const bytes = randomBytes(size)
        const maxBytes = size - 1
        await assert.rejects(store.put(chunksOf(bytes), { maxBytes }), isFault('too_large'))
        await assert.rejects(store.put(chunksOf(bytes), { maxBytes, sizeHint: size }), isFault('too_large'))
        await assert.rejects(
          store.put(chunksOf(bytes), { maxBytes, sizeHint: maxBytes }),
          isFault('too_large'),
        )
      }
      await assertEmpty()
    })

    it('leaves the source of a refused put to its owner', async () => {
      const source = Readable.from(chunksOf(randomBytes(LARGE)), { objectMode: false })
      await assert.rejects(store.put(source, { maxBytes: 20_000 }), isFault('too_large'))
      assert.equal(source.destroyed, false)
      assert.ok((await buffer(source)).length > 0)
    })

    it('stores nothing that the caller does not accept', async () => {
      for (const size of [SMALL, LARGE, 9 << 20]) {
        const bytes = randomBytes(size)
        let seen: BlobDigest | undefined
        const accept = (digest: BlobDigest) => {
          seen = digest
          throw new Error('wrong digest')
        }
        await assert.rejects(
          store.put(chunksOf(bytes), { maxBytes: size, sizeHint: size, accept }),
          /wrong digest/,
        )
        assert.deepEqual(seen, digestOf(bytes))
      }
      await assertEmpty()
    })

    it('leaves nothing of a source that fails', async () => {
      async function* failing(size: number) {
        yield* chunksOf(randomBytes(size))
        throw new Error('the line broke')
      }
      for (const size of [0, SMALL, LARGE, 9 << 20]) {
        const options = { maxBytes: 1 << 30, sizeHint: size }
        await assert.rejects(store.put(failing(size), options), /the line broke/)
        await assert.rejects(store.put(Readable.from(failing(size)), options), /the line broke/)
      }
      await assertEmpty()
    })

    it('takes nothing but bytes', async () => {
      await assert.rejects(store.put(Readable.from(['text']), { maxBytes: 100 }), TypeError)
      await assertEmpty()
    })

    it('stops at an abort, even when the source is stuck, and leaves nothing', async () => {
      for (const size of [SMALL, LARGE, 9 << 20]) {
        const abort = new AbortController()
        async function* stuck() {
          yield* chunksOf(randomBytes(size))
          queueMicrotask(() => abort.abort(new Error('gone away')))
          await new Promise(() => undefined)
        }
        const options = { maxBytes: 1 << 30, sizeHint: size, signal: abort.signal }
        await assert.rejects(store.put(stuck(), options), /gone away/)
        await assert.rejects(store.put(chunksOf(randomBytes(size)), options), /gone away/)
      }
      await assertEmpty()
    })

    it('reads a source no faster than it stores it', async () => {
      let ahead = 0
      let mostAhead = 0
      async function* counted() {
        for (let n = 0; n < 400; n += 1) {
          ahead += 1
          mostAhead = Math.max(mostAhead, ahead)
          yield Buffer.alloc(64 << 10, n)
          ahead -= 1
        }
      }
      await store.put(counted(), { maxBytes: 1 << 30 })
      assert.equal(mostAhead, 1)
    })

    it('tells size and time of the last put, repeats included', async () => {
      const contents = [randomBytes(SMALL), randomBytes(LARGE)]
      for (const bytes of contents) {
        const { sha256 } = await store.putBytes(bytes)
        const first: StoredBlob = { sha256, size: bytes.length, putAt: now }
        assert.deepEqual((await store.stat([sha256, ABSENT])).get(sha256), first)
        now += 60_000
        await store.putBytes(bytes)
        assert.deepEqual([...(await store.stat([sha256])).values()], [{ ...first, putAt: now }])
      }
    })

    it('lists everything in the order of names, from any name on', async () => {
      const contents = [...Array(40).keys()].map((n) => randomBytes(n % 2 === 0 ? SMALL : (64 << 10) + n))
      await Promise.all(contents.map((bytes) => store.putBytes(bytes)))
      const expected = contents
        .map((bytes): StoredBlob => ({ sha256: digestOf(bytes).sha256, size: bytes.length, putAt: now }))
        .sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
      assert.deepEqual(await collect(store.list()), expected)
      for (const n of [0, 13, 39])
        assert.deepEqual(await collect(store.list(expected[n]?.sha256)), expected.slice(n + 1))
      assert.deepEqual(await collect(store.list('f'.repeat(64))), [])
    })

    it('deletes what it is told and nothing else', async () => {
      const contents = [...Array(20).keys()].map((n) => randomBytes(n % 2 === 0 ? SMALL : LARGE))
      const names = (await Promise.all(contents.map((bytes) => store.putBytes(bytes)))).map(
        ({ sha256 }) => sha256,
      )
      assert.equal(await store.delete([...names.slice(0, 15), ABSENT]), 15)
      const left = await store.stat(names)
      assert.deepEqual(new Set(left.keys()), new Set(names.slice(15)))
      for (const [n, name] of names.entries()) {
        const bytes = await store.read(name)
        if (n < 15) assert.equal(bytes, undefined)
        else assert.ok(bytes?.equals(contents[n] as Buffer))
      }
      assert.deepEqual(await storage.strays(), [])
    })

    it('takes a deleted content again', async () => {
      for (const size of [SMALL, LARGE]) {
        const bytes = randomBytes(size)
        const { sha256 } = await store.putBytes(bytes)
        await store.delete([sha256])
        await store.putBytes(bytes)
        assert.ok((await store.read(sha256))?.equals(bytes))
      }
    })

    it('spares what was put again since the time a deletion names', async () => {
      for (const size of [SMALL, LARGE]) {
        const [kept, gone] = [randomBytes(size), randomBytes(size)]
        await Promise.all([store.putBytes(kept), store.putBytes(gone)])
        now += 1000
        await store.putBytes(kept)
        const names = [digestOf(kept).sha256, digestOf(gone).sha256]
        assert.equal(await store.delete(names, { notPutSince: now }), 1)
        assert.deepEqual([...(await store.stat(names)).keys()], [digestOf(kept).sha256])
      }
    })

    it('finishes reading what is deleted meanwhile', async () => {
      const bytes = randomBytes(3 << 20)
      const { sha256 } = await store.putBytes(bytes)
      const stream = await store.open(sha256)
      await store.delete([sha256])
      assert.ok(stream)
      assert.ok((await buffer(stream)).equals(bytes))
    })

    it('loses nothing to deletions and puts that race from several stores', async () => {
      const other = await open()
      const contents = [...Array(8).keys()].map((n) => randomBytes(n % 2 === 0 ? SMALL : (64 << 10) + n))
      const names = contents.map((bytes) => digestOf(bytes).sha256)
      for (let round = 0; round < 20; round += 1) {
        now += 10
        const notPutSince = now
        await Promise.all([
          ...contents.map((bytes, n) => (n % 4 < 2 ? store : other).putBytes(bytes)),
          store.delete(names, { notPutSince }),
          other.delete(names, { notPutSince }),
        ])
        for (const [n, name] of names.entries())
          assert.ok((await other.read(name))?.equals(contents[n] as Buffer))
      }
    })

    it('finishes puts in memory and turns away the rest when it closes', async () => {
      const bytes = randomBytes(SMALL)
      const underWay = store.putBytes(bytes)
      const stuck = store.put(
        (async function* () {
          yield randomBytes(LARGE)
          await new Promise(() => undefined)
        })(),
        { maxBytes: 1 << 30 },
      )
      const turnedAway = assert.rejects(stuck, isFault('closed'))
      await store.close()
      await store.close()
      await underWay
      await turnedAway
      await assert.rejects(store.read(ABSENT), isFault('closed'))
      await assert.rejects(store.putBytes(bytes), isFault('closed'))
      await assert.rejects(collect(store.list()), isFault('closed'))
      const again = await open()
      assert.ok((await again.read(digestOf(bytes).sha256))?.equals(bytes))
      assert.deepEqual(await storage.strays(), [])
    })
  })
}

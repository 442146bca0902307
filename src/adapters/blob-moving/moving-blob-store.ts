import type { MoveContents, MoveProgress } from '#core/file/move-job.ts'
import type { BlobDigest, BlobStore, StoredBlob } from '#core/ports/blob-store.ts'
import { BlobError } from '#core/ports/blob-store.ts'

export interface MovingBlobStore extends BlobStore {
  /** Moves what is there, each content checked by its hash. One that was interrupted goes on where it was. */
  readonly move: MoveContents
  /** How many are left to move, counted up to a hundred thousand. */
  left(): Promise<number>
}

const BATCH = 500
const MOST_COUNTED = 100_000
const AT_ONCE = 16
/** Contents up to this size are moved many at a time. */
const SMALL = 64 << 10

/**
 * A store into which everything goes that is put, with another one behind it that still holds what was put before. What is
 * not in the one is read from the other, so that everything can be used while it is moved.
 */
export function createMovingBlobStore(to: BlobStore, from: BlobStore): MovingBlobStore {
  async function moveOne(blob: StoredBlob): Promise<boolean> {
    const { sha256, size } = blob
    if (isSmall(blob)) {
      const bytes = await from.read(sha256)
      if (bytes === undefined) return false
      await to.putBytes(bytes)
      return true
    }
    const stream = await from.open(sha256)
    if (stream === undefined) return false
    const accept = (digest: BlobDigest) => {
      if (digest.sha256 !== sha256)
        throw new BlobError('corrupt', `The stored content of ${sha256} is damaged`)
    }
    try {
      await to.put(stream, { maxBytes: size, sizeHint: size, accept })
      return true
    } finally {
      stream.destroy()
    }
  }

  /** A content that is damaged where it is was noted by the store that found it so, and is gone. */
  const moveIfSound = (blob: StoredBlob): Promise<boolean> =>
    moveOne(blob).catch((error: unknown) => {
      if (error instanceof BlobError && error.kind === 'corrupt') return false
      throw error
    })

  return {
    put: (source, options) => to.put(source, options),
    putBytes: (bytes) => to.putBytes(bytes),
    // What is in neither may have been moved between the two looks; so it is below.
    read: async (sha256) => (await to.read(sha256)) ?? (await from.read(sha256)) ?? to.read(sha256),
    open: async (sha256, range) =>
      (await to.open(sha256, range)) ?? (await from.open(sha256, range)) ?? to.open(sha256, range),
    async verify(sha256) {
      for (const store of [to, from]) {
        const found = await store.verify(sha256)
        if (found !== 'absent') return found
      }
      return to.verify(sha256)
    },
    async stat(sha256s) {
      const found = new Map<string, StoredBlob>()
      for (const store of [to, from, to]) {
        const absent = sha256s.filter((sha256) => !found.has(sha256))
        if (absent.length === 0) break
        for (const [sha256, blob] of await store.stat(absent)) found.set(sha256, blob)
      }
      return found
    },
    async delete(sha256s, options) {
      const there = await to.stat(sha256s)
      // What was put again since is in the other store.
      await from.delete([...there.keys()])
      const rest = sha256s.filter((sha256) => !there.has(sha256))
      return (await to.delete(sha256s, options)) + (await from.delete(rest, options))
    },
    list: (after) => merged(to.list(after), from.list(after)),
    async close() {
      await Promise.all([to.close(), from.close()])
    },
    async left() {
      let count = 0
      for await (const _ of from.list()) if (++count === MOST_COUNTED) break
      return count
    },
    async move(signal) {
      let progress: MoveProgress = { contents: 0, bytes: 0 }
      const moveAll = async (batch: readonly StoredBlob[]) => {
        if (batch.length === 0 || signal.aborted) return
        const results = await Promise.all(batch.map(moveIfSound))
        const moved = batch.filter((_, n) => results[n])
        await from.delete(moved.map(({ sha256 }) => sha256))
        progress = {
          contents: progress.contents + moved.length,
          bytes: progress.bytes + moved.reduce((sum, { size }) => sum + size, 0),
        }
      }
      const small: StoredBlob[] = []
      const large: StoredBlob[] = []
      for await (const blob of from.list()) {
        if (signal.aborted) break
        if (isSmall(blob)) small.push(blob)
        else large.push(blob)
        if (small.length === BATCH) await moveAll(small.splice(0))
        if (large.length === AT_ONCE) await moveAll(large.splice(0))
      }
      await moveAll(small)
      await moveAll(large)
      return progress
    },
  }
}

const isSmall = ({ size }: StoredBlob): boolean => size <= SMALL

/** Both in the order of names, each name once. */
async function* merged(
  one: AsyncIterable<StoredBlob>,
  other: AsyncIterable<StoredBlob>,
): AsyncGenerator<StoredBlob> {
  const [a, b] = [one[Symbol.asyncIterator](), other[Symbol.asyncIterator]()]
  let [left, right] = await Promise.all([a.next(), b.next()])
  while (left.done !== true || right.done !== true) {
    const isLeft = right.done === true || (left.done !== true && left.value.sha256 <= right.value.sha256)
    if (isLeft && left.done !== true) {
      const { sha256 } = left.value
      yield left.value
      if (right.done !== true && right.value.sha256 === sha256) right = await b.next()
      left = await a.next()
    } else if (right.done !== true) {
      yield right.value
      right = await b.next()
    }
  }
}

import type { MoveContents, MoveProgress } from '#core/file/move-job.ts'
import type { BlobStore, StoredBlob } from '#core/ports/blob-store.ts'
import { copyContents } from '../blob/copy-contents.ts'

export interface MovingBlobStore extends BlobStore {
  /** Moves what is there, each content checked by its hash. One that was interrupted goes on where it was. */
  readonly move: MoveContents
  /** How many are left to move, counted up to a hundred thousand. */
  left(): Promise<number>
}

const MOST_COUNTED = 100_000

/**
 * A store into which everything goes that is put, with another one behind it that still holds what was put before. What is
 * not in the one is read from the other, so that everything can be used while it is moved.
 */
export function createMovingBlobStore(to: BlobStore, from: BlobStore): MovingBlobStore {
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
      await copyContents(from.list(), {
        ...{ from, to, signal },
        async onCopied(copied) {
          await from.delete(copied.map(({ sha256 }) => sha256))
          progress = {
            contents: progress.contents + copied.length,
            bytes: progress.bytes + copied.reduce((sum, { size }) => sum + size, 0),
          }
        },
      })
      return progress
    },
  }
}

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

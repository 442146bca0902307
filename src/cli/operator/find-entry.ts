import { padding, readTarHeader } from '#contract/backup/backup.ts'

const BLOCK = 512
/** Enough for any entry that people are shown; of a larger one, the beginning. */
const MOST = 64 * 1024

/** Looks for an entry of this name in the bytes of an archive while they pass by. */
export function createEntryFinder(name: string) {
  let header = Buffer.alloc(0)
  /** Bytes of the entry that are still to come, and what fills its last block. */
  let [left, rest] = [0, 0]
  let isWanted = false
  let isLost = false
  let found = Buffer.alloc(0)

  /** Takes some of what an entry begins with, and answers how much. */
  function takeHeader(chunk: Buffer): number {
    const taken = chunk.subarray(0, BLOCK - header.length)
    header = Buffer.concat([header, taken])
    if (header.length < BLOCK) return taken.length
    const read = readTarHeader(header)
    header = Buffer.alloc(0)
    if (read === undefined) isLost = true
    else {
      isWanted = read.name === name
      left = read.size
      rest = padding(read.size)
    }
    return taken.length
  }

  return {
    see(chunk: Buffer): void {
      for (let at = 0; at < chunk.length && !isLost; ) {
        if (left > 0) {
          const part = chunk.subarray(at, at + left)
          if (isWanted && found.length < MOST) found = Buffer.concat([found, part.subarray(0, MOST)])
          left -= part.length
          at += part.length
        } else if (rest > 0) {
          const skipped = Math.min(rest, chunk.length - at)
          rest -= skipped
          at += skipped
        } else at += takeHeader(chunk.subarray(at))
      }
    },
    /** What the entry holds; empty where there is none. */
    content: (): Buffer => found,
  }
}

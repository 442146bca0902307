import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { showLimit } from '#contract/amounts.ts'
import { type BlobDigest, BlobError } from '#core/ports/blob-store.ts'
import type { Pace } from './pace.ts'
import type { Spill } from './spill.ts'
import { takeChunks } from './take-chunks.ts'

interface Received {
  readonly digest: BlobDigest
  /** Where the content is: in memory if it is small, else in a temporary file that the caller must place or discard. */
  readonly content: Uint8Array | Spill
}

interface ReceiveOptions {
  readonly maxBytes: number
  readonly smallBytes: number
  readonly sizeHint: number
  readonly ownsChunks: boolean
  /** Whether it comes in at the pace of those that give way. */
  readonly givesWay: () => boolean
  readonly pace: Pace
  readonly signals: readonly AbortSignal[]
  readonly spill: () => Promise<Spill>
  /** Throws where the disk has no room for more. */
  readonly assertRoom: () => void
}

export const digestOf = (bytes: Uint8Array): BlobDigest => ({
  sha256: hash('sha256', bytes),
  sha1: hash('sha1', bytes),
  size: bytes.length,
})

/** Takes in a whole content. Where it throws, nothing of it is left. */
export async function receive(
  source: Readable | AsyncIterable<Uint8Array>,
  { maxBytes, smallBytes, sizeHint, ownsChunks, givesWay, pace, signals, spill, assertRoom }: ReceiveOptions,
): Promise<Received> {
  const small: Uint8Array[] = []
  let size = 0
  let file: Spill | undefined
  async function moveToFile(): Promise<void> {
    file = await spill()
    for (const early of small.splice(0)) await file.add(early, ownsChunks)
  }
  function take(chunk: Uint8Array): Promise<void> | undefined {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    if (file !== undefined) {
      // There may have been room at the beginning, for this one and for many others that came with it.
      assertRoom()
      const turn = givesWay() ? pace.take(chunk.length) : undefined
      const added = file.add(chunk, ownsChunks)
      return turn === undefined || added === undefined ? (turn ?? added) : both(turn, added)
    }
    small.push(chunk)
    return size > smallBytes ? moveToFile() : undefined
  }
  try {
    if (sizeHint > maxBytes) throw tooLarge(maxBytes)
    if (sizeHint > smallBytes) await moveToFile()
    await takeChunks(source, signals, take)
    if (file !== undefined) return { digest: await file.finish(), content: file }
    const bytes = Buffer.concat(small, size)
    return { digest: digestOf(bytes), content: bytes }
  } catch (error) {
    await file?.discard()
    throw error
  }
}

const both = async (...promises: readonly Promise<void>[]): Promise<void> =>
  void (await Promise.all(promises))

const tooLarge = (maxBytes: number) =>
  new BlobError('too_large', `The content is larger than ${showLimit(maxBytes)}`)

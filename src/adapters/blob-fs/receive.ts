import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { showLimit } from '#contract/amounts.ts'
import { type BlobDigest, BlobError } from '#core/ports/blob-store.ts'
import type { Spill } from './spill.ts'

export interface Received {
  readonly digest: BlobDigest
  /** Where the content is: in memory if it is small, else in a temporary file that the caller must place or discard. */
  readonly content: Uint8Array | Spill
}

export interface ReceiveOptions {
  readonly maxBytes: number
  readonly smallBytes: number
  readonly sizeHint: number
  readonly ownsChunks: boolean
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
  { maxBytes, smallBytes, sizeHint, ownsChunks, signals, spill, assertRoom }: ReceiveOptions,
): Promise<Received> {
  const small: Uint8Array[] = []
  let size = 0
  let file: Spill | undefined
  try {
    if (sizeHint > maxBytes) throw tooLarge(maxBytes)
    if (sizeHint > smallBytes) file = await spill()
    for await (const chunk of chunksOf(source, signals)) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      if (file === undefined) small.push(chunk)
      else {
        // There may have been room at the beginning, for this one and for many others that came with it.
        assertRoom()
        await file.add(chunk, ownsChunks)
      }
      if (file !== undefined || size <= smallBytes) continue
      file = await spill()
      for (const early of small.splice(0)) await file.add(early, ownsChunks)
    }
    if (file !== undefined) return { digest: await file.finish(), content: file }
    const bytes = Buffer.concat(small, size)
    return { digest: digestOf(bytes), content: bytes }
  } catch (error) {
    await file?.discard()
    throw error
  }
}

const tooLarge = (maxBytes: number) =>
  new BlobError('too_large', `The content is larger than ${showLimit(maxBytes)}`)

/**
 * The chunks of a source, until a signal aborts. The source is left as it is, so that its owner can still answer on
 * the connection it belongs to.
 */
async function* chunksOf(
  source: Readable | AsyncIterable<Uint8Array>,
  signals: readonly AbortSignal[],
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<unknown> =
    source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : source[Symbol.asyncIterator]()
  let fail: (reason: unknown) => void = () => undefined
  const onAbort = (event: Event) => fail((event.target as AbortSignal).reason)
  for (const signal of signals) signal.addEventListener('abort', onAbort)
  let ended = false
  try {
    for (;;) {
      for (const signal of signals) signal.throwIfAborted()
      const next = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        fail = reject
        chunks.next().then(resolve, reject)
      })
      if (next.done === true) {
        ended = true
        return
      }
      if (!(next.value instanceof Uint8Array)) throw new TypeError('A blob is put from chunks of bytes')
      yield next.value
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', onAbort)
    // Not awaited: a source that is stuck in its next chunk would never return.
    if (!ended) Promise.resolve(chunks.return?.()).catch(() => undefined)
  }
}

import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { PIECE_BYTES } from '#core/chunks.ts'
import type { Coding, Encoding } from '#core/negotiation/encoding.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Log } from '#core/ports/log.ts'
import type { SiteFile } from '#core/site/site.ts'
import { compress, isTooSmall, isWorthwhile } from './compress.ts'
import type { Effort } from './entity-tag.ts'
import type { Span } from './range.ts'
import { WeightedCache } from './weighted-cache.ts'

/** One form of a content, in memory. */
export interface Content {
  readonly encoding: Encoding
  readonly effort: Effort
  readonly length: number
  /** Undefined once it has left the cache, so that holding on to it holds no memory. */
  bytes: Buffer | undefined
  used: boolean
}

interface ContentStoreOptions {
  readonly blobs: Pick<BlobStore, 'read' | 'open'>
  readonly log: Log
  readonly budgetBytes: number
}

/** Larger contents are streamed from the blob store, as they are. */
export const MAX_WHOLE_BYTES = 1024 * 1024
/** Larger ones are not compressed: it would take too long, and the result be too large to keep. */
const MAX_COMPRESSIBLE_BYTES = 8 * MAX_WHOLE_BYTES
const MIN_BUDGET_BYTES = 4 * MAX_WHOLE_BYTES
/** What an entry of the cache takes besides its bytes, roughly. */
const OVERHEAD = 512
const MAX_HOPELESS = 50_000
/** For somebody who holds much already, nothing is read ahead. */
const SLOWLY = { objectMode: false, highWaterMark: 1 } as const
const MAX_WAITING = 500

/**
 * Contents by hash, each in the forms that were asked for, within a budget of bytes. Reading and compressing
 * happen once, however many ask at the same time.
 */
export class ContentStore {
  readonly #blobs: ContentStoreOptions['blobs']
  readonly #log: Log
  readonly #kept: WeightedCache<Content>
  readonly #pending = new Map<string, Promise<Content | undefined>>()
  /** Forms that turned out not to be worth it. */
  readonly #hopeless = new Set<string>()
  /** Forms still to be made as small as can be, one after the other: visitors come first. */
  readonly #waiting = new Map<string, () => Promise<void>>()
  #improving: Promise<void> | undefined
  #closed = false

  constructor({ blobs, log, budgetBytes }: ContentStoreOptions) {
    if (!(budgetBytes >= MIN_BUDGET_BYTES))
      throw new RangeError(
        `The edge needs ${MIN_BUDGET_BYTES} bytes for contents at least, not ${budgetBytes}`,
      )
    this.#blobs = blobs
    this.#log = log
    this.#kept = new WeightedCache(budgetBytes, (content) => {
      // Not at once: whoever was just handed it may be on the way to using it.
      setImmediate(() => {
        content.bytes = undefined
      })
    })
  }

  get(sha256: string, encoding: Encoding): Content | undefined {
    return this.#kept.get(keyOf(sha256, encoding))
  }

  /** Whether this form would be no better than the content as it is. */
  isHopeless({ sha256, size }: SiteFile, coding: Coding): boolean {
    return isTooSmall(size) || size > MAX_COMPRESSIBLE_BYTES || this.#hopeless.has(keyOf(sha256, coding))
  }

  /** Brings a content of at most `MAX_WHOLE_BYTES` into memory. Undefined if there is none or the form is hopeless. */
  load(file: SiteFile, encoding: Encoding): Promise<Content | undefined> {
    const key = keyOf(file.sha256, encoding)
    let pending = this.#pending.get(key)
    if (pending === undefined) {
      pending = (encoding === 'identity' ? this.#read(file) : this.#compress(file, encoding)).finally(() =>
        this.#pending.delete(key),
      )
      this.#pending.set(key, pending)
    }
    return pending
  }

  /** Makes a form as small as can be, some time soon. */
  improve(file: SiteFile, coding: Coding): void {
    const key = keyOf(file.sha256, coding)
    if (this.#closed || this.#waiting.has(key) || this.#waiting.size >= MAX_WAITING) return
    this.#waiting.set(key, async () => {
      const bytes = this.#kept.get(file.sha256)?.bytes ?? (await this.#blobs.read(file.sha256))
      if (bytes === undefined) return
      this.#keep(file, coding, 'best', await compress(bytes, coding, 'best'))
    })
    this.#improving ??= this.#improveAll()
  }

  /** A part of a content, or the whole, as a stream that the caller must consume or destroy. */
  open(sha256: string, span?: Span): Promise<Readable | undefined> {
    return this.#blobs.open(sha256, span)
  }

  /**
   * The same for somebody who holds much of our memory already: a little is read at a time, and nothing before they have taken what was
   * read before. That costs an opened file for each piece, and leaves none open meanwhile.
   */
  async openSlowly({ sha256, size }: SiteFile, span?: Span): Promise<Readable | undefined> {
    const { start, end } = span ?? { start: 0, end: size }
    const first = await this.#readPiece(sha256, start, end)
    return first && Readable.from(this.#readSlowly(sha256, first, start, end), SLOWLY)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    await this.#improving
    this.#kept.clear()
  }

  async *#readSlowly(sha256: string, first: Buffer, start: number, end: number): AsyncGenerator<Buffer> {
    yield first
    for (let at = start + first.length; at < end; at += PIECE_BYTES) {
      const piece = await this.#readPiece(sha256, at, end)
      // The head of the answer is out: all that is left is to break the connection off.
      if (piece === undefined) throw new Error(`the content ${sha256} is gone`)
      yield piece
    }
  }

  async #readPiece(sha256: string, start: number, end: number): Promise<Buffer | undefined> {
    const piece = await this.#blobs.open(sha256, { start, end: Math.min(start + PIECE_BYTES, end) })
    return piece && buffer(piece)
  }

  async #read(file: SiteFile): Promise<Content | undefined> {
    const bytes = await this.#blobs.read(file.sha256)
    return bytes && this.#keep(file, 'identity', 'best', bytes)
  }

  async #compress(file: SiteFile, coding: Coding): Promise<Content | undefined> {
    const plain = this.get(file.sha256, 'identity') ?? (await this.load(file, 'identity'))
    const bytes = plain?.bytes
    if (bytes === undefined) return undefined
    const content = this.#keep(file, coding, 'quick', await compress(bytes, coding, 'quick'))
    if (content !== undefined) this.improve(file, coding)
    return content
  }

  #keep({ sha256, size }: SiteFile, encoding: Encoding, effort: Effort, bytes: Buffer): Content | undefined {
    const key = keyOf(sha256, encoding)
    if (encoding !== 'identity' && !(isWorthwhile(bytes.length, size) && bytes.length <= MAX_WHOLE_BYTES)) {
      if (this.#hopeless.size >= MAX_HOPELESS) this.#hopeless.clear()
      this.#hopeless.add(key)
      return undefined
    }
    const content: Content = { encoding, effort, length: bytes.length, bytes: compact(bytes), used: true }
    if (!this.#closed) this.#kept.set(key, content, bytes.length + OVERHEAD)
    return content
  }

  async #improveAll(): Promise<void> {
    for (const [key, improve] of this.#waiting) {
      await improve().catch((error: unknown) =>
        this.#log.warn({ err: error, content: key }, 'a content could not be compressed'),
      )
      this.#waiting.delete(key)
    }
    this.#improving = undefined
  }
}

const keyOf = (sha256: string, encoding: Encoding): string =>
  encoding === 'identity' ? sha256 : `${sha256}-${encoding}`

/** Without the rest of a larger buffer that it may be a part of, which would be held in memory with it. */
function compact(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length + OVERHEAD) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

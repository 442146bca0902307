import type { Readable } from 'node:stream'
import { MINUTE } from '#contract/time.ts'
import type { BlobDigest, ByteRange, PutOptions, StoredBlob } from '#core/ports/blob-store.ts'
import { BlobError } from '#core/ports/blob-store.ts'
import type { Log } from '#core/ports/log.ts'
import type { FsBlobStore } from '../blob-fs/fs-blob-store.ts'

interface ContentCacheOptions {
  /** Shared by all processes of this machine. The time of a put is when a content was last used. */
  readonly store: FsBlobStore
  readonly budgetBytes: number
  /** Whether the disk has room for more. */
  readonly hasRoom: () => boolean
  readonly log: Log
}

/** How much of the budget is left when room was made. */
const LEFT = 0.8
/** After so much of it was added, it is time to look at the whole. */
const CHECKED = 0.05
const DELETES_AT_ONCE = 1000
/** How often it is noted what was used. */
const NOTED_EVERY = MINUTE
const MOST_NOTED = 50_000
/** A part of the budget that one content may take. */
const LARGEST = 0.25

/**
 * Contents on this machine's disk that came from elsewhere, within a budget of bytes: what was not used for longest goes first.
 * Whatever is read from it hashes to its name; what does not is absent.
 */
export class ContentCache {
  readonly #options: ContentCacheOptions
  readonly #used = new Set<string>()
  readonly #writing = new Set<Promise<unknown>>()
  readonly #timer: NodeJS.Timeout
  #added: number
  #sweeping: Promise<void> | undefined

  constructor(options: ContentCacheOptions) {
    this.#options = options
    // The first content of each process looks at what others have left.
    this.#added = options.budgetBytes
    this.#timer = setInterval(() => void this.noteUse(), NOTED_EVERY)
    this.#timer.unref()
  }

  read(sha256: string): Promise<Buffer | undefined> {
    return this.#soundly(sha256, () => this.#options.store.read(sha256))
  }

  open(sha256: string, range?: ByteRange): Promise<Readable | undefined> {
    return this.#soundly(sha256, () => this.#options.store.open(sha256, range))
  }

  /** Takes in a whole content that is on its way to the store, and keeps it. */
  async receive(source: Readable | AsyncIterable<Uint8Array>, options: PutOptions): Promise<BlobDigest> {
    const digest = await this.#options.store.put(source, options)
    this.#grow(digest.size)
    return digest
  }

  fits(size: number): boolean {
    return size <= this.#options.budgetBytes * LARGEST && this.#options.hasRoom()
  }

  /** Keeps contents where there is room for them. The bytes must not change until it settles; it never rejects. */
  async keep(contents: readonly Uint8Array[]): Promise<void> {
    const { store, log } = this.#options
    const kept = contents.filter(({ length }) => this.fits(length))
    if (kept.length === 0) return
    const work = Promise.all(kept.map((bytes) => store.putBytes(bytes)))
      .then(() => this.#grow(kept.reduce((sum, { length }) => sum + length, 0)))
      .catch((err: unknown) => {
        if (!isClosed(err)) log.warn({ err }, 'contents could not be kept on this machine')
      })
    this.#writing.add(work)
    await work.finally(() => this.#writing.delete(work))
  }

  async forget(sha256s: readonly string[]): Promise<void> {
    for (const sha256 of sha256s) this.#used.delete(sha256)
    await this.#options.store.delete(sha256s)
  }

  /** Tells the other processes what was used by this one. */
  async noteUse(): Promise<void> {
    const used = [...this.#used]
    this.#used.clear()
    if (used.length === 0) return
    await this.#options.store.touch(used).catch((err: unknown) => {
      if (!isClosed(err)) this.#options.log.warn({ err }, 'what was used could not be noted')
    })
  }

  /** Resolves when everything that is to be kept is, and there is room for it. */
  async settle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing)
    while (this.#sweeping !== undefined) await this.#sweeping
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.noteUse()
    await this.settle()
    await this.#options.store.close()
  }

  async #soundly<T>(sha256: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      const found = await read()
      if (found !== undefined && this.#used.size < MOST_NOTED) this.#used.add(sha256)
      return found
    } catch (error) {
      // The copy is absent from now on, and fetched anew.
      if (error instanceof BlobError && error.kind === 'corrupt') return undefined
      throw error
    }
  }

  #grow(bytes: number): void {
    const { budgetBytes, log } = this.#options
    this.#added += bytes
    if (this.#added < budgetBytes * CHECKED || this.#sweeping !== undefined) return
    this.#added = 0
    this.#sweeping = this.#sweep()
      .catch((err: unknown) => {
        if (!isClosed(err)) log.warn({ err }, 'no room could be made for contents')
      })
      .finally(() => {
        this.#sweeping = undefined
        // What came meanwhile may not have been seen.
        this.#grow(0)
      })
  }

  async #sweep(): Promise<void> {
    const { store, budgetBytes } = this.#options
    await this.noteUse()
    const all: StoredBlob[] = []
    let total = 0
    for await (const blob of store.list()) {
      all.push(blob)
      total += blob.size
    }
    if (total <= budgetBytes) return
    const going: string[] = []
    for (const { sha256, size } of all.sort((a, b) => a.putAt - b.putAt)) {
      if (total <= budgetBytes * LEFT) break
      going.push(sha256)
      total -= size
    }
    for (let at = 0; at < going.length; at += DELETES_AT_ONCE)
      await store.delete(going.slice(at, at + DELETES_AT_ONCE))
  }
}

const isClosed = (error: unknown): boolean => error instanceof BlobError && error.kind === 'closed'

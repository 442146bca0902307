import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  assertBlobName,
  type BlobDigest,
  BlobError,
  type BlobStore,
  type ByteRange,
  type DeleteOptions,
  type PutOptions,
  type StoredBlob,
} from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { Log } from '#core/ports/log.ts'
import { OpenWork } from '../blob/open-work.ts'
import { verify } from '../blob/verify.ts'
import { digestOf } from '../blob-fs/intake/receive.ts'
import { resolveRange } from '../blob-fs/reading.ts'
import type { ContentCache } from './content-cache.ts'
import type { ContentIndex, PlacedContent } from './content-index.ts'
import { cameChanged, DamagedContent, fetchPieces, fetchWhole, locate } from './fetching.ts'
import { PART_BYTES, uploadLarge } from './large-uploads.ts'
import { contentIn, PACK_BYTES, PackUploads } from './pack-uploads.ts'
import type { S3Client } from './s3-client.ts'
import { tidy } from './tidying.ts'

export interface S3BlobStoreOptions {
  readonly client: S3Client
  readonly index: ContentIndex
  /** Copies on this machine's disk, which the store closes. */
  readonly cache: ContentCache
  /** Whether this is the store that the index speaks of. Asked before a content whose object is gone counts as lost. */
  readonly isOwnStore: () => Promise<boolean>
  /** Marks the store before the first upload: it may have been away when the process started. */
  readonly claim: () => Promise<void>
  readonly clock: Clock
  readonly log: Log
  /** Contents up to this size share packs. */
  readonly smallBytes?: number
  /** Before it is asked again for a content that seems to be damaged. */
  readonly pause?: (ms: number) => Promise<void>
  /** Told of a content that was found damaged. */
  readonly onDamage?: ((sha256: string) => Promise<void>) | undefined
}

const AT_ONCE = 1000
const FILLS_AT_ONCE = 2
const MOST_FILLED = 10_000

export const createS3BlobStore = (options: S3BlobStoreOptions): BlobStore => new S3BlobStore(options)

/**
 * Contents in an object store, with copies on this machine's disk of what was used. A put is acknowledged when the object
 * store has it; a read asks the copies first, which hash to their names like everything else that is read.
 */
class S3BlobStore implements BlobStore {
  readonly #options: S3BlobStoreOptions & Required<Pick<S3BlobStoreOptions, 'pause'>>
  readonly #smallBytes: number
  readonly #packs: PackUploads
  readonly #work = new OpenWork()
  readonly #loading = new Map<string, Promise<Buffer | undefined>>()
  /** Objects that are being copied to this machine, or were. */
  readonly #filled = new Set<string>()
  #filling = 0
  #tidying: Promise<void> = Promise.resolve()
  #closed: Promise<void> | undefined
  #claimed: Promise<void> | undefined

  constructor(options: S3BlobStoreOptions) {
    const pause = (ms: number) => delay(ms, undefined, { signal: this.#work.signal })
    this.#options = { ...options, pause: options.pause ?? pause }
    this.#smallBytes = options.smallBytes ?? 64 << 10
    this.#packs = new PackUploads(options)
  }

  put(source: Readable | AsyncIterable<Uint8Array>, options: PutOptions): Promise<BlobDigest> {
    return this.#work.track(async () => {
      const digest = await this.#options.cache.receive(source, options)
      const { sha256, size } = digest
      await this.#claim()
      if (size > this.#smallBytes) await this.#uploadLarge(sha256, size)
      else await this.#packs.add(sha256, await this.#received(sha256, () => this.#options.cache.read(sha256)))
      return digest
    })
  }

  putBytes(bytes: Uint8Array): Promise<BlobDigest> {
    return this.#work.track(async () => {
      const digest = digestOf(bytes)
      const { sha256, size } = digest
      await this.#claim()
      if (size <= this.#smallBytes) await this.#packs.add(sha256, bytes)
      else await uploadLarge(this.#options, { sha256, size, open: async () => piecesOf(bytes) })
      await this.#options.cache.keep([bytes])
      return digest
    })
  }

  /** A copy is read by the store of copies, which checks the name and knows what it has under way. */
  async read(sha256: string): Promise<Buffer | undefined> {
    return (await this.#options.cache.read(sha256)) ?? this.#work.track(() => this.#load(sha256))
  }

  open(sha256: string, range?: ByteRange): Promise<Readable | undefined> {
    return this.#work.track(async () => {
      assertBlobName(sha256)
      const copy = await this.#options.cache.open(sha256, range)
      if (copy !== undefined) return copy
      const place = await locate(this.#options, sha256)
      if (place === undefined) return undefined
      const { start, end } = resolveRange(range, place.size)
      if (start === end) return Readable.from([])
      if (place.size <= PART_BYTES) {
        const bytes = await this.#load(sha256, place)
        return bytes && Readable.from([bytes.subarray(start, end)], { objectMode: false })
      }
      this.#fillLarge(place)
      return Readable.from(this.#pieces(place, start, end), { objectMode: false })
    })
  }

  verify(sha256: string): Promise<'sound' | 'damaged' | 'absent'> {
    return this.#work.track(async () => {
      assertBlobName(sha256)
      return verify(
        async () => {
          const place = await locate(this.#options, sha256)
          return place && fetchPieces(this.#options, place, 0, place.size)
        },
        (error) => this.#lose(error),
      )
    })
  }

  stat(sha256s: readonly string[]): Promise<ReadonlyMap<string, StoredBlob>> {
    return this.#work.track(async () => {
      for (const sha256 of sha256s) assertBlobName(sha256)
      const found = new Map<string, StoredBlob>()
      for (let at = 0; at < sha256s.length; at += AT_ONCE)
        for (const { sha256, size, putAt } of await this.#options.index.find(sha256s.slice(at, at + AT_ONCE)))
          found.set(sha256, { sha256, size, putAt })
      return found
    })
  }

  delete(
    sha256s: readonly string[],
    { notPutSince = Number.POSITIVE_INFINITY }: DeleteOptions = {},
  ): Promise<number> {
    return this.#work.track(async () => {
      for (const sha256 of sha256s) assertBlobName(sha256)
      const { index, cache, clock } = this.#options
      let count = 0
      for (let at = 0; at < sha256s.length; at += AT_ONCE) {
        const gone = await index.remove(sha256s.slice(at, at + AT_ONCE), notPutSince, Math.round(clock.now()))
        await cache.settle()
        await cache.forget(gone)
        count += gone.length
      }
      await this.#tidy()
      return count
    })
  }

  async *list(after?: string): AsyncGenerator<StoredBlob> {
    if (after !== undefined) assertBlobName(after)
    for (let last = after ?? ''; ; ) {
      const page = await this.#work.track(() => this.#options.index.page(last, AT_ONCE))
      yield* page
      if (page.length < AT_ONCE) return
      last = page.at(-1)?.sha256 ?? last
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#work.stop()
    await this.#packs.idle()
    // Turns away puts that still read their source.
    await this.#options.cache.close()
    await this.#work.ended()
    await this.#tidying
    this.#options.client.close()
  }

  /** Once, or again after it failed. */
  #claim(): Promise<void> {
    this.#claimed ??= this.#options.claim().catch((error: unknown) => {
      this.#claimed = undefined
      throw error
    })
    return this.#claimed
  }

  #uploadLarge(sha256: string, size: number): Promise<void> {
    const open = () => this.#received(sha256, () => this.#options.cache.open(sha256))
    return uploadLarge(this.#options, { sha256, size, open })
  }

  /** What was just taken in is there, unless this machine has too little room even for that. */
  async #received<T>(sha256: string, read: () => Promise<T | undefined>): Promise<T> {
    const found = await read()
    if (found === undefined)
      throw new BlobError('no_space', `The copies on this machine have too little room for ${sha256}`)
    return found
  }

  /** Once, however many ask at the same time. */
  #load(sha256: string, known?: PlacedContent): Promise<Buffer | undefined> {
    let loading = this.#loading.get(sha256)
    if (loading === undefined) {
      loading = this.#fetch(sha256, known).finally(() => this.#loading.delete(sha256))
      this.#loading.set(sha256, loading)
    }
    return loading
  }

  async #fetch(sha256: string, known: PlacedContent | undefined): Promise<Buffer | undefined> {
    const place = known ?? (await locate(this.#options, sha256))
    if (place === undefined) return undefined
    try {
      const bytes = await fetchWhole(this.#options, place)
      if (bytes === undefined) return undefined
      void this.#options.cache.keep([bytes])
      this.#fillPack(place.object)
      return bytes
    } catch (error) {
      await this.#lose(error)
      throw error
    }
  }

  async *#pieces(place: PlacedContent, start: number, end: number): AsyncGenerator<Buffer> {
    try {
      yield* fetchPieces(this.#options, place, start, end)
    } catch (error) {
      await this.#lose(error)
      throw error
    }
  }

  /** The contents of a pack mostly belong to one site: who needs one will soon need the others. */
  #fillPack(key: string): void {
    if (!key.startsWith('packs/')) return
    this.#fill(key, async () => {
      const { client, index, cache } = this.#options
      const contents = await index.contentsOf(key)
      const pack =
        contents.length > 1 ? await client.getBytes(key, { start: 0, end: 2 * PACK_BYTES }) : undefined
      if (pack === undefined) return
      await cache.keep(contents.flatMap((content) => contentIn(pack, content) ?? []))
    })
  }

  #fillLarge(place: PlacedContent): void {
    const { sha256, size, object } = place
    const { cache } = this.#options
    if (!cache.fits(size)) return
    this.#fill(object, async () => {
      const accept = (digest: BlobDigest) => {
        if (digest.sha256 !== sha256) throw cameChanged(sha256)
      }
      const source = Readable.from(fetchPieces(this.#options, place, 0, size), { objectMode: false })
      // One that fails after it was given up is nobody's concern.
      source.on('error', () => undefined)
      try {
        await cache.receive(source, { maxBytes: size, sizeHint: size, accept, signal: this.#work.signal })
      } finally {
        source.destroy()
      }
    })
  }

  #fill(key: string, work: () => Promise<void>): void {
    if (this.#work.signal.aborted || this.#filled.has(key) || this.#filling >= FILLS_AT_ONCE) return
    if (this.#filled.size >= MOST_FILLED) this.#filled.clear()
    this.#filled.add(key)
    this.#filling += 1
    void this.#work
      .track(work)
      .catch((err: unknown) => {
        this.#filled.delete(key)
        if (!isUnavailable(err) && !this.#work.signal.aborted)
          this.#options.log.warn({ err, content: key }, 'contents could not be copied to this machine')
      })
      .finally(() => {
        this.#filling -= 1
      })
  }

  /**
   * Makes a content that is damaged absent, so that it is stored anew when it is put again: only where it was read, since
   * it may have been put again after that. Tells whether it was there.
   */
  async #lose(error: unknown): Promise<boolean> {
    if (!(error instanceof DamagedContent)) return false
    const { sha256 } = error.place
    const { index, log, onDamage, clock, isOwnStore } = this.#options
    try {
      if (!(await isOwnStore())) {
        log.error({ err: error, sha256 }, 'this is not the object store that contents were put into')
        return false
      }
      if (!(await index.removeAt(error.place, Math.round(clock.now())))) return false
      log.error({ err: error, sha256 }, 'a stored content is damaged; uploading it again heals it')
      await onDamage?.(sha256)
      return true
    } catch (err) {
      log.error({ err, sha256 }, 'a damaged content could not be noted')
      return false
    }
  }

  /** One at a time. What cannot be done now is tried again with the next deletion. */
  #tidy(): Promise<void> {
    const { log } = this.#options
    this.#tidying = this.#tidying
      .then(() => tidy({ ...this.#options, signal: this.#work.signal }))
      .catch((err: unknown) => log.warn({ err }, 'the object store could not be tidied'))
    return this.#tidying
  }
}

/** In pieces that are no copies. */
const piecesOf = (bytes: Uint8Array): Readable =>
  Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)], { objectMode: false })

import { type FileHandle, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  assertBlobName,
  type BlobDigest,
  BlobError,
  type BlobStore,
  type ByteRange,
  type DeleteOptions,
  isBlobName,
  type PutOptions,
  type StoredBlob,
} from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { createTurns } from '#core/turns.ts'
import { OpenWork } from '../blob/open-work.ts'
import { verify } from '../blob/verify.ts'
import { giveUpReserve, keepReserve } from '../fs/reserve.ts'
import { FOLDER_MODE, isFull, removeIfThere, toBlobError } from './folder/disk.ts'
import { type Layout, layoutOf, RESERVE_BYTES } from './folder/layout.ts'
import { openFolder } from './folder/opening.ts'
import type { Writer } from './folder/writers.ts'
import type { BlobIndex } from './index/blob-index.ts'
import { type Intake, inlineIntake } from './intake/intake.ts'
import { Pace } from './intake/pace.ts'
import { digestOf, receive } from './intake/receive.ts'
import { Spill } from './intake/spill.ts'
import { IntakeThread } from './intake/threaded-intake.ts'
import { createLargeFiles, isSameFile, type LargeFiles } from './large-files.ts'
import { listBlobs } from './listing.ts'
import { compactPacks } from './pack/compaction.ts'
import { PackFiles } from './pack/pack-files.ts'
import { PackWriter } from './pack/pack-writer.ts'
import { MAX_CONTENT_BYTES, recordBytes } from './pack/record.ts'
import { findAbsent } from './pack/recovery.ts'
import { DamagedContent, readBlob, streamBlob, VerifiedNames } from './reading.ts'

const STATS_AT_ONCE = 1000
const DELETES_AT_ONCE = 64
const DELETE_ATTEMPTS = 3
const TOLD_AT_ONCE = 64
const THREADED_BYTES = 1 << 20
const GONE = 'a stored content is gone; if a deployment needs it, uploading it again heals it'

interface FsBlobStoreOptions {
  /** Made if it is not there. Only stores use it, and everything in it must be on one file system of this machine. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** Contents up to this size share packs, at most 1 MiB; larger ones are files of their own. */
  readonly smallBytes?: number
  /** A pack that has grown to this size is left for a new one. */
  readonly packBytes?: number
  /** Whether there is room for more; asked before anything is taken in, and while something large is. */
  readonly hasRoom?: () => boolean
  /** Of a large content that was not looked at lately, up to this size all is checked before a part of it is given out. */
  readonly checkedFirstBytes?: number
  /** Told of a content that was found damaged or gone. It may be one that was deleted. */
  readonly onDamage?: ((sha256: string) => Promise<void>) | undefined
}

export async function createFsBlobStore({
  folder,
  clock,
  log,
  smallBytes = 64 << 10,
  packBytes = 256 << 20,
  hasRoom = () => true,
  checkedFirstBytes = 64 << 20,
  onDamage,
}: FsBlobStoreOptions): Promise<FsBlobStore> {
  if (smallBytes > MAX_CONTENT_BYTES)
    throw new RangeError(`A pack holds contents up to ${MAX_CONTENT_BYTES} bytes`)
  const layout = layoutOf(folder)
  const { index, writer, pack, lost } = await openFolder(layout, log, packBytes)
  const packWriter = new PackWriter({ layout, index, owner: writer.id, packBytes })
  if (pack !== undefined) await packWriter.resume(pack)
  return new Store({
    layout,
    index,
    writer,
    packWriter,
    clock,
    log,
    smallBytes,
    packBytes,
    hasRoom,
    checkedFirstBytes,
    onDamage,
    lost,
  })
}

interface Parts {
  readonly layout: Layout
  readonly index: BlobIndex
  readonly writer: Writer
  readonly packWriter: PackWriter
  readonly clock: Clock
  readonly log: Log
  readonly smallBytes: number
  readonly packBytes: number
  readonly hasRoom: () => boolean
  readonly checkedFirstBytes: number
  readonly onDamage: FsBlobStoreOptions['onDamage']
  readonly lost: readonly string[]
}

/** What only a store on this machine's disk can do. */
export interface FsBlobStore extends BlobStore {
  /** Counts as a put of those that are there. */
  touch(sha256s: readonly string[]): Promise<void>
}

class Store implements FsBlobStore {
  readonly #parts: Parts
  readonly #packs: PackFiles
  readonly #large: LargeFiles
  readonly #pace = new Pace()
  readonly #intake = new IntakeThread((bytes, ms) => this.#pace.learn(bytes, ms))
  readonly #work = new OpenWork()
  readonly #verified = new VerifiedNames()
  readonly #checking = new Map<string, Promise<unknown>>()
  /** Nobody waits for them, and each reads for as long as its content is: whoever asks for parts of many has one read at a time. */
  readonly #longChecks = createTurns(1)
  #closed: Promise<void> | undefined
  #compacting: Promise<void> = Promise.resolve()
  #temps = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#packs = new PackFiles(parts.layout.packPath)
    this.#large = createLargeFiles(parts.layout, parts.index)
    // Not waited for: nobody is to start later for it.
    void this.#work.track(() => this.#tellLost(parts.lost))
  }

  put(source: Readable | AsyncIterable<Uint8Array>, options: PutOptions): Promise<BlobDigest> {
    return this.#work.track(async () => {
      this.#assertRoom()
      return this.#put(source, options)
    })
  }

  putBytes(bytes: Uint8Array): Promise<BlobDigest> {
    return this.#work.track(async () => {
      this.#assertRoom()
      if (bytes.length > this.#parts.smallBytes)
        return this.#put(single(bytes), { maxBytes: bytes.length, sizeHint: bytes.length })
      const digest = digestOf(bytes)
      await this.#parts.packWriter.add({ sha256: digest.sha256, bytes, putAt: this.#now() })
      return digest
    })
  }

  read(sha256: string): Promise<Buffer | undefined> {
    return this.#work.track(async () => {
      assertBlobName(sha256)
      return this.#noticing(sha256, () => readBlob(this.#readers, sha256))
    })
  }

  open(sha256: string, range?: ByteRange): Promise<Readable | undefined> {
    return this.#work.track(async () => {
      assertBlobName(sha256)
      const check = range === undefined ? undefined : await this.#checkWhole(sha256)
      const stream = await this.#noticing(sha256, () =>
        streamBlob(this.#readers, sha256, range, this.#verified),
      )
      check?.whole.catch((error) => stream?.destroy(error))
      return stream?.once('error', (error) => void this.#lose(sha256, error))
    })
  }

  /**
   * A part of a large content says nothing of its soundness: all of it is read, once for many who ask. Nobody waits for that
   * where it takes long; what they are sent is cut when damage is found meanwhile, whereupon `whole` rejects.
   */
  async #checkWhole(sha256: string): Promise<{ readonly whole: Promise<unknown> } | undefined> {
    if (this.#verified.has(sha256)) return undefined
    const large = await this.#large.stat(sha256)
    if (large === undefined) return undefined
    const isShort = large.size <= this.#parts.checkedFirstBytes
    const check = () => this.verify(sha256)
    const whole =
      this.#checking.get(sha256) ??
      (isShort ? check() : this.#longChecks.run('', check))
        .then((found) => {
          if (found === 'damaged')
            throw new BlobError('corrupt', `The stored content of ${sha256} is damaged`)
        })
        .finally(() => this.#checking.delete(sha256))
    this.#checking.set(sha256, whole)
    if (isShort) await whole
    else whole.catch(() => {})
    return { whole }
  }

  verify(sha256: string): Promise<'sound' | 'damaged' | 'absent'> {
    return this.#work.track(async () => {
      assertBlobName(sha256)
      const found = await verify(
        () => streamBlob(this.#readers, sha256, undefined, new VerifiedNames()),
        (error) => this.#lose(sha256, error),
      )
      if (found === 'sound') this.#verified.add(sha256)
      return found
    })
  }

  stat(sha256s: readonly string[]): Promise<ReadonlyMap<string, StoredBlob>> {
    return this.#work.track(async () => {
      for (const sha256 of sha256s) assertBlobName(sha256)
      const found = new Map<string, StoredBlob>()
      for (let at = 0; at < sha256s.length; at += STATS_AT_ONCE) {
        const some = sha256s.slice(at, at + STATS_AT_ONCE)
        for (const blob of await this.#parts.index.read((rows) => rows.findMany(some)))
          found.set(blob.sha256, blob)
        const rest = await Promise.all(
          some.filter((sha256) => !found.has(sha256)).map((sha256) => this.#large.stat(sha256)),
        )
        for (const blob of rest) if (blob !== undefined) found.set(blob.sha256, blob)
      }
      return found
    })
  }

  touch(sha256s: readonly string[]): Promise<void> {
    return this.#work.track(async () => {
      const putAt = this.#now()
      const missing = await this.#parts.index.write((rows) =>
        sha256s.filter((sha256) => isBlobName(sha256) && !rows.touch(sha256, putAt)),
      )
      for (const sha256 of missing) await this.#large.repeat(sha256, putAt)
    })
  }

  delete(
    sha256s: readonly string[],
    { notPutSince = Number.POSITIVE_INFINITY }: DeleteOptions = {},
  ): Promise<number> {
    return this.#work.track(async () => {
      for (const sha256 of sha256s) assertBlobName(sha256)
      let count = 0
      for (let at = 0; at < sha256s.length; at += DELETES_AT_ONCE)
        count += await this.#deleteSome(sha256s.slice(at, at + DELETES_AT_ONCE), notPutSince)
      await this.#compact()
      await keepReserve(this.#parts.layout.reserve, RESERVE_BYTES)
      return count
    })
  }

  async *list(after?: string): AsyncGenerator<StoredBlob> {
    if (after !== undefined) assertBlobName(after)
    const blobs = listBlobs(this.#parts.index, this.#large, after)
    for (;;) {
      const next = await this.#work.track(() => blobs.next())
      if (next.done === true) return
      yield next.value
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /**
   * They are absent already, and whoever has them is taken to have them still, so that nobody would store them again. After a
   * power cut some of them had been deleted.
   */
  async #tellLost(sha256s: readonly string[]): Promise<void> {
    const { index, log, onDamage } = this.#parts
    try {
      for (let at = 0; at < sha256s.length; at += TOLD_AT_ONCE) {
        const absent = await findAbsent(index, sha256s.slice(at, at + TOLD_AT_ONCE))
        for (const sha256 of absent) log.warn({ sha256 }, GONE)
        await Promise.all(absent.map((sha256) => onDamage?.(sha256)))
      }
    } catch (err) {
      log.error({ err, blobs: sha256s.length }, 'damaged contents could not be noted')
    }
  }

  async #noticing<T>(sha256: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await this.#lose(sha256, error)
      throw error
    }
  }

  /**
   * Makes a content that is damaged absent, so that it is stored anew when it is put again: only where it was read, since
   * what is there by now may have been put after that. Tells whether it was there.
   */
  async #lose(sha256: string, error: unknown): Promise<boolean> {
    if (!(error instanceof DamagedContent)) return false
    const { place } = error
    const { layout, index, log, onDamage } = this.#parts
    try {
      await mkdir(layout.damaged, { recursive: true, mode: FOLDER_MODE })
      const isLost = await index.write((rows) => {
        if ('ino' in place)
          return this.#large.takeAway(sha256, join(layout.damaged, sha256), (found) =>
            isSameFile(found, place),
          )
        const small = rows.removeAt(sha256, place)
        if (small !== undefined) rows.addDead(small.pack, recordBytes(small.size))
        return small !== undefined
      })
      if (!isLost) return false
      log.error({ err: error, sha256 }, 'a stored content is damaged; uploading it again heals it')
      await onDamage?.(sha256)
      return true
    } catch (err) {
      log.error({ err, sha256 }, 'a damaged content could not be noted')
      return false
    }
  }

  /** Before the disk is really full: what is left is for deletions. */
  #assertRoom(): void {
    if (!this.#parts.hasRoom())
      throw new BlobError('no_space', `Too little space is left on the disk of ${this.#parts.layout.root}`)
  }

  get #readers() {
    return { index: this.#parts.index, packs: this.#packs, large: this.#large }
  }

  async #close(): Promise<void> {
    this.#work.stop()
    await this.#work.ended()
    const { packWriter, index, writer } = this.#parts
    await packWriter.close()
    await this.#packs.close()
    await this.#intake.close()
    await index.close()
    await writer.leave()
  }

  async #put(source: Readable | AsyncIterable<Uint8Array>, options: PutOptions): Promise<BlobDigest> {
    const { maxBytes, signal, sizeHint = 0, accept, ownsChunks = false, givesWay = () => false } = options
    const signals = signal === undefined ? [this.#work.signal] : [signal, this.#work.signal]
    const { digest, content } = await receive(source, {
      maxBytes,
      smallBytes: this.#parts.smallBytes,
      sizeHint,
      ownsChunks,
      givesWay,
      pace: this.#pace,
      signals,
      assertRoom: () => this.#assertRoom(),
      spill: () => Spill.create(this.#tempPath(), (handle) => this.#intakeFor(handle, sizeHint)),
    })
    try {
      await accept?.(digest)
      for (const each of signals) each.throwIfAborted()
      if (content instanceof Spill) await this.#place(content, digest.sha256)
      else await this.#parts.packWriter.add({ sha256: digest.sha256, bytes: content, putAt: this.#now() })
      return digest
    } catch (error) {
      if (content instanceof Spill) await content.discard()
      throw error
    }
  }

  async #place(spill: Spill, sha256: string): Promise<void> {
    try {
      const putAt = this.#now()
      if (await this.#large.repeat(sha256, putAt)) return await spill.discard()
      await spill.sync(putAt)
      await this.#large.place(spill.path, sha256)
    } catch (error) {
      throw toBlobError(error)
    }
  }

  #intakeFor(handle: FileHandle, sizeHint: number): Intake {
    return sizeHint >= THREADED_BYTES ? this.#intake.start(handle.fd) : inlineIntake(handle)
  }

  async #deleteSome(sha256s: readonly string[], notPutSince: number): Promise<number> {
    const large = new Set<string>()
    for (let attempt = 1; ; attempt += 1) {
      try {
        const small = await this.#deleteNow(sha256s, notPutSince, large)
        return new Set([...small, ...large]).size
      } catch (error) {
        if (!isFull(error) || attempt === DELETE_ATTEMPTS) throw toBlobError(error)
        await this.#makeRoom()
      }
    }
  }

  /** One write to the index, so that no other process puts one of them again between the look and the deletion. */
  async #deleteNow(sha256s: readonly string[], notPutSince: number, large: Set<string>): Promise<string[]> {
    const trash: string[] = []
    try {
      return await this.#parts.index.write((rows) =>
        sha256s.filter((sha256) => {
          const path = this.#tempPath()
          if (this.#large.takeAway(sha256, path, ({ mtimeMs }) => Math.round(mtimeMs) < notPutSince)) {
            large.add(sha256)
            trash.push(path)
          }
          const small = rows.remove(sha256, notPutSince)
          if (small !== undefined) rows.addDead(small.pack, recordBytes(small.size))
          return small !== undefined
        }),
      )
    } finally {
      await Promise.all(trash.map(removeIfThere))
    }
  }

  async #makeRoom(): Promise<void> {
    await giveUpReserve(this.#parts.layout.reserve)
    await this.#parts.index.checkpoint()
    await this.#compact()
  }

  /** One at a time. What cannot be compacted now, on a full disk say, is tried again with the next deletion. */
  #compact(): Promise<void> {
    const { layout, index, writer, packWriter, packBytes, log } = this.#parts
    const signal = this.#work.signal
    const options = {
      ...{ layout, index, owner: writer.id, writer: packWriter, minBytes: packBytes / 16, signal },
      onLost: (sha256s: readonly string[]) => this.#tellLost(sha256s),
    }
    this.#compacting = this.#compacting
      .then(() => compactPacks(options))
      .catch((error: unknown) => log.warn({ err: error }, 'packs of the blob store could not be compacted'))
    return this.#compacting
  }

  #tempPath(): string {
    this.#temps += 1
    return join(this.#parts.layout.temp, `${this.#parts.writer.id}.${this.#temps}`)
  }

  #now(): number {
    return Math.round(this.#parts.clock.now())
  }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

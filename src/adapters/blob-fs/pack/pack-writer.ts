import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { syncFolder } from '../../fs/private-file.ts'
import { FILE_MODE, isFull, removeIfThere, toBlobError, writeFully } from '../folder/disk.ts'
import type { Layout } from '../folder/layout.ts'
import type { BlobIndex } from '../index/blob-index.ts'
import type { IndexRows, Pack, RecordPlace } from '../index/index-rows.ts'
import { encodeRecord, HEADER_BYTES, type RecordSource, recordBytes } from './record.ts'

/** Each write is synced like by fdatasync before it returns: one trip to the thread pool a batch instead of two. */
const SYNCED = constants.O_RDWR | constants.O_DSYNC
const NEW_SYNCED = SYNCED | constants.O_CREAT | constants.O_EXCL

const BATCH_ENTRIES = 512
const BATCH_BYTES = 8 << 20

interface PackEntry extends RecordSource {
  /** Set where a content changes its place rather than comes in. */
  readonly from?: RecordPlace
}

interface WaitingRecord extends PackEntry {
  resolve(): void
  reject(error: unknown): void
}

interface OpenPack {
  readonly id: number
  readonly name: string
  readonly handle: FileHandle
  size: number
}

interface PackWriterOptions {
  readonly layout: Layout
  readonly index: BlobIndex
  readonly owner: string
  readonly packBytes: number
}

/**
 * Appends small contents to a pack that only this writer appends to. Everything that arrives while the disk syncs one
 * batch makes up the next: many contents share one sync. First the records are durable, then the index knows them,
 * then the callers: a crash in between leaves records that nobody was promised.
 */
export class PackWriter {
  readonly #layout: Layout
  readonly #index: BlobIndex
  readonly #owner: string
  readonly #packBytes: number
  #pack: OpenPack | undefined
  #queue: WaitingRecord[] = []
  #sealers: (() => void)[] = []
  #awake = false

  constructor({ layout, index, owner, packBytes }: PackWriterOptions) {
    this.#layout = layout
    this.#index = index
    this.#owner = owner
    this.#packBytes = packBytes
  }

  /** Goes on with a pack that this writer owns and that ends where the index says. */
  async resume({ id, name, size }: Pack): Promise<void> {
    this.#pack = { id, name, handle: await open(this.#layout.packPath(name), SYNCED), size }
  }

  /** Resolves when the content is durable and every process finds it. */
  add(entry: PackEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...entry, resolve, reject })
      this.#wake()
    })
  }

  get packId(): number | undefined {
    return this.#pack?.id
  }

  /** Lets go of the pack in use, so that it can be compacted; the next content opens another. */
  seal(): Promise<void> {
    return new Promise((resolve) => {
      this.#sealers.push(resolve)
      this.#wake()
    })
  }

  /** What was added before is durable when it resolves. */
  async close(): Promise<void> {
    while (this.#awake || this.#pack !== undefined) await this.seal()
  }

  #wake(): void {
    if (this.#awake) return
    this.#awake = true
    void this.#run()
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#sealers.length > 0) {
      // Everything of this turn of the event loop joins the batch.
      await nextTurn()
      const batch = this.#takeBatch()
      try {
        await this.#commit(batch)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(toBlobError(error))
      }
      if (this.#sealers.length === 0) continue
      await this.#letGo()
      for (const resolve of this.#sealers.splice(0)) resolve()
    }
    this.#awake = false
  }

  #takeBatch(): WaitingRecord[] {
    let bytes = 0
    const end = this.#queue.findIndex((entry, n) => {
      bytes += recordBytes(entry.bytes.length)
      return n === BATCH_ENTRIES || (n > 0 && bytes > BATCH_BYTES)
    })
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end)
  }

  async #commit(batch: readonly PackEntry[]): Promise<void> {
    const moves = batch.filter(({ from }) => from !== undefined)
    const puts = new Map(batch.filter(({ from }) => from === undefined).map((entry) => [entry.sha256, entry]))
    await this.#touchKnown(puts)
    const entries = [...puts.values(), ...moves]
    if (entries.length > 0) await this.#append(entries)
  }

  /** Takes out what is stored already, after noting that it was put again. */
  async #touchKnown(puts: Map<string, PackEntry>): Promise<void> {
    if (puts.size === 0) return
    const known = await this.#index.write((rows) =>
      [...puts.values()].filter(({ sha256, putAt }) => rows.touch(sha256, putAt)),
    )
    for (const { sha256 } of known) puts.delete(sha256)
  }

  async #append(entries: readonly PackEntry[]): Promise<void> {
    const pack = await this.#packWithRoom()
    const records = Buffer.allocUnsafe(entries.reduce((sum, { bytes }) => sum + recordBytes(bytes.length), 0))
    let end = 0
    for (const entry of entries) end = encodeRecord(records, end, entry)
    try {
      await writeFully(pack.handle, records, pack.size)
      await this.#index.write((rows) => this.#note(rows, pack, entries))
      pack.size += end
    } catch (error) {
      const cut = await succeeds(pack.handle.truncate(pack.size))
      // A full disk may have room again later. Of any other failure the place may be the cause: try another pack.
      if (!cut || !isFull(error)) await this.#letGo()
      throw error
    }
  }

  #note(rows: IndexRows, pack: OpenPack, entries: readonly PackEntry[]): void {
    let end = pack.size
    let dead = 0
    for (const { sha256, bytes, putAt, from } of entries) {
      const place = { pack: pack.id, offset: end + HEADER_BYTES }
      const length = recordBytes(bytes.length)
      end += length
      if (from !== undefined) {
        if (rows.move(sha256, from, place)) rows.addDead(from.pack, length)
        else dead += length
      } else if (!rows.insert({ sha256, size: bytes.length, putAt }, place)) {
        // Another process put the same content while this one was being synced.
        rows.touch(sha256, putAt)
        dead += length
      }
    }
    rows.setSize(pack.id, end)
    if (dead > 0) rows.addDead(pack.id, dead)
  }

  async #packWithRoom(): Promise<OpenPack> {
    if (this.#pack !== undefined && this.#pack.size >= this.#packBytes) await this.#letGo()
    this.#pack ??= await this.#createPack()
    return this.#pack
  }

  /** The index learns of a pack before it is there: a file that the index does not know has no living writer. */
  async #createPack(): Promise<OpenPack> {
    const name = `${randomBytes(8).toString('hex')}.pack`
    const id = await this.#index.write((rows) => rows.addPack(name, this.#owner))
    let handle: FileHandle | undefined
    try {
      handle = await open(this.#layout.packPath(name), NEW_SYNCED, FILE_MODE)
      await syncFolder(this.#layout.packs)
      return { id, name, handle, size: 0 }
    } catch (error) {
      await handle?.close()
      await succeeds(dropPack(this.#layout, this.#index, { id, name }))
      throw error
    }
  }

  /** A failure costs nothing here: what is left owned is freed when the next store finds its owner gone. */
  async #letGo(): Promise<void> {
    const pack = this.#pack
    this.#pack = undefined
    if (pack === undefined) return
    await succeeds(pack.handle.close())
    if (pack.size === 0) await succeeds(dropPack(this.#layout, this.#index, pack))
    else await succeeds(this.#index.write((rows) => rows.release(pack.id)))
  }
}

/** The file goes first: a pack that the index knows no more must not be found again by the next store that opens. */
export async function dropPack(layout: Layout, index: BlobIndex, { id, name }: Pick<Pack, 'id' | 'name'>) {
  await removeIfThere(layout.packPath(name))
  await index.write((rows) => rows.dropPack(id))
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

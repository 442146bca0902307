import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { BlobDigest } from '#core/ports/blob-store.ts'
import { FILE_MODE, removeIfThere, toBlobError, writeFully } from './disk.ts'
import type { Sha256 } from './sha256.ts'

const BLOCK_BYTES = 256 << 10
const BLOCKS = 4
const BYTES_BETWEEN_SYNCS = 16 << 20

interface Shipped {
  readonly block: Buffer
  readonly done: Promise<unknown>
}

/**
 * A large content on its way in: hashed and written to a temporary file at once, through a few blocks of memory.
 * The disk starts on early parts while later ones arrive, so little is left to wait for at the end.
 */
export class Spill {
  readonly path: string
  readonly #handle: FileHandle
  readonly #sha1 = createHash('sha1')
  readonly #sha256: Sha256
  readonly #shipped: Shipped[] = []
  #block: Buffer | undefined
  #blocks = 0
  #filled = 0
  #size = 0
  #syncedAt = 0
  #synced: Promise<unknown> = Promise.resolve()
  #syncing = false

  private constructor(path: string, handle: FileHandle, sha256: Sha256) {
    this.path = path
    this.#handle = handle
    this.#sha256 = sha256
  }

  static async create(path: string, sha256: Sha256): Promise<Spill> {
    try {
      return new Spill(path, await open(path, 'wx', FILE_MODE), sha256)
    } catch (error) {
      sha256.drop()
      throw toBlobError(error)
    }
  }

  /** Resolves when there is room for more. The chunk may then be used again. */
  async add(chunk: Uint8Array): Promise<void> {
    let taken = 0
    while (taken < chunk.length) {
      const block = this.#block ?? (await this.#freeBlock())
      this.#block = block
      const count = Math.min(chunk.length - taken, BLOCK_BYTES - this.#filled)
      block.set(chunk.subarray(taken, taken + count), this.#filled)
      taken += count
      this.#filled += count
      if (this.#filled === BLOCK_BYTES) this.#ship(block)
    }
  }

  /** Everything is with the kernel, though not yet durable. */
  async finish(): Promise<BlobDigest> {
    if (this.#block !== undefined) this.#ship(this.#block)
    await Promise.all(this.#shipped.map(({ done }) => done)).catch(rethrow)
    return { sha256: await this.#sha256.digest(), sha1: this.#sha1.digest('hex'), size: this.#size }
  }

  /** Makes the bytes durable; the name still has to be. */
  async sync(putAt: number): Promise<void> {
    await this.#handle.utimes(putAt / 1000, putAt / 1000)
    // The kernel tells of a failed write-back once, so the outcome of an early sync counts as well.
    await Promise.all([this.#synced, this.#handle.datasync()]).catch(rethrow)
    await this.#handle.close()
  }

  async discard(): Promise<void> {
    this.#sha256.drop()
    await this.#handle.close()
    await removeIfThere(this.path)
  }

  async #freeBlock(): Promise<Buffer> {
    if (this.#blocks < BLOCKS) {
      this.#blocks += 1
      return Buffer.from(new SharedArrayBuffer(BLOCK_BYTES))
    }
    const oldest = this.#shipped.shift()
    if (oldest === undefined) throw new Error('A block of memory was lost')
    await oldest.done.catch(rethrow)
    return oldest.block
  }

  #ship(block: Buffer): void {
    const part = block.subarray(0, this.#filled)
    this.#sha1.update(part)
    const hashed = this.#sha256.update(block, this.#filled)
    const done = Promise.all([hashed, writeFully(this.#handle, part, this.#size)])
    // Whoever waits for the block hears of a failure; until then it is not an unhandled one.
    done.catch(() => undefined)
    this.#shipped.push({ block, done })
    this.#size += this.#filled
    this.#filled = 0
    this.#block = undefined
    if (this.#size - this.#syncedAt >= BYTES_BETWEEN_SYNCS && !this.#syncing) this.#syncEarly()
  }

  #syncEarly(): void {
    this.#syncedAt = this.#size
    this.#syncing = true
    const synced = this.#handle.datasync().finally(() => {
      this.#syncing = false
    })
    this.#synced = Promise.all([this.#synced, synced])
    this.#synced.catch(() => undefined)
  }
}

function rethrow(error: unknown): never {
  throw toBlobError(error)
}

import { type FileHandle, open } from 'node:fs/promises'
import type { BlobDigest } from '#core/ports/blob-store.ts'
import { FILE_MODE, removeIfThere, toBlobError } from '../folder/disk.ts'
import type { Intake } from './intake.ts'

const BYTES_BETWEEN_SYNCS = 16 << 20

/**
 * A large content on its way in: hashed and written to a temporary file at once. The disk starts on early parts while later
 * ones arrive, so little is left to wait for at the end.
 */
export class Spill {
  readonly path: string
  readonly #handle: FileHandle
  readonly #intake: Intake
  #size = 0
  #syncedAt = 0
  #synced: Promise<unknown> = Promise.resolve()
  #syncing = false

  private constructor(path: string, handle: FileHandle, intake: Intake) {
    this.path = path
    this.#handle = handle
    this.#intake = intake
  }

  static async create(path: string, intakeFor: (handle: FileHandle) => Intake): Promise<Spill> {
    const handle = await open(path, 'wx', FILE_MODE).catch(rethrow)
    return new Spill(path, handle, intakeFor(handle))
  }

  /** Answers with a promise, which resolves when there is room for more, if there is none now. */
  add(chunk: Uint8Array, isOurs: boolean): Promise<void> | undefined {
    this.#size += chunk.length
    const added = this.#intake.add(chunk, isOurs)?.catch(rethrow)
    if (this.#size - this.#syncedAt >= BYTES_BETWEEN_SYNCS && !this.#syncing) this.#syncEarly()
    return added
  }

  /** Everything is with the kernel, though not yet durable. */
  finish(): Promise<BlobDigest> {
    return this.#intake.finish().catch(rethrow)
  }

  /** Makes the bytes durable; the name still has to be. */
  async sync(putAt: number): Promise<void> {
    await this.#handle.utimes(putAt / 1000, putAt / 1000)
    // The kernel tells of a failed write-back once, so the outcome of an early sync counts as well.
    await Promise.all([this.#synced, this.#handle.datasync()]).catch(rethrow)
    await this.#handle.close()
  }

  async discard(): Promise<void> {
    // Its number may be that of another file as soon as this one is closed.
    await this.#intake.drop()
    await this.#handle.close()
    await removeIfThere(this.path)
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

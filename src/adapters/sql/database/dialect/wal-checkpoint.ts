import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

/** From this size on, the log is put away. */
const LONG_BYTES = 8 << 20
const COMMITS_BETWEEN_LOOKS = 16

/**
 * Moves what the log of a database has gathered into its file, in a thread. SQLite would do it during the commit that makes the
 * log long, and sync both files meanwhile: an event loop would stand still for as long as a busy disk takes for that.
 */
export class WalCheckpoint {
  readonly #file: string
  #commits = 0
  #from = LONG_BYTES
  #look: Promise<void> | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** After each commit. Nobody waits for what comes of it. */
  note(): void {
    this.#commits += 1
    if (this.#commits % COMMITS_BETWEEN_LOOKS !== 0 || this.#look !== undefined) return
    this.#look = this.#lookAt().finally(() => {
      this.#look = undefined
    })
  }

  async close(): Promise<void> {
    await this.#look
  }

  async #lookAt(): Promise<void> {
    if ((await this.#length()) < this.#from) return
    await putAway(this.#file)
    // Whoever reads for long keeps it from being emptied. It is not tried again for every few commits.
    this.#from = (await this.#length()) + LONG_BYTES
  }

  /** Where it cannot be looked at, the next look does. */
  #length(): Promise<number> {
    return stat(`${this.#file}-wal`).then(
      ({ size }) => size,
      () => 0,
    )
  }
}

/** Resolves whatever becomes of it: what is left is put away the next time, and in the end by SQLite itself. */
const putAway = (file: string): Promise<void> =>
  new Promise((resolve) => {
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: file })
    worker.once('error', () => resolve())
    worker.once('exit', () => resolve())
  })

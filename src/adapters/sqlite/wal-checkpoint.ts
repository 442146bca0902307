import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

const LONG_BYTES = 8 << 20
const COMMITS_BETWEEN_LOOKS = 16

interface CheckpointOptions {
  /** From this size on, the log is put away. */
  readonly longBytes?: number
  /** Called when that failed for another reason than that somebody else used the database. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * Moves what the log of a database has gathered into its file, in a thread. SQLite would do it during the commit that makes the
 * log long, and sync both files meanwhile: an event loop would stand still for as long as a busy disk takes for that.
 */
export class WalCheckpoint {
  readonly #file: string
  readonly #longBytes: number
  readonly #onFailure: (error: unknown) => void
  #commits = 0
  #from: number
  #look: Promise<void> | undefined
  #running: Promise<void> | undefined

  constructor(file: string, { longBytes = LONG_BYTES, onFailure = () => {} }: CheckpointOptions = {}) {
    this.#file = file
    this.#longBytes = longBytes
    this.#onFailure = onFailure
    this.#from = longBytes
  }

  /** After each commit. Nobody waits for what comes of it. */
  note(): void {
    this.#commits += 1
    if (this.#commits % COMMITS_BETWEEN_LOOKS !== 0 || this.#look !== undefined) return
    this.#look = this.#lookAt().finally(() => {
      this.#look = undefined
    })
  }

  /** Resolves whatever becomes of it: what is left is put away the next time, and in the end by SQLite itself. */
  run(): Promise<void> {
    this.#running ??= runThread(this.#file)
      .catch(this.#onFailure)
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async close(): Promise<void> {
    await this.#look
    await this.#running
  }

  async #lookAt(): Promise<void> {
    if ((await this.#length()) < this.#from) return
    await this.run()
    // Whoever reads for long keeps it from being emptied. It is not tried again for every few commits.
    this.#from = (await this.#length()) + this.#longBytes
  }

  /** Where it cannot be looked at, the next look does. */
  #length(): Promise<number> {
    return stat(`${this.#file}-wal`).then(
      ({ size }) => size,
      () => 0,
    )
  }
}

const runThread = (file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: file })
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })

import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { MINUTE } from '#contract/time.ts'

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
    this.#running ??= thread
      .run(this.#file)
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
    const length = await this.#length()
    // Another process has emptied it, or SQLite itself: what was left of it then is gone.
    if (length < this.#from - this.#longBytes) this.#from = this.#longBytes
    if (length < this.#from) return
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

/**
 * So long after the last log it stays. To start it takes 70 to 120 ms of CPU time, five times what it takes to put a log away, and
 * visitors of a busy machine wait meanwhile. At rest it has some 3 MB.
 */
const IDLE_MS = 5 * MINUTE

/** The thread for all databases of a process. It starts with the first log, so that an idle process does not pay its memory. */
class CheckpointThread {
  readonly #waiting: PromiseWithResolvers<void>[] = []
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  /** Rejects, and does not throw, where the machine has no thread left. */
  async run(file: string): Promise<void> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    this.#worker.ref()
    const settle = Promise.withResolvers<void>()
    this.#waiting.push(settle)
    this.#worker.postMessage(file)
    return settle.promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url))
    // It answers in the order in which it is asked.
    worker.on('message', (failure: Error | undefined) => {
      const waiting = this.#waiting.shift()
      if (failure === undefined) waiting?.resolve()
      else waiting?.reject(failure)
      if (this.#waiting.length === 0) this.#rest(worker)
    })
    worker.once('error', (error) => this.#fail(worker, error))
    worker.once('exit', () => this.#fail(worker, new Error('the thread that puts logs away has ended')))
    return worker
  }

  #rest(worker: Worker): void {
    worker.unref()
    this.#idle = setTimeout(() => {
      // Whoever comes while it ends needs another.
      this.#worker = undefined
      void worker.terminate()
    }, IDLE_MS)
    this.#idle.unref()
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    clearTimeout(this.#idle)
    this.#worker = undefined
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

const thread = new CheckpointThread()

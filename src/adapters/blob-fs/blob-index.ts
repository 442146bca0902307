import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Log } from '#core/ports/log.ts'
import { inFile } from '../fs/error-code.ts'
import { sqliteCodeOf } from './disk.ts'
import { createPrivately, SQLITE_BUSY } from './file-lock.ts'
import { type IndexRows, prepareRows, SCHEMA, SCHEMA_VERSION } from './index-rows.ts'

const OPEN_WAIT_MS = 5_000
const BUSY_LIMIT_MS = 30_000
const CHECKPOINT_WAL_BYTES = 16 << 20
const WRITES_BETWEEN_LOOKS = 64

/**
 * Where each small content is, shared by all processes. It can always be made anew from the packs, so commits need
 * no fsync; checkpoints do, and run in a thread of their own. SQLite never sleeps on the event loop: what finds the
 * file busy tries again a little later.
 */
export class BlobIndex {
  readonly #path: string
  readonly #log: Log
  readonly #db: DatabaseSync
  readonly #rows: IndexRows
  #writes = 0
  #look: Promise<void> | undefined
  #checkpoint: Promise<void> | undefined

  constructor(path: string, log: Log) {
    createPrivately(path)
    this.#path = path
    this.#log = log
    this.#db = new DatabaseSync(path, { timeout: OPEN_WAIT_MS })
    try {
      prepareDatabase(this.#db)
      this.#rows = prepareRows(this.#db)
    } catch (error) {
      this.#db.close()
      throw inFile(path, error)
    }
  }

  read<T>(work: (rows: IndexRows) => T): Promise<T> {
    return whenFree(() => work(this.#rows))
  }

  /** One atomic change. It also keeps every other process from changing anything meanwhile. */
  async write<T>(work: (rows: IndexRows) => T): Promise<T> {
    const result = await whenFree(() => {
      this.#db.exec('BEGIN IMMEDIATE')
      try {
        const value = work(this.#rows)
        this.#db.exec('COMMIT')
        return value
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
        throw error
      }
    })
    this.#writes += 1
    if (this.#writes % WRITES_BETWEEN_LOOKS === 0 && this.#look === undefined) {
      this.#look = this.#checkpointIfLong().finally(() => {
        this.#look = undefined
      })
    }
    return result
  }

  /** Moves the log of changes into the file of the index and gives its space back, where it can. */
  checkpoint(): Promise<void> {
    this.#checkpoint ??= runCheckpoint(this.#path)
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, 'the index of the blob store could not be checkpointed')
      })
      .finally(() => {
        this.#checkpoint = undefined
      })
    return this.#checkpoint
  }

  async close(): Promise<void> {
    await this.#look
    await this.#checkpoint
    this.#db.close()
  }

  async #checkpointIfLong(): Promise<void> {
    // Where it cannot be looked at, the next look does.
    const size = await stat(`${this.#path}-wal`).then(
      (found) => found.size,
      () => 0,
    )
    if (size > CHECKPOINT_WAL_BYTES) await this.checkpoint()
  }
}

function prepareDatabase(db: DatabaseSync): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
  if (mode !== 'wal') throw new Error('The blob folder is on a file system that processes cannot share')
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (version > SCHEMA_VERSION) throw new Error('The blob folder was written by a newer version of Aloft')
  if (version === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`)
  db.exec('PRAGMA busy_timeout = 0')
}

async function whenFree<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_LIMIT_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (sqliteCodeOf(error) !== SQLITE_BUSY || performance.now() > deadline) throw error
    }
    await delay(1 + Math.random() * 4)
  }
}

function runCheckpoint(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: path })
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
}

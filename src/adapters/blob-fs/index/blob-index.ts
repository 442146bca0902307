import { DatabaseSync } from 'node:sqlite'
import type { Log } from '#core/ports/log.ts'
import { inFile } from '../../sqlite/sqlite-error.ts'
import { WalCheckpoint } from '../../sqlite/wal-checkpoint.ts'
import { whenFree } from '../../sqlite/when-free.ts'
import { createPrivately } from '../folder/file-lock.ts'
import { type IndexRows, prepareRows, SCHEMA, SCHEMA_VERSION } from './index-rows.ts'

const OPEN_WAIT_MS = 5_000
const BUSY_LIMIT_MS = 30_000
const LONG_LOG_BYTES = 16 << 20

/**
 * Where each small content is, shared by all processes. It can always be made anew from the packs, so commits need
 * no fsync; checkpoints do, and run in a thread of their own. SQLite never sleeps on the event loop: what finds the
 * file busy tries again a little later.
 */
export class BlobIndex {
  readonly #db: DatabaseSync
  readonly #rows: IndexRows
  readonly #checkpoint: WalCheckpoint

  constructor(path: string, log: Log) {
    createPrivately(path)
    this.#db = new DatabaseSync(path, { timeout: OPEN_WAIT_MS })
    try {
      prepareDatabase(this.#db)
      this.#rows = prepareRows(this.#db)
    } catch (error) {
      this.#db.close()
      throw inFile(path, error)
    }
    this.#checkpoint = new WalCheckpoint(path, {
      longBytes: LONG_LOG_BYTES,
      onFailure: (err) => log.warn({ err }, 'the index of the blob store could not be checkpointed'),
    })
  }

  read<T>(work: (rows: IndexRows) => T): Promise<T> {
    return whenFree(() => work(this.#rows), BUSY_LIMIT_MS)
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
    }, BUSY_LIMIT_MS)
    this.#checkpoint.note()
    return result
  }

  /** Moves the log of changes into the file of the index and gives its space back, where it can. */
  checkpoint(): Promise<void> {
    return this.#checkpoint.run()
  }

  async close(): Promise<void> {
    await this.#checkpoint.close()
    this.#db.close()
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

import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Dialect, type Driver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { SECOND } from '#contract/time.ts'
import { WalCheckpoint } from '../../../sqlite/wal-checkpoint.ts'
import { whenFree } from '../../../sqlite/when-free.ts'
import { convertError, type DamagedDatabase } from './errors.ts'
import { Mutex } from './mutex.ts'
import { SqliteHandle } from './sqlite-handle.ts'
import { type SqliteParts, SqliteSession } from './sqlite-session.ts'
import { type SyncFile, WalSync } from './wal-sync.ts'

/** What a commit acknowledged survives the loss of power (`full`), or the death of the process (`normal`). */
export type Durability = 'full' | 'normal'

export interface SqliteOptions {
  readonly file: string
  readonly durability?: Durability
  readonly timeoutMs?: number
  /** Whether pages that deletions made free can be given back to the disk; decided when the file is made. */
  readonly canShrink?: boolean
  /** Told when the file turns out to be damaged while it is used. */
  readonly onDamage?: ((error: DamagedDatabase) => void) | undefined
  /** Told every statement of the stores, whichever way it comes. */
  readonly onStatement?: ((sql: string) => void) | undefined
  /** In the place of the system's own. */
  readonly syncFile?: SyncFile | undefined
}

/**
 * What has to survive the loss of power is synced after each commit by `WalSync`, and the log is put away by `WalCheckpoint`; SQLite
 * itself, which still does so where the log has become very long, would stop the process for both.
 * Caches are small, for there are many processes. A writer's holds what a batch of thousands of rows touches.
 */
const writerPragmas = (canShrink: boolean) => `
  pragma busy_timeout = 0;
  ${canShrink ? 'pragma auto_vacuum = incremental;' : ''}
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma journal_size_limit = 16777216;
  pragma wal_autocheckpoint = 50000;
  pragma cache_size = -8000`
/** A reader is only ever kept out for a moment, while a file is recovered or its log is put away. */
const readerPragmas = (fileBytes: number) => `
  pragma busy_timeout = 5000;
  pragma query_only = on;
  pragma cache_size = -${readerKilobytes(fileBytes)}`

const LEAST_KILOBYTES = 4000
const MOST_KILOBYTES = 32_000
/** Of a file, so much are inner pages of its trees, with room for what is read beside them. */
const INNER_PAGES = 1 / 128

/**
 * The pages that a reader keeps. A look-up in a large file passes inner pages that others pass as well; where these do not stay, each
 * of them is read again for each row. It is decided when the file is opened, and only what was read takes memory.
 */
const readerKilobytes = (fileBytes: number): number =>
  Math.round(Math.min(Math.max((fileBytes * INNER_PAGES) / 1000, LEAST_KILOBYTES), MOST_KILOBYTES))

/** Nobody but the platform's own user reads the file; its log and index inherit the mode. */
function makeFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

function openReader(file: string, writer: SqliteHandle): SqliteHandle {
  try {
    return new SqliteHandle(file, readerPragmas(statSync(file).size))
  } catch (error) {
    writer.close()
    throw error
  }
}

/** Known to every query of the database, and so where a read finds the way past the steps that only transactions need. */
export class EmbeddedAdapter extends SqliteAdapter {
  /** Answers a read outside of a transaction at once; undefined while the database is not open. */
  read: (<R>(sql: string, parameters: readonly unknown[]) => readonly R[]) | undefined
}

class SqliteDriver implements Driver {
  readonly #adapter: EmbeddedAdapter
  readonly #file: string
  readonly #timeoutMs: number
  readonly #durability: Durability
  readonly #canShrink: boolean
  readonly #syncFile: SyncFile | undefined
  readonly #onDamage: SqliteOptions['onDamage']
  readonly #onStatement: SqliteOptions['onStatement']
  #parts: SqliteParts | undefined

  constructor(options: SqliteOptions, adapter: EmbeddedAdapter) {
    this.#adapter = adapter
    this.#onDamage = options.onDamage
    this.#onStatement = options.onStatement
    this.#file = options.file
    this.#durability = options.durability ?? 'full'
    this.#timeoutMs = options.timeoutMs ?? 10 * SECOND
    this.#canShrink = options.canShrink ?? false
    this.#syncFile = options.syncFile
  }

  async init(): Promise<void> {
    const timeoutMs = this.#timeoutMs
    try {
      makeFile(this.#file)
      const pragmas = writerPragmas(this.#canShrink)
      const writer = await whenFree(() => new SqliteHandle(this.#file, pragmas), timeoutMs)
      this.#parts = {
        file: this.#file,
        writer,
        reader: openReader(this.#file, writer),
        turn: new Mutex(),
        walSync: this.#durability === 'full' ? new WalSync(this.#file, this.#syncFile) : undefined,
        walCheckpoint: new WalCheckpoint(this.#file),
        timeoutMs,
        onDamage: this.#onDamage,
        onStatement: this.#onStatement,
      }
      const reads = new SqliteSession(this.#parts)
      this.#adapter.read = (sql, parameters) => reads.read(sql, parameters)
    } catch (error) {
      throw convertError(error, this.#file)
    }
  }

  async acquireConnection(): Promise<SqliteSession> {
    return new SqliteSession(this.#opened())
  }

  beginTransaction(session: SqliteSession): Promise<void> {
    return session.begin()
  }

  commitTransaction(session: SqliteSession): Promise<void> {
    return session.commit()
  }

  rollbackTransaction(session: SqliteSession): Promise<void> {
    return session.rollback()
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const { writer, reader, turn, walSync, walCheckpoint, timeoutMs } = this.#opened()
    this.#adapter.read = undefined
    await turn.lock(timeoutMs)
    await walCheckpoint.close()
    await walSync?.close()
    reader.close()
    writer.close()
  }

  #opened(): SqliteParts {
    if (!this.#parts) throw new Error('the database is not open')
    return this.#parts
  }
}

export function createSqliteDialect(options: SqliteOptions): Dialect {
  const adapter = new EmbeddedAdapter()
  return {
    createAdapter: () => adapter,
    createDriver: () => new SqliteDriver(options, adapter),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

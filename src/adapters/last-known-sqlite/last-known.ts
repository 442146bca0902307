import { rmSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import { SECOND } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { LastKnown } from '#core/ports/last-known.ts'
import type { Log } from '#core/ports/log.ts'

interface LastKnownOptions {
  readonly file: string
  readonly clock: Clock
  readonly log: Log
  /** Kinds of which anybody can have as much remembered as they like: they go before all others. */
  readonly firstToGo?: readonly string[]
  /** What all of it may take. */
  readonly maxBytes?: number
}

/** The longest unused go first. */
const MAX_BYTES = 128 * 2 ** 20
/** One that is larger would push out all others. */
const LARGEST_SHARE = 0.25
/** Waiting for the other processes that write to it; nobody may be kept waiting for long. */
const BUSY_MS = 200
/** The same before there are visitors: another process may be making an index. */
const OPEN_MS = 10 * SECOND
/** What is written at once: visitors wait for it. */
const FLUSH_BYTES = 8 * 2 ** 20
const FLUSH_ROWS = 500
/** Until the rest of it. */
const REST_MS = 50
/** Until what could not be written is tried again, while there is not more of it than this. */
const AGAIN_MS = 5 * SECOND
const MAX_AGAIN = 10_000
/** How many go in one flush where there is too much: more than come with it. */
const PRUNE_ROWS = 2 * FLUSH_ROWS

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS known (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, used_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS known_by_use ON known (used_at);
  CREATE INDEX IF NOT EXISTS known_by_kind ON known (kind, used_at);
  PRAGMA busy_timeout = ${BUSY_MS};
`

/** Shared by all serving processes of a machine. */
export function createLastKnown(options: LastKnownOptions): LastKnown {
  const { log, file } = options
  try {
    return new SqliteLastKnown(open(options), options)
  } catch (err) {
    log.warn(
      { err, file },
      'what is known on this machine cannot be kept: without the database it serves less',
    )
    return { put() {}, get: () => undefined, close() {} }
  }
}

/** A file that cannot be used is begun anew. */
function open({ file, log }: LastKnownOptions): DatabaseSync {
  for (let isSecond = false; ; isSecond = true) {
    let database: DatabaseSync | undefined
    try {
      database = new DatabaseSync(file, { timeout: OPEN_MS })
      database.exec(SCHEMA)
      return database
    } catch (err) {
      database?.close()
      if (isSecond) throw err
      log.warn({ err, file }, 'what was known on this machine cannot be read, and is begun anew')
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    }
  }
}

interface WaitingWrite {
  readonly kind: string
  readonly key: string
  readonly value: unknown
}

class SqliteLastKnown implements LastKnown {
  readonly #database: DatabaseSync
  readonly #options: LastKnownOptions
  readonly #read: StatementSync
  readonly #write: StatementSync
  readonly #has: StatementSync
  readonly #remove: StatementSync
  readonly #removeOfKind: StatementSync
  readonly #removeOldest: StatementSync
  readonly #size: StatementSync
  readonly #firstToGo: readonly string[]
  readonly #maxBytes: number
  /** By kind and key: only the last counts. */
  readonly #waiting = new Map<string, WaitingWrite>()
  #timer: NodeJS.Timeout | undefined
  #hasWarned = false

  constructor(database: DatabaseSync, options: LastKnownOptions) {
    this.#database = database
    this.#options = options
    this.#read = database.prepare('SELECT value FROM known WHERE kind = ? AND key = ?')
    this.#write = database.prepare(
      'INSERT INTO known (kind, key, value, used_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, used_at = excluded.used_at',
    )
    this.#has = database.prepare('SELECT 1 FROM known WHERE kind = ? AND key = ?')
    this.#remove = database.prepare('DELETE FROM known WHERE kind = ? AND key = ?')
    this.#removeOfKind = database.prepare(
      'DELETE FROM known WHERE (kind, key) IN (SELECT kind, key FROM known WHERE kind = ? ORDER BY used_at LIMIT 1)',
    )
    this.#removeOldest = database.prepare(
      'DELETE FROM known WHERE (kind, key) IN (SELECT kind, key FROM known ORDER BY used_at LIMIT 1)',
    )
    this.#size = database.prepare(
      'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
    )
    this.#firstToGo = options.firstToGo ?? []
    this.#maxBytes = options.maxBytes ?? MAX_BYTES
  }

  put(kind: string, key: string, value: unknown): void {
    const name = `${kind}\0${key}`
    // Anybody can make up names that there is nothing of, and was nothing of before.
    if (value === undefined && !this.#waiting.has(name) && !this.#isThere(kind, key)) return
    this.#waiting.set(name, { kind, key, value })
    this.#flushIn(SECOND)
  }

  #isThere(kind: string, key: string): boolean {
    try {
      return this.#has.get(kind, key) !== undefined
    } catch (err) {
      this.#failed(err)
      return true
    }
  }

  #flushIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.#flush(), ms).unref()
  }

  get(kind: string, key: string): unknown {
    const waiting = this.#waiting.get(`${kind}\0${key}`)
    if (waiting) return waiting.value
    try {
      const row = this.#read.get(kind, key) as { value: Uint8Array } | undefined
      return row && deserialize(row.value)
    } catch (err) {
      this.#failed(err)
      return undefined
    }
  }

  close(): void {
    for (let left = Number.POSITIVE_INFINITY; this.#waiting.size > 0 && this.#waiting.size < left; ) {
      left = this.#waiting.size
      this.#flush()
    }
    clearTimeout(this.#timer)
    this.#database.close()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.size === 0) return
    const written: string[] = []
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      try {
        let bytes = 0
        for (const [name, each] of this.#waiting) {
          written.push(name)
          bytes += this.#store(each)
          if (bytes > FLUSH_BYTES || written.length >= FLUSH_ROWS) break
        }
        this.#prune()
        this.#database.exec('COMMIT')
      } catch (error) {
        this.#database.exec('ROLLBACK')
        throw error
      }
      for (const name of written) this.#waiting.delete(name)
      if (this.#waiting.size > 0) this.#flushIn(REST_MS)
    } catch (err) {
      this.#failed(err)
      this.#keepRemovals()
      if (this.#waiting.size > 0) this.#flushIn(AGAIN_MS)
    }
  }

  /** What is there is written when it is read again. What is gone may never be asked for while that could be found out. */
  #keepRemovals(): void {
    for (const [name, { value }] of this.#waiting) if (value !== undefined) this.#waiting.delete(name)
    if (this.#waiting.size > MAX_AGAIN) this.#waiting.clear()
  }

  /** Answers how much it was. */
  #store({ kind, key, value }: WaitingWrite): number {
    const bytes = value === undefined ? undefined : serialize(value)
    if (bytes === undefined || bytes.length > this.#maxBytes * LARGEST_SHARE) this.#remove.run(kind, key)
    else this.#write.run(kind, key, bytes, this.#options.clock.now())
    return bytes?.length ?? 0
  }

  /** A little at a time: visitors wait for it. */
  #prune(): void {
    for (let gone = 0; gone < PRUNE_ROWS && this.#bytes() > this.#maxBytes; gone++)
      if (!this.#firstToGo.some((kind) => this.#removeOfKind.run(kind).changes > 0)) this.#removeOldest.run()
  }

  /** Of pages that hold anything. To add up the rows would mean to read them all. */
  #bytes(): number {
    const { bytes } = this.#size.get() as { bytes: number }
    return bytes
  }

  /** It is only a copy: visitors are served without it. */
  #failed(err: unknown): void {
    if (!this.#hasWarned) this.#options.log.warn({ err }, 'what is known on this machine cannot be kept')
    this.#hasWarned = true
  }
}

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
}

/** What all values may take; the longest unused go first. */
const MAX_BYTES = 128 * 2 ** 20
/** One that is larger would push out all others. */
const LARGEST_SHARE = 0.25
/** Waiting for the other processes that write to it; nobody may be kept waiting for long. */
const BUSY_MS = 200
/** What is written at once: visitors wait for it. */
const FLUSH_BYTES = 8 * 2 ** 20
const FLUSH_ROWS = 500
/** Until the rest of it. */
const REST_MS = 50
/** What a row takes beside its key and value. */
const ROW_BYTES = 64
/** How many flushes go by until it is looked at whether there is too much. */
const PRUNE_EVERY = 60

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = ${BUSY_MS};
  CREATE TABLE IF NOT EXISTS known (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, used_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS known_by_use ON known (used_at);
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
      database = new DatabaseSync(file)
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

interface Waiting {
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
  /** By kind and key: only the last counts. */
  readonly #waiting = new Map<string, Waiting>()
  #timer: NodeJS.Timeout | undefined
  #flushes = 0
  #isTold = false

  constructor(database: DatabaseSync, options: LastKnownOptions) {
    this.#database = database
    this.#options = options
    this.#read = database.prepare('SELECT value FROM known WHERE kind = ? AND key = ?')
    this.#write = database.prepare(
      'INSERT INTO known (kind, key, value, used_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, used_at = excluded.used_at',
    )
    this.#has = database.prepare('SELECT 1 FROM known WHERE kind = ? AND key = ?')
    this.#remove = database.prepare('DELETE FROM known WHERE kind = ? AND key = ?')
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
    while (this.#waiting.size > 0) this.#flush()
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
        if (this.#flushes++ % PRUNE_EVERY === 0) this.#prune()
        this.#database.exec('COMMIT')
      } catch (error) {
        this.#database.exec('ROLLBACK')
        throw error
      }
      for (const name of written) this.#waiting.delete(name)
    } catch (err) {
      this.#waiting.clear()
      this.#failed(err)
    }
    if (this.#waiting.size > 0) this.#flushIn(REST_MS)
  }

  /** Answers how much it was. */
  #store({ kind, key, value }: Waiting): number {
    const bytes = value === undefined ? undefined : serialize(value)
    if (bytes === undefined || bytes.length > MAX_BYTES * LARGEST_SHARE) this.#remove.run(kind, key)
    else this.#write.run(kind, key, bytes, this.#options.clock.now())
    return bytes?.length ?? 0
  }

  #prune(): void {
    const { bytes } = this.#database
      .prepare(`SELECT coalesce(sum(length(value) + length(key) + ${ROW_BYTES}), 0) AS bytes FROM known`)
      .get() as { bytes: number }
    let surplus = bytes - MAX_BYTES
    if (surplus <= 0) return
    const oldest = this.#database.prepare(
      `SELECT kind, key, length(value) + length(key) + ${ROW_BYTES} AS bytes FROM known ORDER BY used_at LIMIT 1`,
    )
    while (surplus > 0) {
      const found = oldest.get() as { kind: string; key: string; bytes: number } | undefined
      if (!found) return
      this.#remove.run(found.kind, found.key)
      surplus -= found.bytes
    }
  }

  /** It is only a copy; what could not be written now is written when it is read again. */
  #failed(err: unknown): void {
    if (!this.#isTold) this.#options.log.warn({ err }, 'what is known on this machine cannot be kept')
    this.#isTold = true
  }
}

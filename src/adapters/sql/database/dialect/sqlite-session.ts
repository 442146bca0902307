import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { AloftError } from '#contract/errors.ts'
import type { WalCheckpoint } from '../../../sqlite/wal-checkpoint.ts'
import { whenFree } from '../../../sqlite/when-free.ts'
import { convertError, DamagedDatabase } from './errors.ts'
import type { Mutex } from './mutex.ts'
import { refuseNul } from './parameters.ts'
import type { SqliteHandle } from './sqlite-handle.ts'
import type { WalSync } from './wal-sync.ts'

export interface SqliteParts {
  readonly file: string
  /** Used by whoever has the turn. */
  readonly writer: SqliteHandle
  /** Cannot write; reads outside a transaction go here and wait for nobody. */
  readonly reader: SqliteHandle
  readonly turn: Mutex
  /** Where commits have to survive the loss of power. */
  readonly walSync: WalSync | undefined
  readonly walCheckpoint: WalCheckpoint
  /** How long a write waits for its turn, and how long a transaction may keep it. */
  readonly timeoutMs: number
  readonly onDamage?: ((error: DamagedDatabase) => void) | undefined
  readonly onStatement?: ((sql: string) => void) | undefined
}

/** What Kysely takes for a connection: single statements, or one transaction from begin to end. */
export class SqliteSession implements DatabaseConnection {
  readonly #parts: SqliteParts
  #state: 'idle' | 'open' | 'lost' = 'idle'
  #timer: NodeJS.Timeout | undefined
  /** Whether the transaction may have changed anything. */
  #hasWritten = false

  constructor(parts: SqliteParts) {
    this.#parts = parts
  }

  /** What is read outside of a transaction. */
  read<R>(sql: string, parameters: readonly unknown[]): readonly R[] {
    try {
      refuseNul(parameters)
      this.#parts.onStatement?.(sql)
      return this.#parts.reader.run<R>(sql, parameters).rows
    } catch (error) {
      throw this.#convert(error)
    }
  }

  async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { reader, writer, turn, timeoutMs } = this.#parts
    try {
      refuseNul(parameters)
      this.#parts.onStatement?.(sql)
      if (this.#state !== 'idle') {
        this.#assertOpen()
        if (query.kind !== 'SelectQueryNode') this.#hasWritten = true
        return writer.run(sql, parameters)
      }
      if (query.kind === 'SelectQueryNode') return reader.run(sql, parameters)
      await turn.lock(timeoutMs)
      let result: QueryResult<R>
      try {
        result = await whenFree(() => writer.run<R>(sql, parameters), timeoutMs)
      } finally {
        turn.unlock()
      }
      this.#parts.walCheckpoint.note()
      // Others may write meanwhile: what they commit goes to the disk with the next sync.
      await this.#parts.walSync?.sync()
      return result
    } catch (error) {
      throw this.#convert(error)
    }
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator, and this one only refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page by key instead')
  }

  async begin(): Promise<void> {
    const { writer, turn, timeoutMs } = this.#parts
    await turn.lock(timeoutMs)
    try {
      // Takes the write lock at once: a transaction that starts by reading could not be upgraded later
      // without failing when somebody else wrote in between.
      await whenFree(() => writer.run('begin immediate'), timeoutMs)
    } catch (error) {
      turn.unlock()
      throw this.#convert(error)
    }
    this.#state = 'open'
    this.#hasWritten = false
    this.#timer = setTimeout(() => this.#undo('lost'), timeoutMs).unref()
  }

  async commit(): Promise<void> {
    this.#assertOpen()
    const hasWritten = this.#hasWritten
    try {
      this.#parts.writer.run('commit')
      this.#end('idle')
      if (!hasWritten) return
      this.#parts.walCheckpoint.note()
      await this.#parts.walSync?.sync()
    } catch (error) {
      throw this.#convert(error)
    }
  }

  async rollback(): Promise<void> {
    if (this.#state === 'open') this.#undo('idle')
  }

  #convert(error: unknown): unknown {
    const { file, onDamage } = this.#parts
    const converted = convertError(error, file)
    if (converted instanceof DamagedDatabase) onDamage?.(converted)
    return converted
  }

  #undo(state: 'idle' | 'lost'): void {
    try {
      if (this.#parts.writer.isTransaction) this.#parts.writer.run('rollback')
    } finally {
      this.#end(state)
    }
  }

  #end(state: 'idle' | 'lost'): void {
    clearTimeout(this.#timer)
    this.#state = state
    this.#parts.turn.unlock()
  }

  /** A full disk or an I/O error can make SQLite roll back by itself; what follows must not run alone. */
  #assertOpen(): void {
    if (this.#state !== 'open' || !this.#parts.writer.isTransaction)
      throw new AloftError(
        'service_unavailable',
        'The transaction took too long or was rolled back. Try again later.',
      )
  }
}

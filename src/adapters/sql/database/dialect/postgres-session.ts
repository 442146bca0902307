import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import { convertError, isConnectionError } from './errors.ts'
import { refuseNul } from './parameters.ts'

/** Names a statement that the server should keep, or answers undefined when it keeps enough of them. */
type NameStatement = (sql: string) => string | undefined

/** What the server can keep a plan of; what changes tables or settings is said once, and has none. */
const HAS_PLAN = /^\s*(?:select|insert|update|delete|with)\b/i

/** What Kysely takes for a connection: a client of the pool, until it is released. */
export class PostgresSession implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #nameStatement: NameStatement
  #broken = false
  #isOver = false
  #running: Promise<unknown> | undefined

  constructor(client: PoolClient, nameStatement: NameStatement) {
    this.#client = client
    this.#nameStatement = nameStatement
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    refuseNul(parameters)
    const { rows, rowCount } = await this.#guard(() => {
      const name = HAS_PLAN.test(sql) ? this.#nameStatement(sql) : undefined
      return this.#client.query({
        text: sql,
        values: [...parameters],
        ...(name === undefined ? {} : { name }),
      })
    })
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator, and this one only refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page by key instead')
  }

  async begin(): Promise<void> {
    await this.#guard(() => this.#client.query('begin isolation level read committed'))
  }

  async commit(): Promise<void> {
    const { command } = await this.#guard(() => {
      this.#isOver = true
      return this.#client.query('commit')
    })
    // The server answers the commit of a transaction in which a statement failed with a roll-back.
    if (command !== 'COMMIT')
      throw new Error('a statement of the transaction failed, so all of it was undone')
  }

  /** Never throws: the error that led here is the one to tell, and a client left in doubt is not used again. */
  async rollback(): Promise<void> {
    try {
      this.#isOver = true
      await this.#running?.catch(() => {})
      await this.#client.query('rollback')
    } catch {
      this.#broken = true
    }
  }

  release(): void {
    this.#client.release(this.#broken || this.#client.getTransactionStatus() !== 'I')
  }

  /** A statement that nobody waits for could come after the end of its transaction, and would count on its own. */
  async #guard<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error('the transaction ended before this statement: each has to be awaited')
    if (this.#running) throw new Error('a statement is in progress: each has to be awaited')
    const statement = run()
    this.#running = statement
    try {
      return await statement
    } catch (error) {
      if (isConnectionError(error)) this.#broken = true
      throw convertError(error)
    } finally {
      this.#running = undefined
    }
  }
}

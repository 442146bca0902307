import {
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type pg from 'pg'
import { convertError } from './errors.ts'
import { createPostgresPool, type PostgresOptions, type PostgresPool } from './postgres-pool.ts'
import { PostgresSession } from './postgres-session.ts'

/** More texts than the stores have; a bound in case one is ever built from input. */
const STATEMENTS = 512

class PostgresDriver implements Driver {
  readonly #options: PostgresOptions
  /** What each connection has names for. */
  readonly #names = new WeakMap<pg.PoolClient, Map<string, string>>()
  #pool: PostgresPool | undefined

  constructor(options: PostgresOptions) {
    this.#options = options
  }

  async init(): Promise<void> {
    this.#pool = createPostgresPool(this.#options)
  }

  async acquireConnection(): Promise<PostgresSession> {
    if (!this.#pool) throw new Error('the database is not open')
    try {
      const client = await this.#pool.connect()
      const names = this.#namesOf(client)
      return new PostgresSession(client, (sql) => nameOf(names, sql))
    } catch (error) {
      throw convertError(error)
    }
  }

  beginTransaction(session: PostgresSession): Promise<void> {
    return session.begin()
  }

  commitTransaction(session: PostgresSession): Promise<void> {
    return session.commit()
  }

  rollbackTransaction(session: PostgresSession): Promise<void> {
    return session.rollback()
  }

  async releaseConnection(session: PostgresSession): Promise<void> {
    session.release()
  }

  async destroy(): Promise<void> {
    await this.#pool?.end()
  }

  #namesOf(client: pg.PoolClient): Map<string, string> {
    const known = this.#names.get(client)
    if (known !== undefined) return known
    const names = new Map<string, string>()
    this.#names.set(client, names)
    return names
  }
}

function nameOf(names: Map<string, string>, sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size >= STATEMENTS) return known
  const name = `aloft_${names.size}`
  names.set(sql, name)
  return name
}

export const createPostgresDialect = (options: PostgresOptions): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new PostgresDriver(options),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

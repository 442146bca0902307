import {
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import pg from 'pg'
import { AloftError } from '#contract/errors.ts'
import { DAY, SECOND } from '#contract/time.ts'
import { convertError } from './errors.ts'
import { PostgresSession } from './postgres-session.ts'

interface PostgresOptions {
  readonly url: string
  /** Connections of this process; all processes together have to stay below the server's limit. */
  readonly connections?: number
  /** How long one statement may take; 0 for as long as it needs. */
  readonly statementMs?: number
  /** After how long a connection is replaced by a new one, once nobody uses it. */
  readonly connectionMs?: number
}

/** More texts than the stores have; a bound in case one is ever built from input. */
const STATEMENTS = 512

/**
 * A server keeps what it has planned for as long as the connection is there. Each day brings tables of its own, and a few
 * statements that name them, which nobody sends any more the day after.
 */
const CONNECTION_MS = DAY

/** The first version that can be told how to plan. */
const OLDEST = 12

const { INT8 } = pg.types.builtins

/** Times and counts are whole numbers below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
}

/**
 * Every named statement is planned once for a connection, whatever its values. Otherwise the server compares what it expects
 * plans to cost, and plans pages of large tables anew for each request. docs/decisions/0031 says what statements have to
 * keep to.
 */
const PLANS = `
  select current_setting('server_version') as version, current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when current_setting('server_version_num')::int >= ${OLDEST * 10_000}
      then set_config('plan_cache_mode', 'force_generic_plan', false) end as mode`

interface Begun {
  readonly version: string
  readonly mode: string | null
  readonly isReadOnly: boolean
}

/**
 * Rejects where the server is too old for the setting, and where it takes no writes: a standby that an address leads to
 * before it is the primary has rows that are older than those which others have seen, and tells nobody of a change.
 */
async function begin(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<Begun>(PLANS)
  const [{ version = 'unknown', mode = null, isReadOnly = false } = {}] = rows
  if (mode === null)
    throw new Error(
      `The database server is PostgreSQL ${version}, and Aloft needs ${OLDEST} or newer. Upgrade the server, or set ALOFT_DATABASE_URL to another.`,
    )
  if (isReadOnly)
    throw new AloftError(
      'service_unavailable',
      'The database server takes no writes: it is a standby, or read-only. Try again later.',
    )
}

function createPool({
  url,
  connections = 10,
  statementMs = 15 * SECOND,
  connectionMs = CONNECTION_MS,
}: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'aloft',
    types,
    max: connections,
    connectionTimeoutMillis: 5 * SECOND,
    idleTimeoutMillis: 30 * SECOND,
    maxLifetimeSeconds: connectionMs / SECOND,
    keepAlive: true,
    onConnect: begin,
    ...(statementMs === 0
      ? {}
      : {
          statement_timeout: statementMs,
          lock_timeout: statementMs,
          idle_in_transaction_session_timeout: statementMs,
          // For a server that went away without a word, and so cannot stop the statement itself.
          query_timeout: statementMs + 5 * SECOND,
        }),
  })
  // A connection that breaks tells whoever uses it; as an event without a listener it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

class PostgresDriver implements Driver {
  readonly #options: PostgresOptions
  /** What each connection has names for. */
  readonly #names = new WeakMap<pg.PoolClient, Map<string, string>>()
  #pool: pg.Pool | undefined

  constructor(options: PostgresOptions) {
    this.#options = options
  }

  async init(): Promise<void> {
    this.#pool = createPool(this.#options)
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

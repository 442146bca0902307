import pg from 'pg'
import { AloftError } from '#contract/errors.ts'
import { postgresServers } from '#contract/postgres-servers.ts'
import { DAY, SECOND } from '#contract/time.ts'
import { isConnectionError } from './errors.ts'

export interface PostgresOptions {
  /** May name several servers, of which one takes writes. */
  readonly url: string
  /** Connections of this process; all processes together have to stay below the server's limit. */
  readonly connections?: number
  /** How long one statement may take; 0 for as long as it needs. */
  readonly statementMs?: number
  /** After how long a connection is replaced by a new one, once nobody uses it. */
  readonly connectionMs?: number
}

export interface PostgresPool {
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/** How long a connection may take, or a wait for one that others use. */
const WAIT_MS = 5 * SECOND
/** How long one may take where there are several servers. */
const CONNECT_MS = 2 * SECOND

/** Whether another server may do: this one is away, or a standby. It was not asked by who waited for others in vain. */
const isNotThere = (error: unknown): boolean =>
  error instanceof AloftError ||
  (isConnectionError(error) && !(error as Error).message.startsWith('timeout exceeded'))

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

interface SessionFacts {
  readonly version: string
  readonly mode: string | null
  readonly isReadOnly: boolean
}

/**
 * Rejects where the server is too old for the setting, and where it takes no writes: a standby that an address leads to
 * before it is the primary has rows that are older than those which others have seen, and tells nobody of a change.
 */
async function begin(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<SessionFacts>(PLANS)
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

/** Connections to the server that takes writes, of those that the address names. */
export function createPostgresPool({
  url,
  connections = 10,
  statementMs = 15 * SECOND,
  connectionMs = CONNECTION_MS,
}: PostgresOptions): PostgresPool {
  const servers = postgresServers(url) ?? [url]
  const hasSeveral = servers.length > 1
  /** Which is asked first, and where connections lead to since one was made. */
  let [next, chosen] = [0, 0]

  class Client extends pg.Client {
    readonly server = next

    constructor(config?: pg.ClientConfig) {
      super({
        ...config,
        connectionString: servers[next],
        // Nobody waits long for a server that went away while there is another.
        ...(hasSeveral ? { connectionTimeoutMillis: CONNECT_MS } : {}),
      })
    }
  }
  const serverOf = (client: pg.ClientBase): number => (client as Client).server

  const pool = new pg.Pool({
    Client,
    application_name: 'aloft',
    types,
    max: connections,
    connectionTimeoutMillis: WAIT_MS,
    idleTimeoutMillis: 30 * SECOND,
    maxLifetimeSeconds: connectionMs / SECOND,
    keepAlive: true,
    async onConnect(client) {
      await begin(client)
      chosen = serverOf(client)
    },
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

  /** What leads to a server that was left is not used any more, as it may not be the one that takes writes. */
  async function connectToChosen(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect()
      if (serverOf(client) === chosen) return client
      client.release(true)
    }
  }

  return {
    async connect() {
      let refused: unknown
      for (const _ of servers) {
        const asked = next
        try {
          return await connectToChosen()
        } catch (error) {
          if (!isNotThere(error)) throw error
          refused ??= error
          // Somebody else may have gone on already.
          if (next === asked) next = (asked + 1) % servers.length
        }
      }
      throw refused
    },
    end: () => pool.end(),
  }
}

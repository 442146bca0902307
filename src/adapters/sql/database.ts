import { type Dialect, Kysely } from 'kysely'
import { MINUTE } from '#contract/time.ts'
import { createSqliteDialect } from './dialect/sqlite-dialect.ts'
import { migrate } from './migrations/migrate.ts'
import type { Db, Tables } from './tables.ts'

export interface DatabaseConfig {
  /** A PostgreSQL server; the embedded database is used when there is none. */
  readonly url?: string | undefined
  /** Where the embedded database lies. */
  readonly file: string
}

export interface Database {
  readonly db: Db
  readonly kind: 'sqlite' | 'postgresql'
  /** Brings the schema up to date. Several processes may do so at once. */
  migrate(): Promise<void>
  /** Rejects when the database does not answer, or has no schema yet. */
  check(): Promise<void>
  /** Lets the transaction under way end, then closes. */
  close(): Promise<void>
}

interface Dialects {
  readonly everyday: Dialect
  /** For changes of the schema, which may take long and wait long for another process that makes them. */
  readonly patient: Dialect
}

const MIGRATION_LIMIT = 30 * MINUTE

async function dialectsFor({ url, file }: DatabaseConfig): Promise<Dialects> {
  if (url === undefined)
    return {
      everyday: createSqliteDialect({ file }),
      patient: createSqliteDialect({ file, patienceMs: MIGRATION_LIMIT }),
    }
  // Loaded only where it is used: the driver's memory would be paid by every process.
  const { createPostgresDialect } = await import('./dialect/postgres-dialect.ts')
  return {
    everyday: createPostgresDialect({ url }),
    patient: createPostgresDialect({ url, connections: 1, statementMs: 0 }),
  }
}

/** Connects when it is first used, so that a server that is away for a while stops nobody from starting. */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { everyday, patient } = await dialectsFor(config)
  const db = new Kysely<Tables>({ dialect: everyday })
  return {
    db,
    kind: config.url === undefined ? 'sqlite' : 'postgresql',
    async migrate() {
      const migrating = new Kysely<unknown>({ dialect: patient })
      try {
        await migrate(migrating)
      } finally {
        await migrating.destroy()
      }
    },
    async check() {
      await db.selectFrom('settings').select('key').limit(1).execute()
    },
    close: () => db.destroy(),
  }
}

import { type Dialect, type DialectAdapter, Kysely } from 'kysely'
import type { DataVersion } from '#core/ports/data-version.ts'
import { MIGRATIONS } from '../migrations/list.ts'
import { type History, migrate } from '../migrations/migrate.ts'
import type { Migration } from '../migrations/migration.ts'
import type { Tables } from '../tables.ts'
import {
  createSqliteDialect,
  type Durability,
  EmbeddedAdapter,
  type SqliteOptions,
} from './dialect/sqlite-dialect.ts'
import { MIGRATION_LIMIT } from './migration-limit.ts'

export interface DatabaseConfig {
  /** A PostgreSQL server; the embedded database is used when there is none. */
  readonly url?: string | undefined
  /** Where the embedded database lies. */
  readonly file: string
}

export interface Database<T = Tables> {
  readonly db: Kysely<T>
  readonly kind: 'sqlite' | 'postgresql'
  /** Another number after any change; undefined where that cannot be told without asking for each row. */
  readonly version: DataVersion
  /** Brings the schema up to date; answers what a newer version has added. Several processes may do so at once. */
  migrate(): Promise<readonly string[]>
  /** Rejects when the database does not answer, or has no schema yet. */
  check(): Promise<void>
  /** Lets the transaction under way end, then closes. */
  close(): Promise<void>
}

/** What tells one database from another. On PostgreSQL they may share a server's database. */
interface Schema<T> {
  readonly migrations: readonly Migration[]
  readonly history: History
  readonly durability: Durability
  /** Whether an embedded file gives space back that deletions made free. */
  readonly canShrink?: boolean
  readonly onDamage?: SqliteOptions['onDamage']
  /** To a PostgreSQL server, from one process. */
  readonly connections: number
  /** Reads anything. */
  readonly probe: (db: Kysely<T>) => Promise<unknown>
}

interface Dialects {
  readonly everyday: Dialect
  /** For changes of the schema, which may take long and wait long for another process that makes them. */
  readonly patient: Dialect
}

async function dialectsFor<T>(
  { url, file }: DatabaseConfig,
  { durability, connections, canShrink = false, onDamage }: Schema<T>,
): Promise<Dialects> {
  if (url === undefined)
    return {
      everyday: createSqliteDialect({ file, durability, canShrink, onDamage }),
      patient: createSqliteDialect({ file, durability, canShrink, timeoutMs: MIGRATION_LIMIT }),
    }
  // Loaded only where it is used: the driver's memory would be paid by every process.
  const { createPostgresDialect } = await import('./dialect/postgres-dialect.ts')
  return {
    everyday: createPostgresDialect({ url, connections }),
    patient: createPostgresDialect({ url, connections: 1, statementMs: 0 }),
  }
}

/** What is not open yet has not been read either. */
const versionOf = (adapter: DialectAdapter): number | undefined =>
  adapter instanceof EmbeddedAdapter
    ? adapter.read?.<{ readonly data_version: number }>('pragma data_version', [])[0]?.data_version
    : undefined

/** Connects when it is first used, so that a server that is away for a while stops nobody from starting. */
export async function openSchema<T>(config: DatabaseConfig, schema: Schema<T>): Promise<Database<T>> {
  const { everyday, patient } = await dialectsFor(config, schema)
  const db = new Kysely<T>({ dialect: everyday })
  return {
    db,
    kind: config.url === undefined ? 'sqlite' : 'postgresql',
    version: () => versionOf(db.getExecutor().adapter),
    async migrate() {
      const migrating = new Kysely<unknown>({ dialect: patient })
      try {
        return await migrate(migrating, schema.migrations, schema.history)
      } finally {
        await migrating.destroy()
      }
    },
    async check() {
      await schema.probe(db)
    },
    close: () => db.destroy(),
  }
}

/** Everything but the logs. */
export const openDatabase = (config: DatabaseConfig): Promise<Database> =>
  openSchema<Tables>(config, {
    migrations: MIGRATIONS,
    history: 'aloft_migrations',
    durability: 'full',
    connections: 10,
    probe: (db) => db.selectFrom('settings').select('key').limit(1).execute(),
  })

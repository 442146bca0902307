import { Kysely } from 'kysely'
import type { TableSource } from '#core/operator/backup.ts'
import type { History } from '../migrations/migrate.ts'
import { readSqliteRows } from './sqlite-rows.ts'

export interface SourceConfig {
  /** A PostgreSQL server; the embedded database is used when there is none. */
  readonly url?: string | undefined
  /** Where the embedded databases lie. */
  readonly file: string
  readonly logFile: string
}

/** On PostgreSQL both schemas share a database. */
const LOG_TABLES: ReadonlySet<string> = new Set(['log_entries', 'log_blocks', 'traffic', 'traffic_paths'])

export const isLogTable = (table: string): boolean => LOG_TABLES.has(table)

export const HISTORIES = {
  main: 'aloft_migrations',
  logs: 'aloft_log_migrations',
} as const satisfies Record<'main' | 'logs', History>

export const createTableSource = ({ url, file, logFile }: SourceConfig): TableSource =>
  url === undefined
    ? {
        kind: 'sqlite',
        rows: (schema, take) => readSqliteRows(schema === 'main' ? file : logFile, HISTORIES[schema], take),
      }
    : {
        kind: 'postgresql',
        async rows(schema, take) {
          const [{ createPostgresDialect }, { readPostgresRows }] = await Promise.all([
            import('../database/dialect/postgres-dialect.ts'),
            import('./postgres-rows.ts'),
          ])
          const db = new Kysely<unknown>({
            dialect: createPostgresDialect({ url, connections: 1, statementMs: 0 }),
          })
          const isOurs = (table: string) => isLogTable(table) === (schema === 'logs')
          try {
            return await readPostgresRows(db, { history: HISTORIES[schema], isOurs }, take)
          } finally {
            await db.destroy()
          }
        },
      }

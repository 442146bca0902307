import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { TableSource } from '#core/operator/backup.ts'
import type { History } from '../migrations/migrate.ts'
import type { IsMeant } from './schema-tables.ts'
import { readSqliteRows } from './sqlite-rows.ts'

export interface SourceConfig {
  /** A PostgreSQL server; the embedded database is used when there is none. */
  readonly url?: string | undefined
  /** Where the embedded databases lie. */
  readonly file: string
  readonly logFile: string
  /** Which tables, if not those of a backup. */
  readonly isMeant?: IsMeant | undefined
}

/** On PostgreSQL both schemas share a database. */
const LOG_TABLES: ReadonlySet<string> = new Set(['log_entries', 'log_blocks', 'traffic', 'traffic_paths'])

export const isLogTable = (table: string): boolean => LOG_TABLES.has(table)

export const HISTORIES = {
  main: 'aloft_migrations',
  logs: 'aloft_log_migrations',
} as const satisfies Record<'main' | 'logs', History>

export const createTableSource = ({ url, file, logFile, isMeant }: SourceConfig): TableSource =>
  url === undefined
    ? {
        kind: 'sqlite',
        rows: (schema, take) =>
          readSqliteRows(schema === 'main' ? file : logFile, { history: HISTORIES[schema], isMeant }, take),
      }
    : {
        kind: 'postgresql',
        async rows(schema, take) {
          const { openPostgres, readPostgresRows } = await import('./postgres-rows.ts')
          const db = openPostgres(url)
          const isOurs = (table: string) => isLogTable(table) === (schema === 'logs')
          try {
            return await readPostgresRows(db, { history: HISTORIES[schema], isOurs, isMeant }, take)
          } finally {
            await db.destroy()
          }
        },
      }

/** The steps that a schema has been brought to. */
export async function migrationsOf(
  { url, file, logFile }: SourceConfig,
  schema: 'main' | 'logs',
): Promise<readonly string[]> {
  if (url === undefined) {
    const db = new DatabaseSync(schema === 'main' ? file : logFile, { readOnly: true, timeout: 5000 })
    try {
      return db
        .prepare(`select name from ${HISTORIES[schema]} order by name`)
        .all()
        .map(({ name }) => String(name))
    } finally {
      db.close()
    }
  }
  const { openPostgres } = await import('./postgres-rows.ts')
  const db = openPostgres(url)
  try {
    const { rows } = await sql<{ name: string }>`
      select name from ${sql.table(HISTORIES[schema])} order by name`.execute(db)
    return rows.map(({ name }) => name)
  } finally {
    await db.destroy()
  }
}

import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Status } from '#core/operator/status.ts'
import type { Database } from './database.ts'

/** What an operator wants to know of the database. `file` is where the embedded one lies. */
export async function databaseFacts(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  file: string,
): Promise<Status['database']> {
  const latest = await db
    .withTables<{ aloft_migrations: { name: string } }>()
    .selectFrom('aloft_migrations')
    .select('name')
    .orderBy('name', 'desc')
    .limit(1)
    .executeTakeFirst()
  return {
    kind,
    bytes: kind === 'sqlite' ? await sizeOf(file) : await sizeOnServer(db),
    schema: latest?.name ?? '',
  }
}

async function sizeOf(file: string): Promise<number> {
  const sizes = await Promise.all(
    ['', '-wal'].map(async (suffix) => (await stat(`${file}${suffix}`).catch(() => undefined))?.size ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function sizeOnServer(db: Database['db']): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0
}

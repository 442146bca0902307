import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { isLocked, isRepeatable } from '../database/dialect/errors.ts'
import { isPostgres } from '../database/dialect/is-postgres.ts'
import { MIGRATIONS } from './list.ts'
import { isBreaking, type Migration } from './migration.ts'

/** Where a schema's steps are remembered: each schema has its own list. */
export type History = 'aloft_migrations' | 'aloft_log_migrations'

type MigrationTables = { readonly [T in History]: { name: string; applied_at: number } }

/** Any number, as long as all processes mean the same. */
const LOCK = 414_105_466

/**
 * A step waits for whoever uses its table, and everybody who comes meanwhile waits behind it: those of the version before, who go
 * on serving. So it waits for a moment only, which is less than the server takes to notice that two wait for each other. Then
 * all is undone, and tried again after a while.
 */
const WAIT_MS = 500
const ATTEMPTS = 100

/** Until the end of the transaction nobody else changes the schema. */
export async function lockSchema<T>(tx: Kysely<T>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx)
}

/**
 * Brings the schema up to date, in one transaction: all steps or none. Processes that start together
 * take turns, and those that come later find nothing left to do. In a transaction of the caller's it is a part of that. Answers
 * the steps of a newer version that are there already.
 */
export async function migrate(
  db: Kysely<unknown>,
  migrations: readonly Migration[] = MIGRATIONS,
  history: History = 'aloft_migrations',
): Promise<readonly string[]> {
  const tables = db as Kysely<MigrationTables>
  if (db.isTransaction) return migrateIn(tables, migrations, history)
  for (let attempt = 1; ; attempt++) {
    try {
      return await tables.transaction().execute((tx) => migrateIn(tx, migrations, history))
    } catch (error) {
      if (attempt === ATTEMPTS || !(isLocked(error) || isRepeatable(error))) throw error
    }
    await sleep(WAIT_MS * (0.5 + Math.random()))
  }
}

async function migrateIn(
  tx: Kysely<MigrationTables>,
  migrations: readonly Migration[],
  history: History,
): Promise<readonly string[]> {
  // The embedded database needs no lock of its own: its transactions have the file to themselves.
  if (isPostgres(tx)) {
    await lockSchema(tx)
    await sql`set local lock_timeout = ${sql.lit(WAIT_MS)}`.execute(tx)
  }
  await tx.schema
    .createTable(history)
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute()
  const rows = await tx.selectFrom(history).select('name').execute()
  const applied = new Set(rows.map(({ name }) => name))
  const newer = assertKnown(applied, migrations, isPostgres(tx))
  for (const { name, up } of migrations) {
    if (applied.has(name)) continue
    await up(tx as unknown as Kysely<unknown>)
    await tx.insertInto(history).values({ name, applied_at: Date.now() }).execute()
  }
  return newer
}

/**
 * Machines that share a database are upgraded one after the other: those that are not yet may have to start again, and all of
 * them go back if the newer version is of no use.
 */
function assertKnown(
  applied: ReadonlySet<string>,
  migrations: readonly Migration[],
  isShared: boolean,
): readonly string[] {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !known.has(name))
  const last = migrations.at(-1)?.name ?? ''
  if (unknown.length > 0 && !(isShared && unknown.every((name) => name > last && !isBreaking(name))))
    throw new Error(
      `The database was used by a newer version of Aloft (it has ${unknown.join(', ')}). Start that version.`,
    )
  return unknown
}

import { DatabaseSync } from 'node:sqlite'
import { type ControlledTransaction, Kysely, sql } from 'kysely'
import type { BackupRows } from '#contract/backup/backup.ts'
import { createSqliteDialect } from '../database/dialect/sqlite-dialect.ts'
import { LOG_MIGRATIONS } from '../log/log-migrations/list.ts'
import { MIGRATIONS } from '../migrations/list.ts'
import { lockSchema, migrate } from '../migrations/migrate.ts'
import { quoted, sqliteTables, type TableShape } from './schema-tables.ts'
import { HISTORIES, type SourceConfig } from './table-source.ts'

export type SchemaName = 'main' | 'logs'

/** Where the rows of a backup go: databases that are empty. */
export interface TableTarget {
  /** Makes the tables as they were when the rows were read. */
  begin(schema: SchemaName, migrations: readonly string[]): Promise<void>
  /** Rows of one table, a line of JSON each. */
  add(schema: SchemaName, table: string, lines: readonly string[]): Promise<void>
  /** How many rows a table has. */
  count(schema: SchemaName, table: string): Promise<number>
  /** Keeps everything. */
  finish(): Promise<void>
  /** Keeps nothing. */
  abandon(): Promise<void>
}

const STEPS = { main: MIGRATIONS, logs: LOG_MIGRATIONS } as const

/** Steps of the schema that this version does not know. */
export const unknownSteps = (schema: SchemaName, { migrations }: BackupRows): readonly string[] => {
  const known = new Set(STEPS[schema].map(({ name }) => name))
  return migrations.filter((name) => !known.has(name))
}

const stepsOf = (schema: SchemaName, migrations: readonly string[]) =>
  STEPS[schema].filter(({ name }) => migrations.includes(name))

export const openTableTarget = (config: SourceConfig): Promise<TableTarget> =>
  config.url === undefined
    ? Promise.resolve(createSqliteTarget(config))
    : openPostgresTarget({ url: config.url, isMeant: config.isMeant })

interface SqliteSchema {
  readonly db: DatabaseSync
  readonly inserts: ReadonlyMap<string, string>
}

/** New files, which the caller throws away when it does not come to an end: so nothing is journalled. */
function createSqliteTarget({ file, logFile, isMeant }: SourceConfig): TableTarget {
  const open = new Map<SchemaName, SqliteSchema>()
  const insertInto = ({ name, columns, binary = [] }: TableShape): [string, string] => {
    const values = columns.map((column) => {
      const value = `json_extract(value, '$."${column}"')`
      return binary.includes(column) ? `unhex(substr(${value}, 3))` : value
    })
    return [
      name,
      `insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) select ${values.join(', ')} from json_each(?)`,
    ]
  }
  return {
    async begin(schema, migrations) {
      const path = schema === 'main' ? file : logFile
      const migrating = new Kysely<unknown>({ dialect: createSqliteDialect({ file: path }) })
      try {
        await migrate(migrating, stepsOf(schema, migrations), HISTORIES[schema])
      } finally {
        await migrating.destroy()
      }
      const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
      db.exec('pragma journal_mode = off; pragma synchronous = off; begin exclusive')
      open.set(schema, { db, inserts: new Map(sqliteTables(db, isMeant).map(insertInto)) })
    },
    async add(schema, table, lines) {
      const { db, inserts } = open.get(schema) as SqliteSchema
      const insert = inserts.get(table)
      if (insert === undefined) throw new Error(`The schema of the backup has no table ${table}`)
      db.prepare(insert).run(`[${lines.join(',')}]`)
    },
    async count(schema, table) {
      const { db } = open.get(schema) as SqliteSchema
      return Number(db.prepare(`select count(*) as rows from ${quoted(table)}`).get()?.rows)
    },
    async finish() {
      for (const { db } of open.values()) {
        db.exec('commit; pragma journal_mode = wal')
        db.close()
      }
      open.clear()
    },
    async abandon() {
      for (const { db } of open.values()) db.close()
      open.clear()
    },
  }
}

/** One transaction of the server, with the tables: one that is cut off leaves nothing. Whoever comes meanwhile waits. */
async function openPostgresTarget({
  url,
  isMeant,
}: Required<Pick<SourceConfig, 'isMeant'>> & { readonly url: string }): Promise<TableTarget> {
  const { openPostgres, postgresTables } = await import('./postgres-rows.ts')
  const db = openPostgres(url)
  const columns = new Map<string, readonly string[]>()

  async function beginInEmpty(): Promise<ControlledTransaction<unknown>> {
    const tx = await db.startTransaction().execute()
    await lockSchema(tx)
    if (!(await isTaken(tx))) return tx
    await tx.rollback().execute()
    throw new DatabaseTaken()
  }
  const tx = await beginInEmpty().catch((error: unknown) => db.destroy().then(() => Promise.reject(error)))

  return {
    async begin(schema, migrations) {
      await migrate(tx, stepsOf(schema, migrations), HISTORIES[schema])
      for (const { name, columns: names } of await postgresTables(tx, isMeant)) columns.set(name, names)
    },
    async add(_schema, table, lines) {
      const names = columns.get(table)
      if (names === undefined) throw new Error(`The schema of the backup has no table ${table}`)
      const list = sql.raw(names.map(quoted).join(', '))
      await sql`
        insert into ${sql.table(table)} (${list}) select ${list}
        from json_populate_recordset(null::${sql.table(table)}, ${`[${lines.join(',')}]`}::json)`.execute(tx)
    },
    async count(_schema, table) {
      const { rows } = await sql<{ rows: string }>`
        select count(*) as rows from ${sql.table(table)}`.execute(tx)
      return Number(rows[0]?.rows)
    },
    async finish() {
      await tx.commit().execute()
      // All is there now, and the server counts its rows by itself, too: to fail for that would take back what belongs to them.
      await sql`analyze`.execute(db).catch(() => {})
      await db.destroy()
    },
    async abandon() {
      if (!tx.isCommitted) await tx.rollback().execute()
      await db.destroy()
    },
  }
}

/** A setting of the installation that a PostgreSQL database holds; nothing where there is none in it. */
export async function settingIn(
  url: string,
  key: string,
): Promise<{ readonly value: string | undefined } | undefined> {
  const { createPostgresDialect } = await import('../database/dialect/postgres-dialect.ts')
  const db = new Kysely<unknown>({ dialect: createPostgresDialect({ url, connections: 1 }) })
  try {
    if (!(await isTaken(db))) return undefined
    const { rows } = await sql<{ value: string }>`select value from settings where key = ${key}`.execute(db)
    return { value: rows[0]?.value }
  } finally {
    await db.destroy()
  }
}

async function isTaken(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select to_regclass('aloft_migrations') is not null as taken`.execute(db)
  return rows[0]?.taken === true
}

export class DatabaseTaken extends Error {
  override readonly name = 'DatabaseTaken'

  constructor() {
    super('The PostgreSQL database that ALOFT_DATABASE_URL names holds an installation already.')
  }
}

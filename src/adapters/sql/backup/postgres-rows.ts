import { Kysely, sql } from 'kysely'
import type { BackupRows } from '#contract/backup/backup.ts'
import type { TakeRows } from '#core/operator/backup.ts'
import { createPostgresDialect } from '../database/dialect/postgres-dialect.ts'
import type { History } from '../migrations/migrate.ts'
import { type IsMeant, inOrder, isCopied, quoted, type TableShape } from './schema-tables.ts'
import { grouping } from './sqlite-rows.ts'

/** Rows that the server sends at a time. */
const STEP = 200

type Connection = Kysely<unknown>

/** Statements may take as long as the tables are large. */
export const openPostgres = (url: string): Connection =>
  new Kysely({ dialect: createPostgresDialect({ url, connections: 1, statementMs: 0 }) })

/** Of this schema of the server's database. */
export async function postgresTables(
  db: Connection,
  isMeant: IsMeant = isCopied,
): Promise<readonly TableShape[]> {
  const { rows } = await sql<{ name: string; columns: string[]; refers_to: string[] }>`
    select c.relname as name,
      (select json_agg(a.attname order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select coalesce(json_agg(f.relname), '[]') from pg_constraint k join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f') as refers_to
    from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`.execute(db)
  return inOrder(
    rows
      .filter(({ name }) => isMeant(name))
      .map(({ name, columns, refers_to }) => ({ name, columns, refersTo: refers_to })),
  )
}

async function eachLine(db: Connection, query: string, add: (line: string) => Promise<void>): Promise<void> {
  await sql.raw(`declare backup no scroll cursor for ${query}`).execute(db)
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(STEP)} from backup`.execute(db)
    for (const { line } of rows) await add(line)
    if (rows.length < STEP) break
  }
  await sql`close backup`.execute(db)
}

interface PostgresTables {
  readonly history: History
  /** On PostgreSQL both schemas share a database. */
  readonly isOurs: IsMeant
  readonly isMeant?: IsMeant | undefined
}

/** Reads in one transaction that sees what there was when it began. */
export async function readPostgresRows(
  db: Connection,
  { history, isOurs, isMeant }: PostgresTables,
  take: TakeRows,
): Promise<BackupRows> {
  return db.connection().execute(async (connection) => {
    await sql`begin isolation level repeatable read read only`.execute(connection)
    const { rows: migrations } = await sql<{ name: string }>`
      select name from ${sql.table(history)} order by name`.execute(connection)
    const tables: { name: string; rows: number }[] = []
    for (const { name } of (await postgresTables(connection, isMeant)).filter((table) =>
      isOurs(table.name),
    )) {
      const group = grouping((lines) => take.rows(name, lines))
      // Written by the server itself: its whole numbers may be larger than those of JavaScript.
      await eachLine(connection, `select row_to_json(t)::text as line from ${quoted(name)} t`, group.add)
      await group.flush()
      tables.push({ name, rows: group.count() })
      if (name === 'files') {
        const names = grouping((sha256s) => take.blobs(sha256s))
        await eachLine(connection, 'select distinct sha256 as line from files order by sha256', names.add)
        await names.flush()
      }
    }
    await sql`commit`.execute(connection)
    return { migrations: migrations.map(({ name }) => name), tables }
  })
}

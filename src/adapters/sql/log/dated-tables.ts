import { sql } from 'kysely'
import { DAY, HOUR } from '#contract/time.ts'
import { inheritsTables } from '../database/dialect/capabilities.ts'
import { isLocked } from '../database/dialect/errors.ts'
import type { LogDb, LogTables } from './log-tables.ts'

/** Rows of a stretch of time, in a table of their own. */
export interface DatedTable {
  /** With its schema. */
  readonly name: string
  /** That of its division. */
  readonly prefix: string
  readonly from: number
  readonly to: number
}

/**
 * How a table is divided by time. Its parts inherit from it, so statements that name it find their rows as well. A stretch
 * goes by dropping its table, and leaves nothing to be vacuumed. Rows of a stretch without a table are in the divided table
 * itself. docs/decisions/0033 says why these are no partitions.
 */
export interface Division {
  /** The table that is divided. */
  readonly of: keyof LogTables
  /** What the names of its parts begin with; the day follows that a stretch begins on. */
  readonly prefix: string
  /** How long a stretch is, in ms: whole days. */
  readonly span: number
  /** What is true of the rows of a stretch alone, in SQL. */
  readonly holds: (from: number, to: number) => string
  /**
   * Whether a stretch gets its table before the first of its rows, or none. Where rows are added to by their key, one that is
   * in the divided table already must not come to be in a second.
   */
  readonly isOnlyAhead: boolean
}

/** Stretches that begin until then have a table: clean-up may fail for some time. */
const AHEAD = 2 * DAY
/** Clocks of machines differ by less: nobody has written a row yet of a stretch that begins later. */
const SOON = HOUR
/** Whoever wants to read the table waits behind the one that waits to drop it. */
const DROP_MS = 200
/** Nobody who reads or writes waits behind this one. */
const CREATE_MS = 2000

const NAME = /^(.+)_(\d{4})(\d\d)(\d\d)$/

const nameOf = ({ prefix }: Division, from: number): string =>
  `${prefix}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`

interface FoundTable {
  readonly schema: string
  readonly name: string
}

function toTable({ schema, name }: FoundTable, divisions: readonly Division[]): DatedTable[] {
  const [, prefix = '', year, month, date] = NAME.exec(name) ?? []
  const division = divisions.find((each) => each.prefix === prefix)
  if (division === undefined) return []
  const from = Date.UTC(Number(year), Number(month) - 1, Number(date))
  return [{ name: `${schema}.${name}`, prefix, from, to: from + division.span }]
}

/** A value of a statement, for `toDatedTables`. With a parameter: only such statements are planned once. */
export const datedTables = (table: keyof LogTables) => sql<string | null>`(
  select json_agg(json_build_object('schema', n.nspname, 'name', c.relname))::text
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
  where i.inhparent = ${table}::text::regclass)`

export const toDatedTables = (
  json: string | null | undefined,
  divisions: readonly Division[],
): readonly DatedTable[] =>
  (JSON.parse(json ?? '[]') as readonly FoundTable[]).flatMap((found) => toTable(found, divisions))

/** Runs a statement, unless somebody holds a lock for longer than it may wait. */
const unlessLocked = (db: LogDb, statement: string, waitMs: number): Promise<void> =>
  db
    .transaction()
    .execute(async (tx) => {
      await sql.raw(`set local lock_timeout = ${waitMs}`).execute(tx)
      await sql.raw(statement).execute(tx)
    })
    .catch((error: unknown) => {
      if (!isLocked(error)) throw error
    })

/**
 * The schema that the tables are in, made if there is none; undefined where it may not be made. It is another than that of
 * the divided tables: what lists the tables of that one, such as a backup, would have all rows twice.
 */
async function ownSchema(db: LogDb): Promise<string | undefined> {
  const { rows } = await sql<{ name: string; exists: boolean; usable: boolean; makeable: boolean }>`
    select name, to_regnamespace(name) is not null as exists,
      case when to_regnamespace(name) is null then false else has_schema_privilege(name, 'create') end as usable,
      has_database_privilege(current_database(), 'create') as makeable
    from (select current_schema() || '_logs' as name) as own`.execute(db)
  const own = rows[0]
  if (own === undefined || !/^[a-z_][a-z0-9_]*$/.test(own.name)) return undefined
  if (own.exists) return own.usable ? own.name : undefined
  if (!own.makeable) return undefined
  await sql.raw(`create schema if not exists ${own.name}`).execute(db)
  return own.name
}

const createTable = (schema: string, division: Division, from: number): string =>
  `create table if not exists ${schema}.${nameOf(division, from)} (
     like ${division.of} including all,
     check (${division.holds(from, from + division.span)})
   ) inherits (${division.of})`

/** When the stretches begin that are to have a table now. */
function startsOf({ span, isOnlyAhead }: Division, now: number): readonly number[] {
  const beginOf = (at: number) => at - (at % span)
  const first = isOnlyAhead ? beginOf(now + SOON) + span : beginOf(now)
  const count = Math.max(0, Math.floor((now + AHEAD - first) / span) + 1)
  return Array.from({ length: count }, (_, i) => first + i * span)
}

/** Rows of a stretch that are in the divided table itself. */
async function hasRows(db: LogDb, { of, span, holds }: Division, from: number): Promise<boolean> {
  const { rows } = await sql
    .raw<{ there: boolean }>(
      `select exists (select 1 from only ${of} where ${holds(from, from + span)}) as there`,
    )
    .execute(db)
  return rows[0]?.there ?? false
}

/**
 * Drops the tables of stretches that were over before a time, and makes those of the next days. One that somebody reads just
 * then is dropped another time.
 */
export async function rotateTables(
  db: LogDb,
  division: Division,
  now: number,
  before: number,
): Promise<void> {
  if (!inheritsTables(db)) return
  const { rows } = await sql<{ tables: string | null }>`select ${datedTables(division.of)} as tables`.execute(
    db,
  )
  const tables = toDatedTables(rows[0]?.tables, [division])
  for (const { name, to } of tables)
    if (to <= before) await unlessLocked(db, `drop table if exists ${name}`, DROP_MS)
  const missing = startsOf(division, now).filter((start) => !tables.some(({ from }) => from === start))
  const schema = missing.length === 0 ? undefined : await ownSchema(db)
  if (schema === undefined) return
  for (const from of missing)
    if (!division.isOnlyAhead || !(await hasRows(db, division, from)))
      await unlessLocked(db, createTable(schema, division, from), CREATE_MS)
}

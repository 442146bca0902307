import { sql } from 'kysely'
import { DAY } from '#contract/time.ts'
import { firstSerialOf } from '#core/log/serial.ts'
import { inheritsTables } from '../database/dialect/capabilities.ts'
import { isLocked } from '../database/dialect/errors.ts'
import type { LogDb } from './log-tables.ts'

/**
 * Blocks that end on the same day, in a table of their own. It inherits from `log_blocks`, which all statements name, so
 * they find its rows as well. A day goes by dropping its table, and leaves nothing to be vacuumed. Blocks of a day
 * without a table are in `log_blocks` itself. docs/decisions/0033 says why these are no partitions.
 */
export interface LogDay {
  /** The table, with its schema. */
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Days that have a table before they begin: clean-up may fail for some time. */
const AHEAD = 2
/** Whoever wants to read the table waits behind the one that waits to drop it. */
const DROP_MS = 200
/** Nobody who reads or writes waits behind this one. */
const CREATE_MS = 2000

const NAME = /^log_blocks_(\d{4})(\d\d)(\d\d)$/

const nameOf = (day: number): string =>
  `log_blocks_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`

function toDay({ schema, name }: { readonly schema: string; readonly name: string }): LogDay[] {
  const [, year, month, date] = NAME.exec(name) ?? []
  if (year === undefined) return []
  const from = Date.UTC(Number(year), Number(month) - 1, Number(date))
  return [{ name: `${schema}.${name}`, from, to: from + DAY }]
}

/** A value of a statement, for `toLogDays`. With a parameter: only such statements are planned once. */
export const logDays = () => sql<string | null>`(
  select json_agg(json_build_object('schema', n.nspname, 'name', c.relname))::text
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
  where i.inhparent = ${'log_blocks'}::text::regclass)`

export const toLogDays = (json: string | null | undefined): readonly LogDay[] =>
  (JSON.parse(json ?? '[]') as Parameters<typeof toDay>[0][]).flatMap(toDay)

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
 * `log_blocks`: what lists the tables of that one, such as a backup, would have all rows twice.
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

const createDay = (schema: string, day: number): string =>
  `create table if not exists ${schema}.${nameOf(day)} (
     like log_blocks including all,
     check (last_serial >= ${firstSerialOf(day)} and last_serial < ${firstSerialOf(day + DAY)})
   ) inherits (log_blocks)`

/**
 * Drops the tables of days that were over before a time, and makes those of today and the next days. One that somebody
 * reads just then is dropped another time.
 */
export async function rotateDays(db: LogDb, now: number, before: number): Promise<void> {
  if (!inheritsTables(db)) return
  const { rows } = await sql<{ days: string | null }>`select ${logDays()} as days`.execute(db)
  const days = toLogDays(rows[0]?.days)
  for (const { name, to } of days)
    if (to <= before) await unlessLocked(db, `drop table if exists ${name}`, DROP_MS)
  const today = now - (now % DAY)
  const missing = Array.from({ length: 1 + AHEAD }, (_, i) => today + i * DAY).filter(
    (day) => !days.some(({ from }) => from === day),
  )
  const schema = missing.length === 0 ? undefined : await ownSchema(db)
  if (schema !== undefined)
    for (const day of missing) await unlessLocked(db, createDay(schema, day), CREATE_MS)
}

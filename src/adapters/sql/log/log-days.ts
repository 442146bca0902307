import { DAY } from '#contract/time.ts'
import { firstSerialOf } from '#core/log/serial.ts'
import { type DatedTable, type Division, datedTables, rotateTables, toDatedTables } from './dated-tables.ts'
import type { LogDb } from './log-tables.ts'

/** Blocks that end on the same day are in a table of their own. */
const DAYS: Division = {
  of: 'log_blocks',
  prefix: 'log_blocks',
  span: DAY,
  holds: (from, to) => `last_serial >= ${firstSerialOf(from)} and last_serial < ${firstSerialOf(to)}`,
  isOnlyAhead: false,
}

/** A value of a statement, for `toLogDays`. */
export const logDays = () => datedTables(DAYS.of)

export const toLogDays = (json: string | null | undefined): readonly DatedTable[] =>
  toDatedTables(json, [DAYS])

/** Drops the tables of days that were over before a time, and makes those of today and the next days. */
export const rotateDays = (db: LogDb, now: number, before: number): Promise<void> =>
  rotateTables(db, DAYS, now, before)

import { sql } from 'kysely'
import { DAY } from '#contract/time.ts'
import type { Step } from '#core/analytics/traffic-store.ts'
import { inheritsTables } from '../database/dialect/capabilities.ts'
import { type DatedTable, type Division, datedTables, toDatedTables } from './dated-tables.ts'
import type { LogDb } from './log-tables.ts'

export type TrafficTable = 'traffic' | 'traffic_paths'

/**
 * How long the stretches are of which counts have tables of their own: the longer they stay, the longer, so that there are
 * few. The step `0023-traffic-tables` of the schema says the same for the version before.
 */
const SPANS: Readonly<Record<TrafficTable, Readonly<Record<Step, number>>>> = {
  traffic: { minute: DAY, hour: 30 * DAY, day: 180 * DAY },
  traffic_paths: { minute: DAY, hour: DAY, day: 30 * DAY },
}

export const divisionOf = (of: TrafficTable, step: Step): Division => ({
  of,
  prefix: `${of}_${step}`,
  span: SPANS[of][step],
  holds: (from, to) => `step = '${step}' and at >= ${from} and at < ${to}`,
  isOnlyAhead: true,
})

const divisionsOf = (of: TrafficTable): readonly Division[] =>
  (Object.keys(SPANS[of]) as Step[]).map((step) => divisionOf(of, step))

const DIVISIONS = { traffic: divisionsOf('traffic'), traffic_paths: divisionsOf('traffic_paths') }

/** Names the table that the row of a step is in. */
export type NameTable = (table: TrafficTable, row: { readonly step: Step; readonly at: number }) => string

/** Begins a transaction that adds to rows: it need not be on the disk once it is committed. Answers where rows are. */
export async function beginAdding(tx: LogDb): Promise<NameTable> {
  if (!inheritsTables(tx)) return (table) => table
  const { rows } = await sql<{ traffic: string | null; paths: string | null }>`
    select set_config('synchronous_commit', 'off', true), ${datedTables('traffic')} as traffic,
      ${datedTables('traffic_paths')} as paths`.execute(tx)
  const tables: Readonly<Record<TrafficTable, readonly DatedTable[]>> = {
    traffic: toDatedTables(rows[0]?.traffic, DIVISIONS.traffic),
    traffic_paths: toDatedTables(rows[0]?.paths, DIVISIONS.traffic_paths),
  }
  return (table, { step, at }) =>
    tables[table].find(({ prefix, from, to }) => prefix === `${table}_${step}` && at >= from && at < to)
      ?.name ?? table
}

import { sql } from 'kysely'
import type { LogEntry } from '#core/log/log-entry.ts'
import type { LogFilter, LogPage, LogQuery } from '#core/log/log-store.ts'
import { timeOfSerial } from '#core/log/serial.ts'
import { isPostgres } from './dialect/is-postgres.ts'
import type { LogDb, LogTables } from './log-tables.ts'

/** The embedded database stops the process while it reads: no more entries than this at a time. */
export const PAGE = 250
/** And a search looks at no more than this many at a time. */
export const WINDOW = 1000

type Row = Omit<LogTables['log_entries'], 'serial'> & { place: string }

export const COLUMNS = [
  'id',
  'deployment_id',
  'type',
  'at',
  'text',
  'info_type',
  'info_name',
  'entrypoint',
  'region',
  'instance_id',
  'request_id',
  'status',
  'request',
  'project_id',
  'environment',
  'stream',
] as const
/** By another name than the column's, or PostgreSQL would sort by the text. */
export const place = sql<string>`cast(serial as text)`.as('place')

export const DIRECTIONS = {
  forward: { order: 'asc', upTo: '<=', last: sql<string | null>`cast(max(serial) as text)` },
  backward: { order: 'desc', upTo: '>=', last: sql<string | null>`cast(min(serial) as text)` },
} as const satisfies Record<LogQuery['direction'], object>

function toEntry(row: Row): LogEntry {
  const status = row.status === null ? {} : { status: row.status }
  return {
    id: row.id,
    serial: row.place,
    createdAt: timeOfSerial(row.place),
    deploymentId: row.deployment_id,
    type: row.type,
    at: row.at,
    text: row.text,
    info: { type: row.info_type, name: row.info_name, entrypoint: row.entrypoint },
    region: row.region,
    ...(row.instance_id === null ? {} : { instanceId: row.instance_id }),
    ...(row.request_id === null ? {} : { requestId: row.request_id }),
    ...(row.request === null ? {} : { request: { ...JSON.parse(row.request), ...status } }),
    ...(row.project_id === null ? {} : { projectId: row.project_id }),
    ...(row.environment === null ? {} : { environment: row.environment }),
    ...(row.stream === null ? {} : { stream: row.stream }),
  }
}

export const pageOf = (
  rows: readonly Row[],
  position: string | null | undefined,
  complete: boolean,
): LogPage => ({
  entries: rows.map(toEntry),
  ...(position ? { position } : {}),
  complete,
})

/** What an index finds by itself: the log of a deployment, or its build output, between two serials. */
const stretchOf = (db: LogDb, deploymentId: string, { after, before, builds }: LogFilter) => {
  let query = db.selectFrom('log_entries').where('deployment_id', '=', deploymentId)
  if (builds) query = query.where('info_type', '=', sql.lit('build'))
  if (after !== undefined) query = query.where('serial', '>', after)
  if (before !== undefined) query = query.where('serial', '<', before)
  return query
}

const isSearch = ({ types, text, name, status, instanceId }: LogFilter): boolean =>
  [types, text, name, status, instanceId].some((part) => part !== undefined)

const meantBy = (db: LogDb, deploymentId: string, filter: LogFilter) => {
  const { types, text, name, status, instanceId } = filter
  let query = stretchOf(db, deploymentId, filter).select(COLUMNS).select(place)
  if (types !== undefined) query = query.where('type', 'in', types)
  if (name !== undefined) query = query.where('info_name', '=', name)
  if (instanceId !== undefined) query = query.where('instance_id', '=', instanceId)
  if (status !== undefined) query = query.where('status', '>=', status.from).where('status', '<=', status.to)
  if (text !== undefined) {
    const find = sql.raw(isPostgres(db) ? 'strpos' : 'instr')
    query = query.where(sql<boolean>`${find}(text, ${text}) > 0`)
  }
  return query
}

async function readNext(db: LogDb, deploymentId: string, query: LogQuery, limit: number): Promise<LogPage> {
  const { order } = DIRECTIONS[query.direction]
  const rows = await meantBy(db, deploymentId, query).orderBy('serial', order).limit(limit).execute()
  return pageOf(rows, rows.at(-1)?.place, rows.length < limit)
}

/**
 * Searches the next entries of the stretch, as many as a window holds. Nothing comes into a window after
 * it was measured, for serials are given out in the order in which entries become visible.
 */
async function search(db: LogDb, deploymentId: string, query: LogQuery, limit: number): Promise<LogPage> {
  const { order, upTo, last } = DIRECTIONS[query.direction]
  const window = stretchOf(db, deploymentId, query).select('serial').orderBy('serial', order).limit(WINDOW)
  const { count, end } = await db
    .selectFrom(window.as('looked_at'))
    .select(({ fn }) => [fn.countAll<number>().as('count'), last.as('end')])
    .executeTakeFirstOrThrow()
  const complete = count < WINDOW
  if (end === null || query.types?.length === 0) return pageOf([], end, complete)
  const rows = await meantBy(db, deploymentId, query)
    .where('serial', upTo, end)
    .orderBy('serial', order)
    .limit(limit)
    .execute()
  return rows.length < limit ? pageOf(rows, end, complete) : pageOf(rows, rows.at(-1)?.place, false)
}

export const readEntries = (db: LogDb, deploymentId: string, query: LogQuery): Promise<LogPage> =>
  (isSearch(query) ? search : readNext)(db, deploymentId, query, Math.min(query.limit, PAGE))

export async function readAfter(db: LogDb, serial: string, limit: number): Promise<readonly LogEntry[]> {
  const rows = await db
    .selectFrom('log_entries')
    .select(COLUMNS)
    .select(place)
    .where('serial', '>', serial)
    .orderBy('serial')
    .limit(Math.min(limit, PAGE))
    .execute()
  return rows.map(toEntry)
}

/** Build output, which is seldom much, is not counted: the rest has an index that is quickly counted. */
export async function readSerialBefore(
  db: LogDb,
  newest: number,
  after: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('log_entries')
    .select(place)
    .where('info_type', '<>', sql.lit('build'))
    .where('serial', '>', after)
    .orderBy('serial', 'desc')
    .limit(1)
    .offset(newest)
    .executeTakeFirst()
  return row?.place
}

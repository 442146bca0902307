import { type SelectQueryBuilder, sql } from 'kysely'
import type { LogEntry } from '#core/log/log-entry.ts'
import { timeOfSerial } from '#core/log/serial.ts'
import { knownLimit } from '../database/known-limit.ts'
import type { LogStretch, StretchQuery } from './log-stretch.ts'
import type { LogDb, LogTables } from './log-tables.ts'

/** The embedded database stops the process while it reads: no more entries than this at a time. */
const WINDOW = 1000

type Lines = SelectQueryBuilder<LogTables, 'log_entries', object>
type Row = Omit<LogTables['log_entries'], 'serial'> & { place: string }

const COLUMNS = [
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
const place = sql<string>`cast(serial as text)`.as('place')

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

/** What an index finds by itself. */
function stretchOf(db: LogDb, { scope, after, before }: StretchQuery, builds: boolean): Lines {
  let query: Lines = db.selectFrom('log_entries')
  if (scope.deploymentId !== undefined) query = query.where('deployment_id', '=', scope.deploymentId)
  else if (scope.projectId !== undefined) query = query.where('project_id', '=', scope.projectId)
  if (builds) query = query.where('info_type', '=', sql.lit('build'))
  if (after !== undefined) query = query.where('serial', '>', after)
  if (before !== undefined) query = query.where('serial', '<', before)
  return query
}

/** Entries that have a row of their own: build output, and whatever was written before there were blocks. */
export async function readLines(
  db: LogDb,
  query: StretchQuery,
  { builds = false, limit = WINDOW }: { readonly builds?: boolean; readonly limit?: number } = {},
): Promise<LogStretch> {
  const most = Math.min(limit, WINDOW)
  const rows = await stretchOf(db, query, builds)
    .select(COLUMNS)
    .select(place)
    .orderBy('serial', query.direction === 'forward' ? 'asc' : 'desc')
    .limit(most)
    .execute()
  const end = rows.at(-1)?.place
  return { entries: rows.map(toEntry), ...(end === undefined ? {} : { end }), complete: rows.length < most }
}

const isNoBuild = (lines: Lines): Lines => lines.where('info_type', '<>', sql.lit('build'))

/** The serial of the entry that this many newer ones follow, build output aside. */
export async function findInLines(db: LogDb, newest: number, after: string): Promise<string | undefined> {
  const row = await isNoBuild(db.selectFrom('log_entries'))
    .select(place)
    .where('serial', '>', after)
    .orderBy('serial', 'desc')
    .limit(1)
    .offset(newest)
    .executeTakeFirst()
  return row?.place
}

/** Deletes the oldest of a deployment, or of those that are no build output and come before a serial; tells how many. */
export async function deleteLines(
  db: LogDb,
  meant: { readonly deploymentId: string } | { readonly before: string },
  limit: number,
): Promise<number> {
  const all: Lines = db.selectFrom('log_entries')
  const lines =
    'deploymentId' in meant
      ? all.where('deployment_id', '=', meant.deploymentId)
      : isNoBuild(all).where('serial', '<', meant.before)
  const { numDeletedRows } = await db
    .deleteFrom('log_entries')
    .where('serial', 'in', lines.select('serial').orderBy('serial').limit(knownLimit(limit)))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

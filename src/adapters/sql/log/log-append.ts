import { CompiledQuery, sql } from 'kysely'
import { type NewRecord, packBatch } from '#core/log/log-block.ts'
import type { NewLogEntry } from '#core/log/log-entry.ts'
import { BUILD_LINES } from '#core/log/log-store.ts'
import {
  inheritsTables,
  isReadByOlder,
  locksRows,
  takesRowsAsJson,
} from '../database/dialect/capabilities.ts'
import { prepare } from '../database/prepare.ts'
import type { DatedTable } from './dated-tables.ts'
import { insertBlocks } from './log-blocks.ts'
import { logDays, toLogDays } from './log-days.ts'
import type { LogDb, LogTables } from './log-tables.ts'

type Row = LogTables['log_entries']
type NoParameters = Readonly<Record<string, never>>

/** In the order of the parameters, with the types that PostgreSQL reads from JSON. */
const COLUMNS = {
  serial: 'bigint',
  id: 'text',
  deployment_id: 'text',
  type: 'text',
  at: 'bigint',
  text: 'text',
  info_type: 'text',
  info_name: 'text',
  entrypoint: 'text',
  region: 'text',
  instance_id: 'text',
  request_id: 'text',
  status: 'integer',
  request: 'text',
  project_id: 'text',
  environment: 'text',
  stream: 'text',
} as const satisfies Record<keyof Row, string>

const NAMES = Object.keys(COLUMNS) as (keyof Row)[]
const INTO = `insert into log_entries (${NAMES.join(', ')})`
const UNLESS_THERE = 'on conflict (id) do nothing'

const ONE = `(${NAMES.map(() => '?').join(', ')})`
const insertRows = (count: number) => `${INTO} values ${Array(count).fill(ONE).join(', ')} ${UNLESS_THERE}`
/** Rows a statement on the embedded database, where most of a statement's cost is ours, not a round trip. */
const CHUNK = 20
const INSERT_CHUNK = insertRows(CHUNK)
const INSERT_ROW = insertRows(1)
const INSERT_JSON = `${INTO} select * from json_to_recordset($1::json) as entry(${NAMES.map(
  (name) => `${name} ${COLUMNS[name]}`,
).join(', ')}) ${UNLESS_THERE}`

/** Any number, as long as all processes mean the same, and no other lock does. */
const LOCK = 414_105_467

const toRow = (entry: NewLogEntry, serial: bigint): Row => {
  const { status = null, ...request } = entry.request ?? {}
  return {
    serial: String(serial),
    id: entry.id,
    deployment_id: entry.deploymentId,
    type: entry.type,
    at: entry.at,
    text: entry.text,
    info_type: entry.info.type,
    info_name: entry.info.name,
    entrypoint: entry.info.entrypoint,
    region: entry.region,
    instance_id: entry.instanceId ?? null,
    request_id: entry.requestId ?? null,
    status,
    request: entry.request ? JSON.stringify(request) : null,
    project_id: entry.projectId ?? null,
    environment: entry.environment ?? null,
    stream: entry.stream ?? null,
  }
}

/**
 * Makes this transaction the only one that appends, until it is over: serials must become visible in their
 * order. The embedded database has a single writer anyway.
 */
async function takeTurn(tx: LogDb): Promise<void> {
  if (!locksRows(tx)) return
  const unsynced = sql`set_config('synchronous_commit', 'off', true)`
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)}), ${unsynced}`.execute(tx)
}

interface LogEnd {
  /** The highest serial of both tables. */
  readonly last: bigint
  readonly days: readonly DatedTable[]
}

const endOfLines = (db: LogDb) =>
  db.selectFrom('log_entries').select(sql<string | null>`cast(max(serial) as text)`.as('last'))
/** Of the blocks, the one which ends last has the highest. */
const endOfBlocks = (db: LogDb) =>
  db.selectFrom('log_blocks').select(sql<string | null>`cast(max(last_serial) as text)`.as('last'))

const findEndOfLines = prepare<NoParameters, LogTables>()(endOfLines)
const findEndOfBlocks = prepare<NoParameters, LogTables>()(endOfBlocks)

/** Where the log ends, and the days that have a table. */
async function findEnd(tx: LogDb): Promise<LogEnd> {
  if (inheritsTables(tx)) {
    const { rows } = await sql<{ line: string | null; block: string | null; days: string | null }>`
      select (${endOfLines(tx)}) as line, (${endOfBlocks(tx)}) as block, ${logDays()} as days`.execute(tx)
    return { last: higher(rows[0]?.line, rows[0]?.block), days: toLogDays(rows[0]?.days) }
  }
  const [line] = await findEndOfLines(tx, {})
  const [block] = await findEndOfBlocks(tx, {})
  return { last: higher(line?.last, block?.last), days: [] }
}

function higher(...serials: readonly (string | null | undefined)[]): bigint {
  const [a = -1n, b = -1n] = serials.map((serial) => BigInt(serial ?? -1))
  return a > b ? a : b
}

async function insert(tx: LogDb, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  if (takesRowsAsJson(tx)) {
    await tx.executeQuery(CompiledQuery.raw(INSERT_JSON, [JSON.stringify(rows)]))
    return
  }
  const whole = rows.length - (rows.length % CHUNK)
  for (let i = 0; i < rows.length; ) {
    const size = i < whole ? CHUNK : 1
    const parameters = rows.slice(i, i + size).flatMap((row) => NAMES.map((name) => row[name]))
    await tx.executeQuery(CompiledQuery.raw(size === CHUNK ? INSERT_CHUNK : INSERT_ROW, parameters))
    i += size
  }
}

/** Deletes build output beyond the newest lines. */
async function trimBuildOutput(tx: LogDb, deploymentId: string): Promise<void> {
  const output = sql<boolean>`deployment_id = ${deploymentId} and info_type = 'build'`
  await tx
    .deleteFrom('log_entries')
    .where(output)
    .where('serial', '<=', ({ selectFrom }) =>
      selectFrom('log_entries')
        .select('serial')
        .where(output)
        .orderBy('serial', 'desc')
        .limit(1)
        .offset(BUILD_LINES),
    )
    .execute()
}

/** Writes a batch in the transaction it is given. */
export async function appendBatch(tx: LogDb, batch: readonly NewRecord[]): Promise<void> {
  await takeTurn(tx)
  const { last, days } = await findEnd(tx)
  const { blocks, lines } = packBatch(batch, last, isReadByOlder(tx) ? 'records' : 'columns')
  await insertBlocks(tx, blocks, days)
  await insert(
    tx,
    lines.map(({ entry, serial }) => toRow(entry, serial)),
  )
  for (const id of new Set(lines.map(({ entry }) => entry.deploymentId))) await trimBuildOutput(tx, id)
}

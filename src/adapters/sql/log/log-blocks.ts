import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type SelectQueryBuilder, sql } from 'kysely'
import { type LogBlock, unpackBlock } from '#core/log/log-block.ts'
import type { LogEntry } from '#core/log/log-entry.ts'
import { isIn } from '#core/log/read/log-filter.ts'
import { timeOfSerial } from '#core/log/serial.ts'
import { inheritsTables } from '../database/dialect/capabilities.ts'
import { knownLimit } from '../database/known-limit.ts'
import { prepare } from '../database/prepare.ts'
import { integersIn, textsIn } from '../database/text-list.ts'
import type { DatedTable } from './dated-tables.ts'
import type { LogStretch, StretchQuery } from './log-stretch.ts'
import type { LogDb, LogTables } from './log-tables.ts'

/** Visits of a moment resemble each other so much that more effort gains nothing. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Below this length a block is kept as it is: setting the compression up costs more than it saves. */
const WORTH_IT = 1024
const OPEN_BRACKET = '['.charCodeAt(0)

const compress = (body: string): Uint8Array =>
  body.length < WORTH_IT ? Buffer.from(body) : zstdCompressSync(body, FAST)

/** A body that is not compressed begins like any JSON array, a compressed one never does. */
const decompress = (body: Uint8Array): Buffer =>
  body[0] === OPEN_BRACKET ? Buffer.from(body) : zstdDecompressSync(body)

/**
 * The ids of these blocks that are there already. A table knows only its own, and a batch may be repeated on another day.
 * Nobody else appends meanwhile.
 */
async function idsThere(tx: LogDb, blocks: readonly LogBlock[]): Promise<ReadonlySet<string>> {
  const ids = JSON.stringify(blocks.map(({ id }) => id))
  // As an array each is looked up in each table, which a list of unknown length may not be.
  const rows = await tx
    .selectFrom('log_blocks')
    .select('id')
    .where(sql<boolean>`id = any(array${textsIn(tx, ids)})`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Into the table of the day that each ends on, if it has one. */
export async function insertBlocks(
  tx: LogDb,
  blocks: readonly LogBlock[],
  days: readonly DatedTable[],
): Promise<void> {
  const there = days.length > 0 && blocks.length > 0 ? await idsThere(tx, blocks) : new Set()
  for (const block of blocks) {
    if (there.has(block.id)) continue
    const at = timeOfSerial(String(block.lastSerial))
    const day = days.find(({ from, to }) => at >= from && at < to)
    const row = toRow(block)
    if (day === undefined) await insertBlock(tx, row)
    else await insertInto(tx, day.name, row).execute()
  }
}

type BlockRow = LogTables['log_blocks']

function toRow(block: LogBlock): BlockRow {
  const body = compress(block.body)
  return {
    last_serial: String(block.lastSerial),
    first_serial: String(block.firstSerial),
    id: block.id,
    deployment_id: block.deploymentId,
    project_id: block.projectId ?? null,
    entries: block.entries,
    status_from: block.statuses?.from ?? null,
    status_to: block.statuses?.to ?? null,
    has_errors: block.hasErrors ? 1 : 0,
    bytes: body.length,
    body,
  }
}

const insertInto = (db: LogDb, table: string, row: BlockRow) =>
  db
    .insertInto(table as 'log_blocks')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())

const insertBlock = prepare<{ readonly [Column in keyof BlockRow]: BlockRow[Column] }, LogTables>()(
  (db, row) =>
    insertInto(db, 'log_blocks', {
      last_serial: row.last_serial,
      first_serial: row.first_serial,
      id: row.id,
      deployment_id: row.deployment_id,
      project_id: row.project_id,
      entries: row.entries,
      status_from: row.status_from,
      status_to: row.status_to,
      has_errors: row.has_errors,
      bytes: row.bytes,
      body: row.body,
    }),
)

/** Heads of blocks that one look goes through, and entries of which it reads the bodies. */
const HEADS = 500
const ENTRIES = 4000
/** A body that need not be taken apart costs so little that one look goes through more of them, turn by turn. */
const TURNS_WITH_PIECE = 5

const lastSerial = sql<string>`cast(last_serial as text)`.as('last')
const firstSerial = sql<string>`cast(first_serial as text)`.as('first')

interface Head {
  readonly last: string
  readonly first: string
  readonly entries: number
  readonly status_from: number | null
  readonly status_to: number | null
  readonly has_errors: number
}

type Blocks = SelectQueryBuilder<LogTables, 'log_blocks', object>

const ofScope = (db: LogDb, { scope }: Pick<StretchQuery, 'scope'>): Blocks => {
  const blocks = db.selectFrom('log_blocks')
  if (scope.deploymentId !== undefined) return blocks.where('deployment_id', '=', scope.deploymentId)
  return scope.projectId === undefined ? blocks : blocks.where('project_id', '=', scope.projectId)
}

/** Blocks that hold anything between two serials. They do not overlap, so the order of their ends is that of all. */
function between(db: LogDb, query: Pick<StretchQuery, 'scope' | 'after' | 'before'>): Blocks {
  let blocks = ofScope(db, query)
  if (query.after !== undefined) blocks = blocks.where('last_serial', '>', query.after)
  if (query.before !== undefined) {
    const across = ofScope(db, query)
      .select('last_serial')
      .where('last_serial', '>=', query.before)
      .orderBy('last_serial')
      .limit(1)
    blocks = blocks.where(({ eb, fn }) =>
      eb('last_serial', '<=', fn.coalesce(across, sql.lit(String(2n ** 63n - 1n)).$castTo<string>())),
    )
  }
  return blocks
}

const mayHold = (head: Head, { statuses, errors }: NonNullable<StretchQuery['holding']>): boolean =>
  (errors && head.has_errors === 1) ||
  statuses.some(({ from, to }) => (head.status_from ?? 0) <= to && (head.status_to ?? -1) >= from)

/** The next of the heads whose bodies are worth reading, and how far they were gone through. */
function choose(heads: readonly Head[], { holding }: StretchQuery) {
  const chosen: Head[] = []
  let entries = 0
  let seen = 0
  for (const head of heads) {
    if (holding === undefined || mayHold(head, holding)) {
      if (entries > 0 && entries + head.entries > ENTRIES) break
      chosen.push(head)
      entries += head.entries
    }
    seen++
  }
  return { chosen, seen }
}

type WantedEntries = Pick<StretchQuery, 'holding' | 'piece'>

/** Of all scopes: the serials tell which are meant. */
async function readBodies(
  db: LogDb,
  heads: readonly Head[],
  { holding, piece }: WantedEntries = {},
): Promise<LogEntry[][]> {
  if (heads.length === 0) return []
  const serials = JSON.stringify(heads.map(({ last }) => last))
  const meant = integersIn(db, serials)
  const rows = await db
    .selectFrom('log_blocks')
    .select(['deployment_id', 'project_id', 'body', lastSerial, firstSerial])
    .where('last_serial', 'in', meant)
    .execute()
  const byLast = new Map(rows.map((row) => [row.last, row]))
  const isMeant = holding && ((status: number) => holding.statuses.some((range) => isIn(status, range)))
  // One that was pruned between the two statements is not there any more.
  return heads.flatMap(({ last }) => {
    const row = byLast.get(last)
    if (row === undefined) return []
    const { deployment_id: deploymentId, project_id, first, body } = row
    const bytes = decompress(body)
    if (piece !== undefined && !bytes.includes(piece)) return []
    const block = {
      ...{ firstSerial: BigInt(first), deploymentId, body: bytes.toString() },
      ...(project_id === null ? {} : { projectId: project_id }),
    }
    return [unpackBlock(block, isMeant)]
  })
}

const headsOf = (db: LogDb, query: StretchQuery): Promise<Head[]> =>
  between(db, query)
    .select(['entries', 'status_from', 'status_to', 'has_errors', lastSerial, firstSerial])
    .orderBy('last_serial', query.direction === 'forward' ? 'asc' : 'desc')
    .limit(HEADS)
    .execute()

/** Reads whole blocks; those at the ends may hold entries beyond what was asked for. */
export async function readBlocks(db: LogDb, query: StretchQuery): Promise<LogStretch> {
  const heads = await headsOf(db, query)
  const forward = query.direction === 'forward'
  const after = BigInt(query.after ?? -1)
  const before = query.before === undefined ? undefined : BigInt(query.before)
  const isCut = (serial: string) =>
    BigInt(serial) <= after || (before !== undefined && BigInt(serial) >= before)
  const entries: LogEntry[] = []
  let seen = 0
  for (let turns = query.piece === undefined ? 1 : TURNS_WITH_PIECE; turns > 0; turns--) {
    const next = choose(heads.slice(seen), query)
    seen += next.seen
    for (const block of await readBodies(db, next.chosen, query)) {
      const whole = block.length > 0 && !isCut(block[0]?.serial ?? '') && !isCut(block.at(-1)?.serial ?? '')
      const kept = whole ? block : block.filter(({ serial }) => !isCut(serial))
      entries.push(...(forward ? kept : kept.toReversed()))
    }
    if (entries.length > 0 || seen === heads.length) break
    await new Promise(setImmediate)
  }
  const last = heads[seen - 1]
  const complete = seen === heads.length && heads.length < HEADS
  if (last === undefined) return { entries, complete }
  return { entries, end: forward ? last.last : last.first, complete }
}

/** The serial of the entry that this many newer ones follow, or how many of them are not in blocks. */
export async function findInBlocks(
  db: LogDb,
  newest: number,
  after: string,
): Promise<{ readonly serial: string } | { readonly missing: number }> {
  let missing = newest
  let before: string | undefined
  for (;;) {
    const query: StretchQuery = { scope: {}, direction: 'backward', after, before }
    const heads = await headsOf(db, query)
    for (const head of heads) {
      const straddles = BigInt(head.first) <= BigInt(after)
      if (head.entries <= missing && !straddles) {
        missing -= head.entries
        continue
      }
      const [block = []] = await readBodies(db, [head])
      const later = block.filter(({ serial }) => BigInt(serial) > BigInt(after))
      const found = later.at(-1 - missing)
      if (found !== undefined) return { serial: found.serial }
      missing -= later.length
    }
    if (heads.length < HEADS) return { missing }
    before = heads.at(-1)?.first
  }
}

/** Deletes the oldest of a deployment, or of those that end before a serial; tells how many. */
export async function deleteBlocks(
  db: LogDb,
  meant: { readonly deploymentId: string } | { readonly before: string },
  limit: number,
): Promise<number> {
  const all: Blocks = db.selectFrom('log_blocks')
  const blocks =
    'deploymentId' in meant
      ? all.where('deployment_id', '=', meant.deploymentId)
      : all.where('last_serial', '<', meant.before)
  const { numDeletedRows } = await db
    .deleteFrom('log_blocks')
    .where('last_serial', 'in', blocks.select('last_serial').orderBy('last_serial').limit(knownLimit(limit)))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** The same, except for days that have a table: it is dropped. */
export const pruneBlocks: typeof deleteBlocks = async (db, meant, limit) => {
  if (!inheritsTables(db) || 'deploymentId' in meant) return deleteBlocks(db, meant, limit)
  const { numAffectedRows } = await sql`
    delete from only log_blocks where last_serial in (
      select last_serial from only log_blocks where last_serial < ${meant.before}
      order by last_serial limit ${knownLimit(limit)}
    )`.execute(db)
  return Number(numAffectedRows)
}

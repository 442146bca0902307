import { sql } from 'kysely'
import { isFile } from '../database/dialect/capabilities.ts'
import type { LogDb } from './log-tables.ts'

type Pragma = 'page_count' | 'freelist_count' | 'page_size' | 'auto_vacuum'

async function pragma(db: LogDb, name: Pragma): Promise<number> {
  const { rows } = await sql.raw<Record<string, number>>(`pragma ${name}`).execute(db)
  return rows[0]?.[name] ?? 0
}

/** What a block takes beside its body. */
const HEAD_BYTES = 300

/** What the log takes on the disk, without what is free for new entries already. */
export async function logBytes(db: LogDb): Promise<number> {
  if (isFile(db))
    return (
      ((await pragma(db, 'page_count')) - (await pragma(db, 'freelist_count'))) *
      (await pragma(db, 'page_size'))
    )
  const { rows } = await sql<{ bytes: string }>`
    select cast(
      coalesce((select sum(bytes) + count(*) * ${sql.lit(HEAD_BYTES)} from log_blocks), 0)
      + pg_total_relation_size('log_entries') as text) as bytes`.execute(db)
  return Number(rows[0]?.bytes ?? 0)
}

/** Lines of which the index is gone through at a time: nobody else does anything meanwhile. */
const COUNTED = 20_000
/** As many of the newest tell how long a line is. */
const MEASURED = 1000
/** What a line takes beside its text, with its place in the indexes. */
const LINE_BYTES = 310

const buildLines = (db: LogDb) => db.selectFrom('log_entries').where('info_type', '=', sql.lit('build'))

async function countBuildLines(db: LogDb): Promise<number> {
  let count = 0
  let rest = buildLines(db)
  for (;;) {
    const last = await rest
      .select(['deployment_id', sql<string>`cast(serial as text)`.as('place')])
      .orderBy('deployment_id')
      .orderBy('serial')
      .offset(COUNTED - 1)
      .limit(1)
      .executeTakeFirst()
    if (last === undefined) break
    count += COUNTED
    const { deployment_id: id, place } = last
    rest = buildLines(db).where(sql<boolean>`(deployment_id, serial) > (${id}, cast(${place} as integer))`)
    await new Promise(setImmediate)
  }
  const { left } = await rest.select(({ fn }) => fn.countAll<number>().as('left')).executeTakeFirstOrThrow()
  return count + left
}

/** What a row of the counts of visits takes, with its place in the indexes. */
const COUNTS_BYTES = { traffic: 250, traffic_paths: 300 } as const

/** Project by project: nobody else does anything meanwhile. */
async function countedBytes(db: LogDb, table: keyof typeof COUNTS_BYTES): Promise<number> {
  let rows = 0
  let after = ''
  for (;;) {
    const next = await db
      .selectFrom(table as 'traffic')
      .select(({ fn }) => ['project_id', fn.countAll<number>().as('count')])
      .where('project_id', '>', after)
      .groupBy('project_id')
      .orderBy('project_id')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined) return rows * COUNTS_BYTES[table]
    rows += next.count
    after = next.project_id
    await new Promise(setImmediate)
  }
}

/** What of `logBytes` is no log of requests and functions: build output and, in a file, the counts of visits. */
export async function otherBytes(db: LogDb): Promise<number> {
  const counted = isFile(db)
    ? (await countedBytes(db, 'traffic')) + (await countedBytes(db, 'traffic_paths'))
    : 0
  return counted + (await buildBytes(db))
}

/** What build output takes on the disk, roughly. */
async function buildBytes(db: LogDb): Promise<number> {
  if (!isFile(db)) {
    const { rows } = await sql<{ bytes: string }>`
      select cast(pg_total_relation_size('log_entries') as text) as bytes`.execute(db)
    return Number(rows[0]?.bytes ?? 0)
  }
  const newest = buildLines(db).select('text').orderBy('serial', 'desc').limit(MEASURED).as('newest')
  const measured = await db
    .selectFrom(newest)
    .select(sql<number | null>`avg(length(cast(text as blob)))`.as('length'))
    .executeTakeFirst()
  return Math.round((await countBuildLines(db)) * (LINE_BYTES + (measured?.length ?? 0)))
}

/** Less than this is not worth a step. */
const WORTH_IT = 256
/** Pages a step: nobody writes meanwhile. */
const STEP = 1000
/** A file from before free pages could be given back is written anew once it holds no more than this. */
const REWRITTEN_PAGES = 16 * 1024
const INCREMENTAL = 2

/** Gives free pages of the file back to the disk, some at a time; tells whether there are more. */
export async function returnFreePages(db: LogDb): Promise<boolean> {
  // The server does so by itself.
  if (!isFile(db)) return false
  const free = await pragma(db, 'freelist_count')
  if (free < WORTH_IT) return false
  if ((await pragma(db, 'auto_vacuum')) === INCREMENTAL) {
    await sql.raw(`pragma incremental_vacuum(${STEP})`).execute(db)
    return free > STEP
  }
  if ((await pragma(db, 'page_count')) - free <= REWRITTEN_PAGES) await sql`vacuum`.execute(db)
  return false
}

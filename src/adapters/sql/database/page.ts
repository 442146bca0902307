import { type SelectQueryBuilder, sql } from 'kysely'
import type { Page, PageQuery } from '#contract/page.ts'

/** Rows strictly between two moments, newest first, at most `limit` of them. */
export type PageRange = {
  readonly before: number
  readonly after: number
  readonly limit: number
}

/** The rows of a range, for a table with `created_at` and `id`. */
export const newestFirst = <DB, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  { before, after, limit }: PageRange,
): SelectQueryBuilder<DB, TB, Row> =>
  rows
    .where(sql.ref<number>('created_at'), '<', before)
    .where(sql.ref<number>('created_at'), '>', after)
    .orderBy(sql.ref('created_at'), 'desc')
    .orderBy(sql.ref('id'), 'desc')
    .limit(limit)

interface Dated {
  readonly createdAt: number
  readonly id: string
}

/** The same order, for what was read in pieces. */
export const fromNewToOld = (a: Dated, b: Dated): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)

interface PageParts<Row, T> {
  readonly select: (range: PageRange) => Promise<readonly Row[]>
  readonly timeOf: (row: Row) => number
  readonly show: (row: Row) => T
}

const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number

/** Clients may send any number; a database may refuse those that no time can have. */
const bounded = (time: number): number => Math.max(MIN_SAFE_INTEGER, Math.min(time, MAX_SAFE_INTEGER))

/**
 * Reads one page. All that a client sends back is the time of the last row it saw, so rows of the same
 * millisecond are never divided between two pages: where the last of a page has some, it is longer than asked for.
 * It is never shorter while there is more, because many clients take that for the end.
 */
export async function readPage<Row, T>(page: PageQuery, parts: PageParts<Row, T>): Promise<Page<T>> {
  const { limit } = page
  const before = bounded(page.until ?? MAX_SAFE_INTEGER)
  const after = bounded(page.since ?? MIN_SAFE_INTEGER)
  const { rows, more } = await cut({ before, after, limit }, parts)
  const timeAt = (index: number): number | null => {
    const row = rows.at(index)
    return row === undefined ? null : parts.timeOf(row)
  }
  return {
    items: rows.map(parts.show),
    pagination: {
      count: rows.length,
      next: more ? timeAt(-1) : null,
      prev: page.until === undefined ? null : timeAt(0),
    },
  }
}

async function cut<Row>(
  { before, after, limit }: PageRange,
  { select, timeOf }: Pick<PageParts<Row, unknown>, 'select' | 'timeOf'>,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows = await select({ before, after, limit: limit + 1 })
  const [last, next] = [rows[limit - 1], rows[limit]]
  if (last === undefined || next === undefined) return { rows, more: false }
  const time = timeOf(last)
  if (timeOf(next) !== time) return { rows: rows.slice(0, limit), more: true }
  const newer = rows.filter((row) => timeOf(row) !== time)
  const group = await select({ before: time + 1, after: time - 1, limit: MAX_SAFE_INTEGER })
  const older = await select({ before: time, after, limit: 1 })
  return { rows: [...newer, ...group], more: older.length > 0 }
}

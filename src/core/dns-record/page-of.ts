import type { Page, PageQuery } from '#contract/page.ts'

/**
 * A page of what is in memory already, newest first. Rows of the same millisecond stay together, because
 * the time of the last row is all that a client sends back.
 */
export function pageOf<T extends { readonly createdAt: number }>(
  newestFirst: readonly T[],
  { limit, since = -Infinity, until }: PageQuery,
): Page<T> {
  const rows = newestFirst.filter((row) => row.createdAt > since && row.createdAt < (until ?? Infinity))
  const next = rows[limit]
  const whole = next ? rows.slice(0, limit).filter((row) => row.createdAt !== next.createdAt) : rows
  const items = whole.length > 0 ? whole : rows.filter((row) => row.createdAt === rows[0]?.createdAt)
  const more = items.length < rows.length
  return {
    items,
    pagination: {
      count: items.length,
      next: more ? (items.at(-1)?.createdAt ?? null) : null,
      prev: until === undefined ? null : (items[0]?.createdAt ?? null),
    },
  }
}

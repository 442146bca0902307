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
  const last = rows[limit - 1]?.createdAt ?? -Infinity
  const items = rows.filter((row) => row.createdAt >= last)
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

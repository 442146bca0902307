import { Type } from 'typebox'
import { Nullable } from './api/shared.ts'

/** Lists are newest first and page by time: pass `next` as `until` to go on to older rows. */
export interface Pagination {
  readonly count: number
  readonly next: number | null
  readonly prev: number | null
}

export interface PageQuery {
  readonly limit: number
  /** Only rows created after this moment. */
  readonly since?: number
  /** Only rows created before this moment. */
  readonly until?: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly pagination: Pagination
}

export const PAGE_LIMIT = { max: 100, current: 20, older: 100 } as const

export const PaginationSchema = Type.Object({
  count: Type.Integer(),
  next: Nullable(Type.Integer()),
  prev: Nullable(Type.Integer()),
})

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT.max,
      description:
        'Maximum number of rows. Rows of the same millisecond are never split, so there can be a few more.',
    }),
  ),
  since: Type.Optional(Type.Integer({ minimum: 0, description: 'Only rows created after this time (ms).' })),
  until: Type.Optional(Type.Integer({ minimum: 0, description: 'Only rows created before this time (ms).' })),
}

export const mapPage = <A, B>(page: Page<A>, show: (item: A) => B): B[] => page.items.map(show)

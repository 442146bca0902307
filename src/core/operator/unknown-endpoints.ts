import { loggedPath } from '#contract/secret-paths.ts'

/** Requests for something that this API does not have, so that an operator sees what clients look for. */
export interface UnknownEndpoint {
  /** Method and path; what looks like an id in it stands as `:id`. */
  readonly endpoint: string
  readonly count: number
  readonly lastAt: number
}

export interface UnknownEndpoints {
  note(method: string, path: string): void
  /** The most frequent ones first. */
  list(): readonly UnknownEndpoint[]
}

/** How many are told apart at a time; the rarest one makes room for a new one. */
const KEPT = 200
const SHOWN = 10
const SEGMENTS = 8
const LONGEST = 120

/** A name of somebody's, rather than a word of the API: it has a digit or a dot, or is long. */
const isId = (segment: string): boolean =>
  !/^v\d+$/.test(segment) && (/[\d.%@]/.test(segment) || segment.length > 32)

const shapeOf = (method: string, path: string): string =>
  `${method} ${loggedPath(path, ':id')
    .split('/')
    .slice(0, SEGMENTS)
    .map((segment) => (isId(segment) ? ':id' : segment))
    .join('/')}`.slice(0, LONGEST)

export function createUnknownEndpoints(now: () => number): UnknownEndpoints {
  const counts = new Map<string, { count: number; lastAt: number }>()
  return {
    note(method, path) {
      const endpoint = shapeOf(method, path)
      const known = counts.get(endpoint)
      if (known === undefined && counts.size >= KEPT) counts.delete(rarest())
      counts.set(endpoint, { count: (known?.count ?? 0) + 1, lastAt: now() })
    },
    list: () =>
      mostFrequent(
        [...counts].map(([endpoint, seen]) => ({ endpoint, ...seen })),
        KEPT,
      ),
  }

  function rarest(): string {
    let [least, found] = [Number.POSITIVE_INFINITY, '']
    for (const [endpoint, { count }] of counts) if (count < least) [least, found] = [count, endpoint]
    return found
  }
}

const mostFrequent = (list: readonly UnknownEndpoint[], most: number): readonly UnknownEndpoint[] =>
  list.toSorted((a, b) => b.count - a.count || b.lastAt - a.lastAt).slice(0, most)

/** Those of several processes, added up: the ten most frequent. */
export function addUp(lists: readonly (readonly UnknownEndpoint[])[]): readonly UnknownEndpoint[] {
  const sums = new Map<string, UnknownEndpoint>()
  for (const one of lists.flat()) {
    const sum = sums.get(one.endpoint)
    sums.set(one.endpoint, {
      endpoint: one.endpoint,
      count: one.count + (sum?.count ?? 0),
      lastAt: Math.max(one.lastAt, sum?.lastAt ?? 0),
    })
  }
  return mostFrequent([...sums.values()], SHOWN)
}

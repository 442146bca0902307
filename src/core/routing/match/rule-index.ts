import type { Pattern } from '../pattern/pattern.ts'

/**
 * Which patterns of a list a path can match at all, so that a long list of redirects costs two look-ups. All
 * places are in ascending order.
 */
export interface RuleIndex {
  /** The places of patterns that are one literal path, by that path. */
  readonly byPath: ReadonlyMap<string, readonly number[]>
  /** The places of patterns that begin with a literal segment, by that segment. */
  readonly bySegment: ReadonlyMap<string, readonly number[]>
  readonly others: readonly number[]
}

/** Lists of places, each in ascending order. */
export type Candidates = readonly (readonly number[])[]

export function indexPatterns(patterns: readonly Pattern[]): RuleIndex {
  const byPath = new Map<string, number[]>()
  const bySegment = new Map<string, number[]>()
  const others: number[] = []
  for (const [place, { shape, isRootless }] of patterns.entries()) {
    const before = isRootless ? `/${shape.before}` : shape.before
    const segment = FIRST_SEGMENT.exec(before)?.[1]
    if (shape.kind === 'literal') append(byPath, before, place)
    else if (segment !== undefined) append(bySegment, segment, place)
    else others.push(place)
  }
  return { byPath, bySegment, others }
}

/** What may match a path, given in lower case. */
export function candidatesFor({ byPath, bySegment, others }: RuleIndex, folded: string): Candidates {
  const lists = [others]
  const exact = byPath.get(folded)
  if (exact !== undefined) lists.push(exact)
  if (bySegment.size === 0) return lists
  const end = folded.indexOf('/', 1)
  const segment = end < 0 ? undefined : bySegment.get(folded.slice(1, end))
  if (segment !== undefined) lists.push(segment)
  return lists
}

/** The first candidate that is not before `from`. */
export function nextCandidate(candidates: Candidates, from: number): number | undefined {
  let next: number | undefined
  for (const places of candidates) {
    const place = places[firstNotBefore(places, from)]
    if (place !== undefined && (next === undefined || place < next)) next = place
  }
  return next
}

const FIRST_SEGMENT = /^\/([^/]*)\//

function append(map: Map<string, number[]>, key: string, place: number): void {
  const places = map.get(key)
  if (places === undefined) map.set(key, [place])
  else places.push(place)
}

function firstNotBefore(places: readonly number[], from: number): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] ?? from) < from) low = middle + 1
    else high = middle
  }
  return low
}

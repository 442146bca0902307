import type { Traffic } from '#contract/api/analytics.ts'
import { BUCKETS, bucketOf, percentile } from './durations.ts'

/** What is counted of visits, by the names that a store keeps it under; the rest are the buckets of durations. */
export const COUNTERS = [
  'requests',
  'status_2xx',
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'bytes',
  'cold_starts',
  ...Array.from({ length: BUCKETS }, (_, bucket) => `duration_${bucket}` as const),
] as const
export type Counter = (typeof COUNTERS)[number]

const BYTES = 5
const COLD_STARTS = 6
const DURATIONS = 7

/**
 * A number for each counter. As one list of numbers, because one is kept for everything that is visited; a plain one,
 * because what a typed one holds is outside of the engine's heap, in hundreds of thousands of small pieces which the
 * allocator does not give back when many sites were visited.
 */
export type Tally = number[]

export const createTally = (): Tally => new Array<number>(COUNTERS.length).fill(0)

/** One by one: of a list this short, `fill` takes several times as long. */
export function clearTally(tally: Tally): void {
  for (let i = 0; i < tally.length; i++) tally[i] = 0
}

/** What of a visit is counted. */
export interface CountedVisit {
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly coldStart?: boolean | undefined
}

/** The connection goes on with another protocol, for as long as both sides like. */
const SWITCHED = 101

export function countVisit(tally: Tally, { status, ms, bytes, coldStart }: CountedVisit): void {
  add(tally, 0, 1)
  if (status >= 200 && status < 600) add(tally, ((status / 100) | 0) - 1, 1)
  add(tally, BYTES, bytes)
  if (coldStart === true) add(tally, COLD_STARTS, 1)
  if (status !== SWITCHED) add(tally, DURATIONS + bucketOf(Math.round(ms)), 1)
}

const add = (tally: Tally, index: number, count: number): void => {
  tally[index] = (tally[index] as number) + count
}

/** Adds to the first. */
export function addTally(sum: Tally, other: ArrayLike<number>): Tally {
  for (let i = 0; i < sum.length; i++) add(sum, i, other[i] ?? 0)
  return sum
}

/** What people are shown of it. */
export function showTally(tally: Tally): Traffic {
  const durations = tally.slice(DURATIONS)
  const [requests = 0, ok = 0, redirected = 0, wrong = 0, failed = 0, bytes = 0, coldStarts = 0] = tally
  return {
    requests,
    status: { '2xx': ok, '3xx': redirected, '4xx': wrong, '5xx': failed },
    bytes,
    coldStarts,
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    p99: percentile(durations, 0.99),
  }
}

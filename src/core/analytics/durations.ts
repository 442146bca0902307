/**
 * Durations are counted in buckets that are two to a doubling, from a millisecond to a quarter of an hour: 0, 1, 2
 * and 3 ms have one each, then 4–5, 6–7, 8–11, 12–15, 16–23 and so on. A few dozen numbers say how long any number
 * of requests took, those of two processes can simply be added, and what is read from them is off by a fifth at the
 * most.
 */
export const BUCKETS = 40

/** The first of those that stand for more than one number of milliseconds. */
const EXACT = 4

/** For whole numbers of milliseconds. */
export function bucketOf(ms: number): number {
  if (ms < EXACT) return ms > 0 ? ms | 0 : 0
  if (ms >= 2 ** 20) return BUCKETS - 1
  const exponent = 31 - Math.clz32(ms)
  return 2 * exponent + ((ms >> (exponent - 1)) & 1)
}

/** The least that belongs into a bucket. */
export function lowerBound(bucket: number): number {
  if (bucket < EXACT) return bucket
  return (2 + (bucket & 1)) * 2 ** ((bucket >> 1) - 1)
}

/** So many ms, or less, is what this share of all the durations took; 0 when there are none. */
export function percentile(counts: ArrayLike<number>, share: number): number {
  let total = 0
  for (let i = 0; i < BUCKETS; i++) total += counts[i] ?? 0
  if (total === 0) return 0
  const rank = Math.max(1, Math.ceil(share * total))
  let before = 0
  for (let i = 0; i < BUCKETS; i++) {
    const count = counts[i] ?? 0
    if (before + count >= rank) return within(i, (rank - before) / count)
    before += count
  }
  return lowerBound(BUCKETS - 1)
}

/** As if those of a bucket were spread evenly over it. */
function within(bucket: number, share: number): number {
  const least = lowerBound(bucket)
  if (bucket < EXACT || bucket === BUCKETS - 1) return least
  const most = lowerBound(bucket + 1) - 1
  return Math.round(least + (most - least) * share)
}

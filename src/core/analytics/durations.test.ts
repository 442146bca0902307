import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { BUCKETS, bucketOf, lowerBound, percentile } from './durations.ts'

it('puts every duration into the bucket that begins at or below it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (ms) => {
      const bucket = bucketOf(ms)
      assert.ok(bucket >= 0 && bucket < BUCKETS)
      assert.ok(lowerBound(bucket) <= ms)
      assert.ok(bucket === BUCKETS - 1 || ms < lowerBound(bucket + 1))
    }),
  )
})

it('reads percentiles that are off by little', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 900_000 }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (durations, share) => {
        const counts = Array<number>(BUCKETS).fill(0)
        for (const ms of durations) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1
        const exact = durations.toSorted((a, b) => a - b)[Math.ceil(share * durations.length) - 1] as number
        assert.ok(Math.abs(percentile(counts, share) - exact) <= exact / 2)
      },
    ),
  )
})

it('answers 0 when there is nothing', () => {
  assert.equal(percentile(Array(BUCKETS).fill(0), 0.99), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices, sortInSlices } from './slices.ts'

const shuffled = (count: number): number[] => Array.from({ length: count }, (_, n) => (n * 7919 + 13) % count)

test('many are sorted as few are', async () => {
  for (const count of [0, 1, 10_000, 10_001, 70_001]) {
    const numbers = shuffled(count)
    assert.deepEqual(
      await sortInSlices(numbers, (a, b) => a - b),
      numbers.toSorted((a, b) => a - b),
    )
    assert.deepEqual(numbers, shuffled(count), 'what was given stays as it is')
  }
})

test('every item is visited once, in order, and others have their turn', async () => {
  const items = Array.from({ length: 100 }, (_, n) => n)
  for (const given of [items, new Set(items)]) {
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const seen: number[] = []
    const never = new Int32Array(new SharedArrayBuffer(4))
    await inSlices(given, (n) => {
      seen.push(n)
      // Thirty of them take longer than a slice may.
      Atomics.wait(never, 0, 0, 1)
    })
    clearImmediate(timer)
    assert.deepEqual(seen, items)
    assert.ok(turns >= 3, `${turns} turns`)
  }
})

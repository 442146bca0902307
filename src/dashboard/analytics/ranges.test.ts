import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MINUTE } from '#contract/time.ts'
import { labelSteps, spanOf } from './ranges.ts'

test('a chart of few points goes back some steps from the last of them', () => {
  assert.deepEqual(spanOf(1000, 1000, MINUTE), [700, 1000])
  assert.deepEqual(spanOf(940, 1000, MINUTE), [700, 1000])
  assert.deepEqual(spanOf(0, 100_000, MINUTE), [0, 100_000])
})

test('labels are never nearer to each other than what they tell apart', () => {
  assert.deepEqual(labelSteps(MINUTE).slice(0, 2), [60, 120])
  assert.deepEqual(labelSteps(HOUR).slice(0, 2), [3600, 7200])
  assert.deepEqual(labelSteps(24 * HOUR)[0], 86_400)
})

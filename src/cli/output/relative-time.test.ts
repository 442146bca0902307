import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import { relativeTime, shortDuration } from './relative-time.ts'

const now = 1_900_000_000_000

test('times are told by their distance from now', () => {
  assert.equal(relativeTime(now - 3 * HOUR, now), '3h ago')
  assert.equal(relativeTime(now + 30 * DAY - 20, now), 'in 30d')
  assert.equal(relativeTime(now - 400 * DAY, now), '1y ago')
})

test('a clock that is a little ahead does not make the past the future', () => {
  assert.equal(relativeTime(now + 2 * SECOND, now), 'now')
  assert.equal(relativeTime(now - 2 * SECOND, now), 'now')
})

test('rounding never gives sixty of a unit', () => {
  assert.equal(shortDuration(59.7 * SECOND), '1m')
  assert.equal(shortDuration(59.7 * MINUTE), '1h')
  assert.equal(shortDuration(23.6 * HOUR), '1d')
  assert.equal(shortDuration(42 * SECOND), '42s')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '#contract/time.ts'
import { readMoment } from './read-moment.ts'

const now = 1_900_000_000_000
const read = readMoment(() => now)

test('a moment is how long ago, a date or a number', () => {
  assert.equal(read('2h'), now - 2 * HOUR)
  assert.equal(read('100y'), 0)
  assert.equal(read('2030-01-31T12:00Z'), Date.UTC(2030, 0, 31, 12))
  assert.equal(read('1800000000000'), 1_800_000_000_000)
})

test('anything else is refused with what is accepted', () => {
  for (const text of ['soon', '-1h', '', '99999999999999'])
    assert.throws(() => read(text), /should be how long ago, as in 2h/)
})

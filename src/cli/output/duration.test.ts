import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import { readDuration } from './duration.ts'

test('a duration is a number and a unit', () => {
  assert.equal(readDuration('90s'), 90 * SECOND)
  assert.equal(readDuration('15m'), 15 * MINUTE)
  assert.equal(readDuration('12h'), 12 * HOUR)
  assert.equal(readDuration(' 30d '), 30 * DAY)
  assert.equal(readDuration('2w'), 14 * DAY)
  assert.equal(readDuration('1y'), 365 * DAY)
})

test('anything else is refused with what is accepted', () => {
  for (const text of ['', '30', 'd', '0d', '-1d', '1.5d', '1e3d', '30 d', '30D', '1M', '1d12h', 'Infinityd'])
    assert.throws(() => readDuration(text), /is not a duration: write a number and s, m, h, d, w or y/, text)
})

test('a duration that no clock could hold is refused', () => {
  assert.throws(() => readDuration('101y'), /more than a hundred years/)
  assert.throws(() => readDuration('999999999999y'), /more than a hundred years/)
})

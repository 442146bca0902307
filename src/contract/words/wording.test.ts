import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, sentence, utcTime } from './wording.ts'

test('one thing is not several', () => {
  assert.deepEqual(
    [count(0, 'line'), count(1, 'line'), count(1200, 'line')],
    ['0 lines', '1 line', '1,200 lines'],
  )
})

test('a sentence ends with one full stop, whatever it ends in', () => {
  assert.deepEqual(['Joined Acme Inc.', 'Wait 24 hr.', 'Done', 'Really?', 'Waiting …'].map(sentence), [
    'Joined Acme Inc.',
    'Wait 24 hr.',
    'Done.',
    'Really?',
    'Waiting …',
  ])
})

test('a moment for somebody whose clock nobody knows names its zone', () => {
  assert.equal(utcTime(Date.UTC(2026, 10, 16, 17, 5)), 'November 16, 2026 at 17:05 UTC')
  assert.equal(utcTime(Date.UTC(2026, 10, 16, 0, 5)), 'November 16, 2026 at 00:05 UTC')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeLeft } from './time-left.ts'

test('the rest takes as long as the part before it did, for its size', () => {
  assert.equal(timeLeft(25, 100, 60_000), 'about 3m left')
  assert.equal(timeLeft(990, 1000, 10_000), 'about 1s left')
})

test('nothing is foretold at the beginning, at the end, or where nothing has come', () => {
  assert.deepEqual(
    [timeLeft(1, 100, 500), timeLeft(0, 100, 60_000), timeLeft(100, 100, 60_000)],
    ['', '', ''],
  )
})

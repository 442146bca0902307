import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeLeft } from './time-left.ts'

test('the time left follows from the pace so far, once there is one', () => {
  assert.match(timeLeft({ done: 25, of: 100, ms: 10_000 }), /^, about 30 ?s.* left$/)
  for (const soon of [
    { done: 25, of: 100, ms: 1000 },
    { done: 0, of: 100, ms: 10_000 },
    { done: 100, of: 100, ms: 10_000 },
    { done: 5, of: 0, ms: 10_000 },
  ])
    assert.equal(timeLeft(soon), '…')
})

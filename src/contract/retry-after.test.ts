import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRetryAfter } from './retry-after.ts'

test('Retry-After is read as seconds and as a date', () => {
  const now = Date.parse('2030-01-01T00:00:00Z')
  assert.equal(readRetryAfter('12', now), 12_000)
  assert.equal(readRetryAfter('Tue, 01 Jan 2030 00:00:05 GMT', now), 5000)
  assert.equal(readRetryAfter('Mon, 31 Dec 2029 23:00:00 GMT', now), 0)
  assert.equal(readRetryAfter('soon', now), undefined)
  assert.equal(readRetryAfter(null, now), undefined)
})

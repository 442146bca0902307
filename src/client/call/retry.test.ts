import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../api-error.ts'
import { ConnectionError, type ConnectionFailure } from '../connection-error.ts'
import { type Attempts, delayBeforeRetry } from './retry.ts'

const first: Attempts = { method: 'GET', repeatable: true, made: 1, limited: false }
const api = (status: number, retryAfterMs?: number) =>
  new ApiError({ status, code: 'x', message: 'x', retryAfterMs })
const cut = (reason: ConnectionFailure) => new ConnectionError('http://localhost:3000', reason)

test('a GET whose connection was cut is repeated twice, ever later', () => {
  const delays = [1, 2, 3].map((made) => delayBeforeRetry(cut('dropped'), { ...first, made }))
  assert.deepEqual(delays, [100, 400, undefined])
})

test('other network failures are final, and so is a cut connection of a write', () => {
  for (const reason of ['refused', 'unknown_host', 'timeout', 'untrusted', 'failed'] as const)
    assert.equal(delayBeforeRetry(cut(reason), first), undefined)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
    assert.equal(delayBeforeRetry(cut('dropped'), { ...first, method }), undefined)
})

test('503 is repeated for a GET, after the wait it names, when that is bearable', () => {
  assert.equal(delayBeforeRetry(api(503, 10_000), first), 10_000)
  assert.equal(delayBeforeRetry(api(503, 10_001), first), undefined)
  assert.equal(delayBeforeRetry(api(503), first), undefined)
  assert.equal(delayBeforeRetry(api(503, 1000), { ...first, method: 'POST' }), undefined)
  assert.equal(delayBeforeRetry(api(503, 1000), { ...first, made: 3 }), undefined)
})

test('a rate limit is waited out once, for every method, when the wait is bearable', () => {
  assert.equal(delayBeforeRetry(api(429, 30_000), { ...first, method: 'POST' }), 30_000)
  assert.equal(delayBeforeRetry(api(429, 30_001), first), undefined)
  assert.equal(delayBeforeRetry(api(429, 1000), { ...first, made: 2, limited: true }), undefined)
  assert.equal(delayBeforeRetry(api(429), first), undefined)
})

test('a body that is used up is never sent again', () => {
  assert.equal(delayBeforeRetry(api(429, 1000), { ...first, method: 'POST', repeatable: false }), undefined)
})

test('other answers are final', () => {
  for (const status of [400, 403, 404, 500, 502])
    assert.equal(delayBeforeRetry(api(status, 1000), first), undefined)
})

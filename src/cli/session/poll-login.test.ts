import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { ConnectionError } from '#client/connection-error.ts'
import { MINUTE } from '#contract/time.ts'
import { pollLogin } from './poll-login.ts'

const api = (status: number, code: string) => new ApiError({ status, code, message: code })
const pending = api(400, 'confirmation_incomplete')
const unreachable = new ConnectionError('http://x', 'refused')
const done = { token: 'tok', email: 'jo@example.com', teamId: null }

/** Answers in turn, the last one for ever. Time passes only by waiting. */
function poll(...script: readonly unknown[]) {
  let [now, calls] = [0, 0]
  const call = async () => {
    const answer = script[Math.min(calls++, script.length - 1)]
    if (answer instanceof Error) throw answer
    return answer
  }
  const result = pollLogin({
    api: { baseUrl: 'http://x', call } as unknown as Client,
    email: 'jo@example.com',
    token: 'poll',
    now: () => now,
    wait: async (ms) => {
      now += ms
    },
  })
  return { result, calls: () => calls, elapsed: () => now }
}

test('it asks until the login is accepted', async () => {
  const { result, calls } = poll(pending, pending, done)
  assert.equal((await result).token, 'tok')
  assert.equal(calls(), 3)
})

test('it survives an installation that restarts meanwhile', async () => {
  assert.equal(
    (await poll(pending, unreachable, api(503, 'x'), api(429, 'x'), pending, done).result).token,
    'tok',
  )
})

test('it gives up on an installation that does not come back', async () => {
  const { result, elapsed } = poll(pending, unreachable)
  await assert.rejects(result, ConnectionError)
  assert.ok(elapsed() <= MINUTE)
})

test('a request that is gone or used asks to log in again', async () => {
  const { result, calls } = poll(pending, api(404, 'not_found'))
  await assert.rejects(result, /expired or was used/)
  assert.equal(calls(), 2)
})

test('it stops when the request has expired', async () => {
  const { result, elapsed } = poll(pending)
  await assert.rejects(result, /expired/)
  assert.equal(elapsed(), 30 * MINUTE)
})

test('any other refusal is final', async () => {
  const { result, calls } = poll(api(400, 'invalid_email'))
  await assert.rejects(result, ApiError)
  assert.equal(calls(), 1)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#client/api-error.ts'
import { ConnectionError } from '#client/connection-error.ts'
import { usageError } from '../exit.ts'
import { explain } from './explain.ts'

const situation = {
  name: 'teams create',
  command: {
    doing: 'create the team',
    hints: { slug_taken: 'Choose another slug.', forbidden: 'Ask an owner.' },
  },
  tokenFrom: 'aloft login',
} as const
const api = (status: number, code: string, extra = {}, retryAfterMs?: number) =>
  new ApiError({ status, code, message: 'Because.', extra, requestId: 'req_1', retryAfterMs })

test('exit codes tell refusal, absence and failure apart', () => {
  const exits = [400, 401, 402, 403, 404, 409, 429, 500, 503].map(
    (status) => explain(api(status, 'x'), situation).exit,
  )
  assert.deepEqual(exits, [1, 3, 1, 3, 4, 1, 1, 1, 1])
})

test('a failure says what failed, why, and what to try', () => {
  const { what, why, hint } = explain(api(400, 'slug_taken'), situation)
  assert.deepEqual([what, why, hint], ['Could not create the team.', 'Because.', 'Choose another slug.'])
})

test('a refused token leads to where it came from, whatever else the command would try', () => {
  const error = api(403, 'forbidden', { invalidToken: true })
  assert.match(explain(error, situation).hint ?? '', /aloft login/)
  assert.match(
    explain(error, { ...situation, tokenFrom: 'ALOFT_TOKEN' }).hint ?? '',
    /comes from ALOFT_TOKEN/,
  )
  assert.equal(explain(api(403, 'forbidden'), situation).hint, 'Ask an owner.')
})

test('a rate limit says when to try again', () => {
  assert.equal(explain(api(429, 'too_many_requests', {}, 95_000), situation).hint, 'Try again in 1 min 35 s.')
})

test('a failure of the installation names the request', () => {
  assert.match(explain(api(500, 'internal_server_error'), situation).hint ?? '', /req_1/)
})

test('no answer leads to the options that name the address', () => {
  const { exit, why, hint } = explain(new ConnectionError('http://x', 'refused'), situation)
  assert.equal(exit, 1)
  assert.match(why, /http:\/\/x/)
  assert.match(hint ?? '', /Start Aloft there with `aloft server`, .*--base-url or ALOFT_BASE_URL/)
})

test('wrong usage leads to the help of what was meant, and does not claim to have tried', () => {
  const { exit, what, hint } = explain(usageError('No.'), situation)
  assert.deepEqual([exit, what, hint], [2, undefined, 'aloft teams create --help'])
  assert.equal(explain(usageError('No.'), { ...situation, name: undefined }).hint, 'aloft --help')
})

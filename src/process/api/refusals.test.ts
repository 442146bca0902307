import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyRequest } from '#core/http-message.ts'
import { Refusals } from './refusals.ts'

const ask = (url: string, authorization = 'one', method = 'GET') =>
  ({ method, url, headers: { authorization } }) as unknown as AnyRequest

const refusal = (retryAfter: string) => ({
  headers: { 'retry-after': retryAfter, 'x-request-id': 'req_1' },
  body: Buffer.from('too often'),
})

test('a refusal is repeated to the same caller, for the same request, for a second', () => {
  let now = 0
  const refusals = new Refusals(() => now)
  refusals.note(ask('/a'), refusal('30'))
  now = 999
  assert.equal(refusals.find(ask('/a'))?.body.toString(), 'too often')
  assert.equal(refusals.find(ask('/a', 'another')), undefined)
  assert.equal(refusals.find(ask('/b')), undefined)
  assert.equal(refusals.find(ask('/a', 'one', 'POST')), undefined)
  now = 1000
  assert.equal(refusals.find(ask('/a')), undefined, 'then it is asked again')
})

test('no longer than until the window begins anew', () => {
  let now = 0
  const refusals = new Refusals(() => now)
  refusals.note(ask('/a'), refusal('0.2'))
  now = 200
  assert.equal(refusals.find(ask('/a')), undefined)
})

test('each has an id of its own, and many callers are not all remembered', () => {
  const refusals = new Refusals(() => 0)
  for (let n = 0; n < 5000; n++) refusals.note(ask(`/${n}`), refusal('30'))
  assert.equal(refusals.find(ask('/1')), undefined)
  const ids = [1, 2].map(() => refusals.find(ask('/4999'))?.headers['x-request-id'])
  assert.deepEqual(ids, ['req_1_1', 'req_1_2'])
})

test('what a stranger is refused is not said to another who sends the same', () => {
  const from = (remoteAddress: string, headers = {}) =>
    ({ method: 'POST', url: '/a', headers, socket: { remoteAddress } }) as unknown as AnyRequest
  for (const headers of [{ cookie: 'theme=dark' }, { authorization: 'Bearer null' }, {}]) {
    const refusals = new Refusals(() => 0)
    refusals.note(from('2001:db8::1', headers), refusal('30'))
    assert.notEqual(refusals.find(from('2001:db8::2', headers)), undefined, 'as good as the same address')
    assert.equal(refusals.find(from('2001:db8:0:1::1', headers)), undefined)
    assert.equal(refusals.find(from('192.0.2.1', headers)), undefined)
  }
})

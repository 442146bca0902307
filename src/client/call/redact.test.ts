import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redact, redactUrl } from './redact.ts'

test('text under the name of a secret is redacted at any depth, and what surrounds it stays', () => {
  assert.deepEqual(
    redact(
      { token: { id: 'abc', name: 'ci' }, bearerToken: 's3cret', list: [{ access_token: 'x', n: 1 }] },
      undefined,
    ),
    {
      token: { id: 'abc', name: 'ci' },
      bearerToken: '[redacted]',
      list: [{ access_token: '[redacted]', n: 1 }],
    },
  )
  assert.deepEqual(redact({ authorization: 'Bearer x', tokenName: 'aloft on box' }, undefined), {
    authorization: '[redacted]',
    tokenName: 'aloft on box',
  })
  assert.deepEqual(
    redact({ authCode: 'x', name: 'db', value: { type: 'Buffer', data: [1, 2] } }, undefined),
    {
      authCode: '[redacted]',
      name: 'db',
      value: '[redacted]',
    },
  )
})

test('the token of the client is redacted wherever it turns up', () => {
  assert.deepEqual(redact({ message: 'no token tok123 here', list: ['tok123'] }, 'tok123'), {
    message: 'no token [redacted] here',
    list: ['[redacted]'],
  })
})

test('addresses keep their path and lose their secrets', () => {
  assert.equal(
    redactUrl(
      'http://localhost:3000/platform/registration/verify?email=a%40b.example&token=s3cret',
      undefined,
    ),
    'http://localhost:3000/platform/registration/verify?email=a%40b.example&token=%5Bredacted%5D',
  )
})

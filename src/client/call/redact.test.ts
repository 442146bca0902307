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

test('what has names of the user is redacted whole', () => {
  assert.deepEqual(
    redact(
      {
        name: 'site',
        env: { DATABASE: 'x', N: 1 },
        build: { env: { STRIPE: 'y' } },
        headers: { 'x-team': 'z' },
      },
      undefined,
    ),
    {
      name: 'site',
      env: { DATABASE: '[redacted]', N: 1 },
      build: { env: { STRIPE: '[redacted]' } },
      headers: { 'x-team': '[redacted]' },
    },
  )
  const listed = { env: [{ key: 'A', target: 'production' }] }
  assert.deepEqual(redact(listed, undefined), { env: [{ key: '[redacted]', target: 'production' }] })
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IssueFailure } from '#core/ports/certificate-issuer.ts'
import { retryAfterFor } from './retry-after.ts'

test('whoever is told to wait is told how long, by the authority if it said so', () => {
  assert.equal(retryAfterFor(new IssueFailure('too many', 90_500)), 91)
  assert.equal(retryAfterFor(new IssueFailure('too many', 0)), 1)
  for (const cause of [undefined, new Error('no'), new IssueFailure('no')])
    assert.equal(retryAfterFor(cause), 10)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IssueFailure } from '#core/ports/certificate-issuer.ts'
import { asFailure, readProblem } from './problem.ts'

test('a problem has the words of the authority, those about single names as well', () => {
  const problem = readProblem(
    {
      type: 'urn:ietf:params:acme:error:rejectedIdentifier',
      detail: 'Some names\r\nwere refused',
      subproblems: [{ detail: 'a.example is on a list' }, { detail: 7 }, null],
    },
    'HTTP 400',
  )
  assert.equal(problem.type, 'rejectedIdentifier')
  assert.equal(problem.message, 'Some names were refused; a.example is on a list')
})

test('what is no problem document is told by its status', () => {
  for (const document of [undefined, null, '<html>', [], { type: 7, detail: {} }]) {
    const problem = readProblem(document, 'It answered with the status 502')
    assert.deepEqual([problem.type, problem.message], ['', 'It answered with the status 502'])
  }
})

test('endless words are cut', () => {
  assert.equal(readProblem({ detail: 'x'.repeat(5000) }, '').message.length, 1000)
})

test('a failure keeps the words and the time to wait', () => {
  const failure = asFailure(readProblem({ detail: 'too many' }, '', 3000))
  assert.ok(failure instanceof IssueFailure)
  assert.deepEqual([failure.message, failure.retryAfter], ['too many', 3000])
  assert.equal(asFailure(failure), failure)
})

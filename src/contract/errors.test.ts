import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { AloftError, codeOf } from './errors.ts'
import { errorDocs } from './errors-docs.ts'

test('a failed authentication has another code on older endpoints', () => {
  assert.equal(codeOf('auth_failed', false), 'forbidden')
  assert.equal(codeOf('auth_failed', true), 'authentication_error')
  assert.equal(codeOf('rate_limited', false), 'too_many_requests')
  assert.equal(codeOf('rate_limited', true), 'rate_limited')
})

test('an error knows its status', () => {
  assert.equal(new AloftError('method_unknown', '').status, 405)
})

test('docs/errors.md is what the table says', () => {
  const page = new URL('../../docs/errors.md', import.meta.url)
  assert.equal(readFileSync(page, 'utf8'), errorDocs(), 'run `npm run docs`')
})

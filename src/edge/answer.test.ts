import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerLines } from './answer.ts'

test('a header that occurs several times has a line for each', () => {
  assert.equal(
    headerLines(['a', '1', 'set-cookie', ['b=2', 'c=3; Expires=Thu, 01 Jan 2026']]),
    'a: 1\r\nset-cookie: b=2\r\nset-cookie: c=3; Expires=Thu, 01 Jan 2026\r\n',
  )
  assert.equal(headerLines([]), '')
})

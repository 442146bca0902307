import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEnabledFor } from './push-rules.ts'

test('a branch is deployed unless all patterns that name it say no', () => {
  assert.equal(isEnabledFor({ 'feature/*': false }, 'feature/a'), false)
  assert.equal(isEnabledFor({ 'feature/*': false, '*/a': true }, 'feature/a'), true)
  assert.equal(isEnabledFor({ 'feature/*': false }, 'main'), true)
})

test('of patterns that fill a file as many are looked at as take little time', () => {
  const many = Array.from({ length: 2000 }, (_, i) => [`{${','.repeat(40)}}${'*a?'.repeat(8)}${i}`, false])
  assert.equal(isEnabledFor(Object.fromEntries([['feature/*', false], ...many]), 'feature/a'), false)
  assert.equal(isEnabledFor(Object.fromEntries([...many, ['feature/*', false]]), 'feature/a'), true)
})

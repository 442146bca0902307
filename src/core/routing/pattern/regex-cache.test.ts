import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedRegex } from './regex-cache.ts'

test('a pattern is compiled once while it is in use', () => {
  const regex = cachedRegex('/once/(a|b)')
  assert.equal(cachedRegex('/once/(a|b)'), regex)
  assert.deepEqual(regex.match('/ONCE/B'), ['B'])
})

test('what was used longest ago makes room', () => {
  const old = cachedRegex('/old/(a|b)')
  const used = cachedRegex('/used/(a|b)')
  for (let i = 0; i < 20; i++) {
    cachedRegex(`/${i}(?:a|bc){600}`)
    assert.equal(cachedRegex('/used/(a|b)'), used)
  }
  assert.notEqual(cachedRegex('/old/(a|b)'), old)
})

test('a pattern that cannot be compiled is an error each time', () => {
  for (let i = 0; i < 2; i++) assert.throws(() => cachedRegex('/('), /missing closing/)
})

test('a pattern that cannot be compiled is not taken for one that heeds the case', () => {
  cachedRegex('.*', true)
  assert.throws(() => cachedRegex('*.*'), /missing argument/)
})

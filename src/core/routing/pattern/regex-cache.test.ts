import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Pattern, readPattern } from './pattern.ts'

const NO_LIMIT = { left: Number.POSITIVE_INFINITY }

function pattern(src: string, isCaseSensitive = false): Pattern {
  const read = readPattern(src, { isCaseSensitive })
  assert.ok(read.ok, src)
  return read.pattern
}

const compiled = (src: string, isCaseSensitive = false) => pattern(src, isCaseSensitive).regex(NO_LIMIT)

test('a pattern is compiled once while it is in use', () => {
  const regex = compiled('/once/(a|b)')
  assert.equal(compiled('/once/(a|b)'), regex)
  assert.deepEqual(regex?.match('/ONCE/B'), ['B'])
})

test('what was used longest ago makes room, and no table that had it keeps it', () => {
  const unused = pattern('/old/(a|b)')
  const old = unused.regex(NO_LIMIT)
  const inUse = pattern('/used/(a|b)')
  const used = inUse.regex(NO_LIMIT)
  for (let i = 0; i < 200; i++) {
    compiled(`/${i}(?:a?b?){400}`)
    assert.equal(inUse.regex(NO_LIMIT), used)
  }
  assert.notEqual(unused.regex(NO_LIMIT), old)
})

test('a pattern that cannot be compiled is an error each time', () => {
  for (let i = 0; i < 2; i++) assert.throws(() => compiled('/(*)'), /missing argument/)
})

test('a pattern that cannot be compiled is not taken for one that heeds the case', () => {
  assert.notEqual(compiled('/a|/b', true), compiled('/a|/b', false))
  assert.equal(compiled('/a|/b', true)?.match('/A'), undefined)
})

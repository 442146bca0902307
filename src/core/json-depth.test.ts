import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isNestedDeeper } from './json-depth.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('the depth of JSON is known from its text, whatever its texts and keys hold', () => {
  const text = fc.stringMatching(/^[[\]{}"\\a]{0,5}$/)
  const value = fc.jsonValue({ stringUnit: 'binary' })
  fc.assert(
    fc.property(fc.oneof(value, fc.dictionary(text, fc.array(fc.array(text)))), fc.nat(4), (one, levels) => {
      assert.equal(isNestedDeeper(JSON.stringify(one), levels), depthOf(one) > levels)
    }),
  )
})

test('what never ends is known as well', () => {
  assert.equal(isNestedDeeper('['.repeat(1_000_000), 100), true)
  assert.equal(isNestedDeeper('[]'.repeat(1_000), 1), false)
  assert.equal(isNestedDeeper(`"${'['.repeat(1_000)}`, 1), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { excessOf } from './json-shape.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const partsOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const items = Object.values(value)
  return items.reduce((sum: number, one) => sum + partsOf(one), Math.max(1, items.length))
}

test('how deep JSON nests and what it has is known from its text, whatever its texts and keys hold', () => {
  const text = fc.stringMatching(/^[[\]{}"\\a]{0,5}$/)
  const value = fc.jsonValue({ stringUnit: 'binary' })
  fc.assert(
    fc.property(fc.oneof(value, fc.dictionary(text, fc.array(fc.array(text)))), fc.nat(9), (one, most) => {
      const json = JSON.stringify(one)
      assert.equal(excessOf(json, { levels: most, parts: 1e9 }), depthOf(one) > most ? 'levels' : undefined)
      assert.equal(excessOf(json, { levels: 1e9, parts: most }), partsOf(one) > most ? 'parts' : undefined)
    }),
  )
})

test('what never ends is known as well', () => {
  assert.equal(excessOf('['.repeat(1_000_000), { levels: 100, parts: 1e9 }), 'levels')
  assert.equal(excessOf('[]'.repeat(1_000), { levels: 1, parts: 1_000 }), undefined)
  assert.equal(excessOf('[]'.repeat(1_001), { levels: 1, parts: 1_000 }), 'parts')
  assert.equal(excessOf(`[${'0,'.repeat(1_000)}`, { levels: 1, parts: 1_000 }), 'parts')
  assert.equal(excessOf(`"${'['.repeat(1_000)}`, { levels: 1, parts: 1 }), undefined)
})

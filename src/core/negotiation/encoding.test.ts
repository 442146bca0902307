import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptedEncodings, CODINGS } from './encoding.ts'

const CASES: readonly (readonly [string | undefined, readonly string[]])[] = [
  [undefined, ['identity']],
  ['', ['identity']],
  ['gzip', ['gzip', 'identity']],
  ['gzip, deflate, br, zstd', ['br', 'zstd', 'gzip', 'identity']],
  ['GZip', ['gzip', 'identity']],
  ['x-gzip', ['gzip', 'identity']],
  ['br;q=0.5, gzip;q=0.9', ['gzip', 'br', 'identity']],
  ['br;q=0, gzip', ['gzip', 'identity']],
  ['*', ['br', 'zstd', 'gzip', 'identity']],
  ['*;q=0.1, gzip', ['gzip', 'br', 'zstd', 'identity']],
  ['identity', ['identity']],
  ['identity, gzip;q=0.5', ['identity', 'gzip']],
  ['gzip, identity;q=0', ['gzip']],
  ['gzip, *;q=0', ['gzip']],
  ['identity;q=0', ['identity']],
  ['*;q=0', ['identity']],
  ['gzip;q=2', ['identity']],
  ['gzip;q=', ['identity']],
  ['gzip;q=0.000', ['identity']],
  [' gzip ; q=1.000 ', ['gzip', 'identity']],
  ['deflate, compress', ['identity']],
  [',,gzip,,', ['gzip', 'identity']],
]

for (const [header, expected] of CASES)
  test(`Accept-Encoding ${JSON.stringify(header)} allows ${expected.join(', ')}`, () =>
    assert.deepEqual(acceptedEncodings(header), expected))

const coding = fc.constantFrom(...CODINGS, 'identity', 'deflate', '*')
const weighted = fc
  .tuple(coding, fc.integer({ min: 0, max: 1000 }))
  .map(([name, q]) => ({ name, q: q / 1000 }))

test('whatever is accepted has a weight, and none with more weight comes later', () => {
  fc.assert(
    fc.property(fc.uniqueArray(weighted, { selector: ({ name }) => name }), (list) => {
      const accepted = acceptedEncodings(list.map(({ name, q }) => `${name};q=${q}`).join(', '))
      const weigh = (name: string) =>
        list.find((item) => item.name === name)?.q ?? list.find((item) => item.name === '*')?.q
      const weights = accepted.map((name) => weigh(name) ?? 0)
      assert.ok(accepted.length > 0)
      assert.deepEqual(
        weights,
        [...weights].sort((a, b) => b - a),
      )
      for (const name of CODINGS) assert.equal(accepted.includes(name), (weigh(name) ?? 0) > 0)
    }),
  )
})

test('any text at all is read to something', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.ok(acceptedEncodings(text).length > 0)))
})

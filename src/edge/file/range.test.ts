import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { contentRange, type RangeRequest, readRange } from './range.ts'

const CASES: readonly (readonly [string, number, RangeRequest])[] = [
  ['bytes=0-4', 10, [{ start: 0, end: 5 }]],
  ['bytes=5-', 10, [{ start: 5, end: 10 }]],
  ['bytes=-3', 10, [{ start: 7, end: 10 }]],
  ['bytes=-30', 10, [{ start: 0, end: 10 }]],
  ['bytes=0-999', 10, [{ start: 0, end: 10 }]],
  [
    'Bytes = 0-0 , 9-9',
    10,
    [
      { start: 0, end: 1 },
      { start: 9, end: 10 },
    ],
  ],
  ['bytes=0-0,20-30', 10, [{ start: 0, end: 1 }]],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-12,20-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=', 10, 'ignored'],
  ['bytes=-', 10, 'ignored'],
  ['bytes=5-4', 10, 'ignored'],
  ['bytes=a-b', 10, 'ignored'],
  ['bytes=0-4,x', 10, 'ignored'],
  ['bytes=0x1-4', 10, 'ignored'],
  ['bytes=+1-4', 10, 'ignored'],
  ['items=0-4', 10, 'ignored'],
  ['0-4', 10, 'ignored'],
  ['bytes=0-9,0-9', 10, 'ignored'],
  [`bytes=${Array.from({ length: 33 }, (_, i) => `${i}-${i}`).join(',')}`, 1000, 'ignored'],
  ['bytes=0-99999999999999999999999999', 10, [{ start: 0, end: 10 }]],
]

for (const [header, size, expected] of CASES)
  test(`${header.slice(0, 40)} of ${size} bytes is ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(readRange(header, size), expected))

const spec = fc.oneof(
  fc.tuple(fc.nat(200), fc.nat(200)).map(([a, b]) => `${a}-${b}`),
  fc.nat(200).map((a) => `${a}-`),
  fc.nat(200).map((a) => `-${a}`),
  fc.string({ maxLength: 4 }),
)

test('spans are never empty, never outside the content, and never more than it together', () => {
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 6 }), fc.nat(100), (specs, size) => {
      const read = readRange(`bytes=${specs.join(',')}`, size)
      if (typeof read === 'string') return
      for (const { start, end } of read) assert.ok(0 <= start && start < end && end <= size)
      assert.ok(read.reduce((sum, { start, end }) => sum + end - start, 0) <= size)
    }),
  )
})

test('a span of a content is the bytes that the same range means in words', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), fc.integer({ min: 1, max: 100 }), (first, length, size) => {
      const read = readRange(`bytes=${first}-${first + length}`, size)
      if (first >= size) return assert.equal(read, 'unsatisfiable')
      assert.deepEqual(read, [{ start: first, end: Math.min(first + length + 1, size) }])
    }),
  )
})

test('a part is announced by its first and last byte', () => {
  assert.equal(contentRange({ start: 0, end: 5 }, 10), 'bytes 0-4/10')
})

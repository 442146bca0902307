import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { sha1, sha1ByHand } from './sha1.ts'

test('a page that has no WebCrypto names files as everybody does', async () => {
  // Around the ends of blocks, where the length does or does not fit in.
  for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 100_000]) {
    const bytes = new Uint8Array(length).map((_, at) => at * 7)
    const expected = hash('sha1', bytes)
    assert.equal(sha1ByHand(bytes), expected, String(length))
    assert.equal(await sha1(bytes), expected)
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(10), (bytes, from) => {
      const part = bytes.subarray(Math.min(from, bytes.length))
      assert.equal(sha1ByHand(part), hash('sha1', part))
    }),
  )
})

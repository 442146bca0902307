import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameEdges } from './websocket-frames.ts'

const frame = (length: number, isMasked = false): Buffer => {
  const mask = isMasked ? 0x80 : 0
  const head =
    length < 126
      ? [0x82, mask | length]
      : length < 65_536
        ? [0x82, mask | 126, length >> 8, length & 255]
        : [
            0x82,
            mask | 127,
            0,
            0,
            0,
            0,
            length >>> 24,
            (length >> 16) & 255,
            (length >> 8) & 255,
            length & 255,
          ]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(length + (isMasked ? 4 : 0), 0x88)])
}

test('between frames is where one has ended and the next has not begun, however they are cut', () => {
  const lengths = [0, 1, 125, 126, 300, 65_535, 65_536, 70_000]
  for (const isMasked of [false, true])
    for (const size of [1, 2, 3, 7, 1000, 1_000_000]) {
      const edges = new FrameEdges()
      const all = Buffer.concat(lengths.map((length) => frame(length, isMasked)))
      let ends = 0
      const seen = new Set<number>()
      for (const length of lengths) {
        ends += frame(length, isMasked).length
        seen.add(ends)
      }
      for (let at = 0; at < all.length; at += size) {
        edges.pass(all.subarray(at, at + size))
        const end = Math.min(at + size, all.length)
        assert.equal(edges.isBetween, seen.has(end), `after ${end} bytes, ${size} at a time`)
      }
    }
})

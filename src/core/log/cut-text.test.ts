import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { cutText } from './cut-text.ts'

it('leaves short texts alone', () => {
  for (const text of ['', 'a', 'Zoë 😀', 'x'.repeat(4096)]) assert.equal(cutText(text, 4096), text)
})

it('ends with a whole character', () => {
  assert.equal(cutText('ab😀', 5), 'ab')
  assert.equal(cutText('ab😀', 6), 'ab😀')
  assert.equal(cutText('é'.repeat(10), 5), 'éé')
})

it('answers the longest beginning that fits and that every database can hold', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 0, max: 80 }),
      (text, bytes) => {
        const cut = cutText(text, bytes)
        const whole = cutText(text, 8192)
        assert.ok(Buffer.byteLength(cut) <= bytes)
        assert.ok(whole.startsWith(cut))
        assert.ok(cut.isWellFormed() && !cut.includes('\0'))
        const next = [...whole.slice(cut.length)][0]
        assert.ok(next === undefined || Buffer.byteLength(cut + next) > bytes)
      },
    ),
  )
})

it('replaces half characters and NUL', () => {
  assert.equal(cutText('a\ud83d\0b', 100), 'a\ufffd\ufffdb')
})

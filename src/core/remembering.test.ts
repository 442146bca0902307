import assert from 'node:assert/strict'
import { it } from 'node:test'
import { remembering } from './remembering.ts'

it('works out short texts once, until there are too many of them', () => {
  const asked: string[] = []
  const upper = remembering(
    (text) => {
      asked.push(text)
      return text.toUpperCase()
    },
    { most: 2, longest: 3 },
  )
  const ask = (...texts: readonly string[]) => {
    asked.length = 0
    assert.deepEqual(
      texts.map((text) => upper(text)),
      texts.map((text) => text.toUpperCase()),
    )
    return [...asked]
  }
  assert.deepEqual(ask('a', 'a', 'abc', 'abc', 'a'), ['a', 'abc'])
  assert.deepEqual(ask('new', 'new'), ['new'])
  assert.deepEqual(ask('a', 'new'), ['a'])
  assert.deepEqual(ask('long', 'long'), ['long', 'long'])
})

it('does not remember what failed', () => {
  let count = 0
  const failing = remembering(
    () => {
      count++
      throw new Error('No')
    },
    { most: 2 },
  )
  assert.throws(() => failing('a'))
  assert.throws(() => failing('a'))
  assert.equal(count, 2)
})

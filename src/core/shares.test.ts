import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shares } from './shares.ts'

test('one has no more than its own, all together no more than there is, and what is given back is there again once', () => {
  const shares = new Shares({ all: 3, one: 2 })
  const [first, second] = [shares.take('a'), shares.take('a')]
  assert.ok(first && second)
  assert.equal(shares.take('a'), undefined)
  assert.ok(shares.take('b'))
  assert.equal(shares.take('c'), undefined)
  first()
  first()
  assert.ok(shares.take('a'))
  assert.equal(shares.take('a'), undefined)
  assert.equal(shares.take('c'), undefined)
})

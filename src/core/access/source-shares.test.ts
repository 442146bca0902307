import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceShares } from './source-shares.ts'

test('a source has its share, and all of them have theirs together', () => {
  const shares = new SourceShares({ all: 5, source: 3 })
  const mine = shares.take('2001:db8::1', 2)
  assert.ok(mine)
  assert.equal(shares.take('2001:db8::2', 2), undefined, 'it is the same source')
  assert.ok(shares.take('2001:db8::2', 1))
  assert.equal(shares.take('192.0.2.1', 3), undefined, 'it is too much for all')
  assert.ok(shares.take('192.0.2.1', 2))
  assert.equal(shares.take('192.0.2.2', 1), undefined)
  for (let n = 0; n < 3; n++) mine()
  assert.equal(shares.size, 3)
  assert.ok(shares.take('192.0.2.2', 2))
})

test('whoever has little gets it also where others have taken everything', () => {
  const shares = new SourceShares({ all: 4, source: 4, least: 2 })
  assert.ok(shares.take('192.0.2.1', 4))
  assert.ok(shares.take('192.0.2.2', 1))
  assert.ok(shares.take('192.0.2.2', 1))
  assert.equal(shares.take('192.0.2.2', 1), undefined)
  assert.equal(shares.take('192.0.2.1', 1), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestIds } from './request-id.ts'

test('ids begin with the origin, are of one length, never repeat, and end with the count', () => {
  const ids = new RequestIds('iad1')
  const seen = new Set<string>()
  for (let i = 0; i < 5000; i++) {
    const id = ids.next()
    assert.ok(id.endsWith(ids.count.toString('latin1')))
    seen.add(id)
  }
  assert.equal(seen.size, 5000)
  for (const id of seen) assert.match(id, /^iad1::[0-9a-f]{12}-[0-9a-z]{9}$/)
})

test('two processes make different ids', () => {
  assert.notEqual(new RequestIds('iad1').next(), new RequestIds('iad1').next())
})

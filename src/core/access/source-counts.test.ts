import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceCounts } from './source-counts.ts'

test('connections are counted by where they come from', () => {
  const counts = new SourceCounts()
  const leave = ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::'].map((address) => counts.add(address))
  assert.equal(counts.of('2001:db8::3'), 3)
  assert.equal(counts.of('2001:db8:0:1::3'), 0)
  counts.add('::ffff:192.0.2.1')
  assert.equal(counts.of('192.0.2.1'), 1)
  for (const one of [...leave, ...leave]) one()
  assert.equal(counts.of('2001:db8::3'), 0)
})

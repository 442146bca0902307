import assert from 'node:assert/strict'
import { test } from 'node:test'
import { broadcastOf, isWithin, normalRange } from './ipv4-range.ts'

test('a range begins with its first address', () => {
  assert.equal(normalRange('192.168.7.9/16'), '192.168.0.0/16')
  assert.equal(normalRange('10.0.0.1'), '10.0.0.1/32')
  assert.equal(normalRange('255.255.255.255/0'), '0.0.0.0/0')
  assert.equal(normalRange('fd00::/8'), undefined)
})

test('knows whether a range lies in another', () => {
  assert.ok(isWithin('10.0.0.0/8', '0.0.0.0/0'))
  assert.ok(isWithin('192.168.7.0/24', '192.168.0.0/16'))
  assert.ok(!isWithin('192.168.0.0/16', '192.168.7.0/24'))
  assert.ok(!isWithin('10.0.0.0/8', '172.16.0.0/12'))
})

test('a network is reached as a whole at its last address', () => {
  assert.equal(broadcastOf('203.0.113.9/24'), '203.0.113.255')
  assert.equal(broadcastOf('10.1.2.3/22'), '10.1.3.255')
  for (const range of ['203.0.113.8/31', '203.0.113.9/32', '2001:db8::9/64', ''])
    assert.equal(broadcastOf(range), undefined, range)
})

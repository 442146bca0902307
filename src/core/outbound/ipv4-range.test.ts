import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin, normalRange } from './ipv4-range.ts'

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

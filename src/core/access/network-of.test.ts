import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, sourceOf } from './network-of.ts'

test('whoever has an address of IPv6 has all that share its first half, and counts once', () => {
  const same = [
    '2001:db8:1:2::1',
    '2001:db8:1:2::ffff',
    '2001:0DB8:0001:0002:a:b:c:d',
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:db8:1:2::1%eth0',
  ]
  assert.deepEqual([...new Set(same.map(sourceOf))], ['2001:db8:1:2::/64'])
  const others = ['2001:db8:1:3::1', '2001:db8:2:2::1', '2001:db8::1', '::1', 'fe80::1%eth0']
  assert.equal(new Set([...same, ...others].map(sourceOf)).size, 1 + others.length)
})

test('an address of IPv4 counts for itself, however the socket writes it', () => {
  for (const ip of ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1'])
    assert.equal(sourceOf(ip), '192.0.2.1')
  assert.notEqual(sourceOf('192.0.2.1'), sourceOf('192.0.2.2'))
  assert.equal(sourceOf(''), '')
})

test('a network is wider than that', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2')
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2')
  assert.equal(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3:4::'))
  assert.equal(networkOf('::1'), '0:0:0')
})

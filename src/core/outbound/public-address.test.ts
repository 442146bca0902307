import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

test('addresses of this machine, of networks around it and of no single host are not public', () => {
  for (const address of [
    ...['127.0.0.1', '127.255.255.255', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
    ...['169.254.169.254', '100.64.0.1', '192.0.0.8', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'ff02::1', 'fec0::1'],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:10.0.0.1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ],
    ...['', 'localhost', '1.2.3', '127.1'],
  ])
    assert.equal(isPublicAddress(address), false, address)
})

test('other addresses are public, those of documentation too', () => {
  for (const address of [
    '1.1.1.1',
    '172.32.0.1',
    '11.0.0.1',
    '203.0.113.7',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
  ])
    assert.equal(isPublicAddress(address), true, address)
})

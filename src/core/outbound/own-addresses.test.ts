import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressesOfMachine } from './own-addresses.ts'

test('a machine hears at its own addresses, and at those that reach all in its networks', () => {
  const facts = { mac: '02:00:00:00:00:01', internal: false }
  assert.deepEqual(
    addressesOfMachine({
      eth0: [
        {
          ...facts,
          family: 'IPv4',
          address: '203.0.113.9',
          netmask: '255.255.255.0',
          cidr: '203.0.113.9/24',
        },
        {
          ...facts,
          family: 'IPv6',
          address: '2001:db8::9',
          netmask: 'ffff::',
          cidr: '2001:db8::9/16',
          scopeid: 0,
        },
      ],
      ppp0: [{ ...facts, family: 'IPv4', address: '198.51.100.4', netmask: '255.255.255.255', cidr: null }],
    }),
    ['203.0.113.9', '203.0.113.255', '2001:db8::9', '198.51.100.4'],
  )
})

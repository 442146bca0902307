import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDestinations } from './destinations.ts'

const OWN = ['127.0.0.1', '::1', '192.168.1.5', '203.0.113.9', '2001:db8::9']
const ownAddresses = () => OWN

test('runs reach the public internet, and those addresses are passed on as they are', () => {
  const { connectTo } = createDestinations({ ownAddresses })
  assert.deepEqual(connectTo('203.0.113.10', 443), { host: '203.0.113.10', port: 443 })
  assert.deepEqual(connectTo('2606:4700::1111', 80), { host: '2606:4700::1111', port: 80 })
})

test('they reach neither private networks, nor metadata services, nor this machine', () => {
  const { connectTo } = createDestinations({ ownAddresses })
  for (const address of [
    ...[
      '10.0.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '192.168.1.77',
      '198.19.255.2',
      '0.0.0.0',
    ],
    ...['::1', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '::ffff:203.0.113.9', 'not an address', ''],
    ...OWN,
  ])
    assert.equal(connectTo(address, 80), undefined, address)
})

test('ranges that the operator named are reached, this machine within them only when it is named alone', () => {
  const privateTargets = ['192.168.0.0/16', 'fd00::/8']
  const { connectTo } = createDestinations({ privateTargets, ownAddresses })
  assert.deepEqual(connectTo('192.168.1.77', 5432), { host: '192.168.1.77', port: 5432 })
  assert.deepEqual(connectTo('fd00::7', 5432), { host: 'fd00::7', port: 5432 })
  assert.equal(connectTo('192.168.1.5', 5432), undefined)
  assert.equal(connectTo('10.0.0.1', 5432), undefined)
  for (const named of ['192.168.1.5', '192.168.1.5/32']) {
    const own = createDestinations({ privateTargets: [named], ownAddresses })
    assert.deepEqual(own.connectTo('192.168.1.5', 5432), { host: '192.168.1.5', port: 5432 })
    assert.deepEqual(own.ownTargets, ['192.168.1.5'])
  }
})

test('an address that this machine gets later is refused from then on', () => {
  let time = 0
  let own: readonly string[] = []
  const { connectTo } = createDestinations({ ownAddresses: () => own, now: () => time })
  assert.ok(connectTo('203.0.113.9', 80))
  own = ['203.0.113.9']
  time += 60_000
  assert.equal(connectTo('203.0.113.9', 80), undefined)
})

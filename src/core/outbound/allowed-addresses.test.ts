import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowedAddresses } from './allowed-addresses.ts'

const OWN = ['127.0.0.1', '::1', '192.168.1.5', '203.0.113.9', '2001:db8::9', 'fe80::1%eth0']
const own = { ownAddresses: () => OWN }

test('public addresses are allowed, this machine’s own are not, in whatever form', () => {
  const allows = allowedAddresses([], own)
  for (const address of ['203.0.113.10', '2606:4700::1111']) assert.ok(allows(address, 443), address)
  for (const address of [
    ...OWN,
    '::ffff:203.0.113.9',
    '::ffff:cb00:7109',
    '168.63.129.16',
    '169.254.169.254',
  ])
    for (const port of [undefined, 443, 5432]) assert.equal(allows(address, port), false, address)
})

test('the public addresses of this machine are asked where it serves the public, and nowhere else', () => {
  const allows = allowedAddresses([], { ...own, servedPorts: [80, 443] })
  assert.ok(allows('203.0.113.9', 443))
  assert.ok(allows('2001:db8::9', 80))
  for (const [address, port] of [
    ['203.0.113.9', 5432],
    ['203.0.113.9', undefined],
    ['127.0.0.1', 443],
    ['192.168.1.5', 443],
  ] as const)
    assert.equal(allows(address, port), false, `${address} ${port}`)
})

test('the operator names what is allowed besides, addresses of the machine among it', () => {
  const allows = allowedAddresses(['127.0.0.0/8', '192.168.0.0/16'], own)
  for (const address of ['127.0.0.1', '192.168.1.5', '192.168.1.6']) assert.ok(allows(address, 9), address)
  assert.equal(allows('203.0.113.9', 9), false)
})

test('for code of users an address of the machine has to be named alone', () => {
  const strict = { ...own, ownNamedAlone: true }
  const allows = allowedAddresses(['192.168.0.0/16', '10.0.0.1'], strict)
  assert.ok(allows('192.168.1.6'))
  assert.ok(allows('10.0.0.1'))
  assert.equal(allows('192.168.1.5'), false)
  assert.ok(allowedAddresses(['192.168.1.5/32'], strict)('192.168.1.5'))
  assert.ok(allowedAddresses(['127.0.0.1'], strict)('127.0.0.1', 3000))
})

test('an address that the machine gets later is refused from then on', () => {
  let [time, addresses] = [0, ['203.0.113.9']]
  const allows = allowedAddresses([], { ownAddresses: () => addresses, now: () => time })
  assert.ok(allows('203.0.113.10', 80))
  addresses = ['203.0.113.10']
  time += 60_000
  assert.equal(allows('203.0.113.10', 80), false)
  assert.ok(allows('203.0.113.9', 80))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDestinations } from './destinations.ts'
import { ownSites, withOwnSites } from './own-sites.ts'

const listening = { domain: 'localhost', host: '0.0.0.0', port: 3000, tlsPort: 3443 }
const outside = createDestinations()
const isServed = async (name: string) => name === 'shop.example'

test('the usual ports lead to those that the machine serves on, and these to themselves', () => {
  assert.deepEqual(ownSites(listening), {
    ...{ domain: 'localhost', address: '127.0.0.1' },
    ports: { 80: 3000, 443: 3443, 3000: 3000, 3443: 3443 },
  })
  assert.deepEqual(ownSites({ ...listening, host: '192.0.2.1', port: 80, tlsPort: 0 }), {
    ...{ domain: 'localhost', address: '192.0.2.1' },
    ports: { 80: 80 },
  })
})

test('names of this installation lead to its sites, others to where the resolvers say', async () => {
  const { addressesOf } = withOwnSites(outside, ownSites(listening), isServed)
  assert.deepEqual(await addressesOf('a.localhost'), ['198.19.255.2'])
  assert.deepEqual(await addressesOf('shop.example'), ['198.19.255.2'])
  assert.equal(await addressesOf('registry.example'), undefined)
  assert.equal(await addressesOf('localhost'), undefined)

  // Where names under the domain exist in public, only those that are served are ours.
  const domain = 'example.com'
  const { addressesOf: inPublic } = withOwnSites(outside, ownSites({ ...listening, domain }), isServed)
  assert.equal(await inPublic('mail.example.com'), undefined)
})

test('nothing but the sites is reached there, by a caller whom nobody trusts more than others', () => {
  const { connectTo } = withOwnSites(outside, ownSites(listening), isServed)
  assert.deepEqual(connectTo('198.19.255.2', 443), {
    ...{ host: '127.0.0.1', port: 3443, localAddress: '127.0.0.2' },
  })
  const alone = withOwnSites(outside, ownSites({ ...listening, host: '192.0.2.1' }), isServed)
  assert.deepEqual(alone.connectTo('198.19.255.2', 443), {
    ...{ host: '192.0.2.1', port: 3443, localAddress: '127.0.0.2' },
  })
  assert.equal(connectTo('198.19.255.2', 5432), undefined)
  assert.equal(connectTo('127.0.0.1', 3443), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostsOf, isWithin } from './hosts.ts'

const deployment = {
  url: 'shop-abc.sites.test',
  alias: ['www.pending.com', 'shop.sites.test', 'www.example.com', 'shop-ada.sites.test', 'example.com'],
}

test('domains that work come first, those that may not come last', () => {
  assert.deepEqual(
    hostsOf(deployment, (host) => isWithin(host, ['example.com'])),
    ['example.com', 'www.example.com', 'shop.sites.test', 'shop-ada.sites.test', 'www.pending.com'],
  )
  assert.equal(hostsOf(deployment, () => false)[0], 'shop.sites.test')
})

test('without an alias it is found at its own address', () => {
  assert.deepEqual(
    hostsOf({ alias: [], url: 'a.sites.test' }, () => false),
    ['a.sites.test'],
  )
  assert.deepEqual(
    hostsOf({ alias: [], url: null }, () => false),
    [],
  )
})

test('a domain covers itself and what is below it, and nothing that only ends alike', () => {
  assert.equal(isWithin('badexample.com', ['example.com']), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyRequest } from '../http-message.ts'
import { senderOf } from './sender.ts'
import { createTrustedProxies } from './trusted-proxies.ts'

const RANGES = ['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48', 'fe80::/10']
const proxies = createTrustedProxies(RANGES)

interface Given {
  readonly peer?: string
  readonly forwardedFor?: string | string[] | undefined
  readonly proto?: string
  readonly host?: string
  readonly encrypted?: boolean
}

function requestOf({ peer = '10.0.0.1', forwardedFor, proto, host = 'site.test', encrypted }: Given) {
  const headers = { host, 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': proto }
  const socket = { remoteAddress: peer, localPort: 3000, ...(encrypted ? { encrypted } : {}) }
  const req = { headers, socket } as unknown as AnyRequest
  proxies?.note(req)
  return req
}

const addressOf = (forwardedFor: string | string[] | undefined, peer?: string): string =>
  senderOf(requestOf({ forwardedFor, ...(peer === undefined ? {} : { peer }) })).address

test('nobody is trusted unless somebody is named', () => {
  assert.equal(createTrustedProxies([]), undefined)
  const known: readonly [string | undefined, boolean][] = [
    ...(['10.1.2.3', '192.0.2.7', '2001:db8:1:2::3', '::ffff:10.1.2.3', 'fe80::1%eth0'] as const).map(
      (address): [string, boolean] => [address, true],
    ),
    ...(['11.1.2.3', '192.0.2.8', '2001:db8:2::3', '::ffff:11.1.2.3', '::10.1.2.3', '', 'x'] as const).map(
      (address): [string, boolean] => [address, false],
    ),
    [undefined, false],
  ]
  for (const [address, expected] of known) assert.equal(proxies?.has(address), expected, address)
})

test('code that runs here is never trusted, also where its address is in a range', () => {
  const local = createTrustedProxies(['127.0.0.0/8'])
  for (const [address, expected] of [
    ['127.0.0.1', true],
    ['127.0.0.2', false],
    ['::ffff:127.0.0.2', false],
  ] as const)
    assert.equal(local?.has(address), expected, address)
})

test('the visitor is the rightmost of the addresses that is no proxy', () => {
  const cases: readonly [string | string[] | undefined, string][] = [
    ['203.0.113.9', '203.0.113.9'],
    ['6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['6.6.6.6,203.0.113.9 ,10.0.0.2,\t192.0.2.7', '203.0.113.9'],
    [['6.6.6.6', '203.0.113.9, 10.0.0.2'], '203.0.113.9'],
    ['2001:DB8:0:0::9', '2001:db8::9'],
    ['6.6.6.6, 2001:db8::9, 2001:db8:1::4', '2001:db8::9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['203.0.113.9:5678', '203.0.113.9'],
    ['[2001:db8::9]:5678', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    // Nobody but proxies: the first of them asks for itself.
    ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
    [undefined, '10.0.0.1'],
  ]
  for (const [given, expected] of cases) assert.equal(addressOf(given), expected, String(given))
})

test('what is no address ends the chain at the proxy that passed it on', () => {
  const odd = [
    'unknown',
    '_hidden',
    '',
    ' ',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '203.0.113.9:x',
    '[1.2.3.4',
    'a'.repeat(30_000),
  ]
  for (const entry of [
    ...odd,
    '"203.0.113.9"',
    '203.0.113.9;6.6.6.6',
    'fe80::1%eth0',
    '2001:db8::9%25x',
    '[::1%lo]',
  ]) {
    assert.equal(addressOf(entry), '10.0.0.1', entry)
    assert.equal(addressOf(`6.6.6.6,${entry},10.0.0.2`), '10.0.0.2', entry)
    assert.equal(addressOf(`${entry}, 203.0.113.9`), '203.0.113.9', entry)
  }
})

test('a chain without an end is not read to its end', () => {
  const many = Array.from({ length: 5000 }, (_, n) => `10.0.0.${n % 250}`)
  assert.equal(addressOf(['6.6.6.6', ...many]), '10.0.0.234')
})

test('of anybody else nothing is believed', () => {
  const req = requestOf({ peer: '198.51.100.4', forwardedFor: '203.0.113.9', proto: 'https' })
  assert.deepEqual(senderOf(req), { address: '198.51.100.4', isSecure: false, port: 3000 })
  const secure = requestOf({ peer: '198.51.100.4', proto: 'http', encrypted: true })
  assert.equal(senderOf(secure).isSecure, true)
})

test('the proxy says whether the visitor spoke TLS, and the last of several says it', () => {
  const cases: readonly [string, boolean, boolean][] = [
    ['https', false, true],
    ['HTTPS', false, true],
    ['wss', false, true],
    ['http', true, false],
    ['ws', true, false],
    ['https, http', true, false],
    ['http,https', false, true],
    ['ftp', true, true],
    ['', false, false],
  ]
  for (const [proto, encrypted, expected] of cases)
    assert.equal(senderOf(requestOf({ proto, encrypted })).isSecure, expected, proto)
  assert.equal(senderOf(requestOf({ encrypted: true })).isSecure, true)
  assert.equal(senderOf(requestOf({})).isSecure, false)
})

test('the port is the one that the visitor has asked at', () => {
  const port = (given: Given) => senderOf(requestOf(given)).port
  assert.equal(port({ proto: 'https' }), 443)
  assert.equal(port({ proto: 'http' }), 80)
  assert.equal(port({ proto: 'https', host: 'site.test:8443' }), 8443)
  assert.equal(port({ proto: 'https', host: '[::1]:8443' }), 8443)
  for (const host of ['site.test:', 'site.test:0', 'site.test:99999', '[2001:db8::8443]'])
    assert.equal(port({ proto: 'https', host }), 443, host)
})

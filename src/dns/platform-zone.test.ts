import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Challenge } from '#core/certificate/challenge.ts'
import { clockOf } from '#test/support/clock.ts'
import { createZones, zoneOf } from '#test/support/dns/zones.ts'
import { createPlatformZone, type PublicAddress } from './platform-zone.ts'

const clock = clockOf(() => 1_000)
const challenge = (host: string, value: string): Challenge => ({
  kind: 'dns-01',
  host,
  token: value,
  value,
  expiresAt: 60_000,
})

const ADDRESSES: readonly PublicAddress[] = [{ address: '192.0.2.1' }, { address: '2001:db8::1' }]

function create(domain: string, challenges: readonly Challenge[] = [], addresses = ADDRESSES) {
  return createPlatformZone({
    domain,
    nameservers: [`ns1.${domain}`, 'ns.elsewhere.test'],
    addresses: () => addresses,
    challenges: {
      find: async (kind, host) => challenges.filter((one) => one.kind === kind && one.host === host),
    },
    clock,
    users: createZones(zoneOf('example.com', []), zoneOf('alias.localhost', [])),
  })
}

test('the domain, all that is under it and its servers have the public addresses', async () => {
  const zone = await create('platform.test').find('a.b.platform.test')
  assert.equal(zone?.name, 'platform.test')
  assert.deepEqual(
    zone.records.map(({ name, type, value }) => `${name} ${type} ${value}`),
    ['platform.test', '*.platform.test', 'alias.platform.test', 'ns1.platform.test'].flatMap((name) => [
      `${name} A 192.0.2.1`,
      `${name} AAAA 2001:db8::1`,
    ]),
  )
})

test('what is not the platform’s is for the zones of users, and a domain of one machine has none', async () => {
  const platform = create('platform.test')
  assert.equal((await platform.find('www.example.com'))?.name, 'example.com')
  assert.equal(await platform.find('notplatform.test'), undefined)
  assert.equal((await create('localhost').find('alias.localhost'))?.name, 'alias.localhost')
})

test('proofs for certificates are found beside the names that they are for', async () => {
  const platform = create('platform.test', [
    challenge('platform.test', 'one'),
    challenge('platform.test', 'two'),
    challenge('shop.platform.test', 'three'),
  ])
  const texts = async (name: string) =>
    (await platform.find(name))?.records.map(({ name: at, value }) => `${at} ${value}`)
  assert.deepEqual(await texts('_acme-challenge.platform.test'), [
    '_acme-challenge.platform.test one',
    '_acme-challenge.platform.test two',
  ])
  assert.deepEqual(await texts('_acme-challenge.shop.platform.test'), [
    '_acme-challenge.shop.platform.test three',
  ])
  assert.equal((await platform.find('shop.platform.test'))?.name, 'platform.test')
  assert.equal((await platform.find('_acme-challenge.other.platform.test'))?.name, 'platform.test')
  assert.equal((await platform.find('x_acme-challenge.shop.platform.test'))?.name, 'platform.test')
})

test('machines in several regions are named with theirs, and each region has its own name of the API', async () => {
  const zone = await create(
    'platform.test',
    [],
    [
      { address: '192.0.2.1', origin: 'bru1' },
      { address: '192.0.2.2', origin: 'hnd1' },
    ],
  ).find('platform.test')
  const of = (name: string) =>
    zone?.records
      .filter((record) => record.name === name)
      .map(({ value, origin = 'any', ttl }) => `${value} ${origin} ${ttl}`)
  assert.deepEqual(of('*.platform.test'), ['192.0.2.1 bru1 5', '192.0.2.2 hnd1 5'])
  assert.deepEqual(of('api-hnd1.platform.test'), ['192.0.2.2 any 5'])
  assert.equal(of('ns1.platform.test')?.length, 2, 'a server of the zone is asked wherever one is')
  assert.ok(of('ns1.platform.test')?.every((record) => record.includes(' any ')))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, encode } from 'dns-packet'
import { clockOf } from '#test/support/clock.ts'
import { createZones, zoneOf } from '#test/support/dns/zones.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createPlatformZone, type PublicAddress } from './platform-zone.ts'
import { Responder } from './responder.ts'

const HERE = { address: '192.0.2.1', origin: 'bru1' }
const THERE = { address: '192.0.2.2', origin: 'hnd1' }

function createWorld() {
  const state: { addresses: readonly PublicAddress[] } = { addresses: [HERE, THERE] }
  const responder = new Responder({
    zones: createPlatformZone({
      ...{ domain: 'platform.test', nameservers: ['ns1.platform.test'] },
      addresses: () => state.addresses,
      challenges: { find: async () => [] },
      clock: clockOf(() => 1_000),
      users: createZones(zoneOf('example.com', [['', 'ALIAS', 'alias.platform.test']])),
    }),
    resolver: undefined as never,
    clock: clockOf(() => 1_000),
    log: silentLog,
    cookieSecret: Buffer.alloc(16, 7),
    networks: [
      { address: '10.1.0.0', prefix: 16, origin: 'bru1' },
      { address: '10.1.9.0', prefix: 24, origin: 'hnd1' },
      { address: '2001:db8::', prefix: 32, origin: 'hnd1' },
    ],
  })
  const send = async (name: string, from: string, options: readonly object[] = []) => {
    const additionals =
      options.length > 0 ? [{ type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0, options }] : []
    const packet = encode({ type: 'query', id: 7, questions: [{ name, type: 'A' }], additionals } as never)
    const reply = await responder.respond(packet, from, false)
    assert.ok(reply, 'no answer')
    // What is sent to many is written over for the next asker.
    return decode(Buffer.from(reply)) as ReturnType<typeof decode> & { rcode: string }
  }
  const ask = async (name: string, from: string, options?: readonly object[]) =>
    ((await send(name, from, options)).answers ?? [])
      .map((answer) => String('data' in answer && answer.data))
      .toSorted()
  return { state, responder, send, ask }
}

const subnet = (ip: string, sourcePrefixLength: number) => [
  { code: 'CLIENT_SUBNET', family: ip.includes(':') ? 2 : 1, sourcePrefixLength, scopePrefixLength: 0, ip },
]
const BOTH = [HERE.address, THERE.address]

test('who asks from a network is told of the machines that are nearest, by the smallest network', async () => {
  const { ask } = createWorld()
  for (const name of ['platform.test', 'shop.platform.test', 'example.com'])
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await ask(name, '10.1.2.3'), [HERE.address], name)
      assert.deepEqual(await ask(name, '10.1.9.3'), [THERE.address], name)
      assert.deepEqual(await ask(name, '::ffff:10.1.9.3'), [THERE.address], name)
      assert.deepEqual(await ask(name, '2001:db8::7'), [THERE.address], name)
      assert.deepEqual(await ask(name, '203.0.113.1'), BOTH, 'of others nobody knows')
    }
  assert.deepEqual(await ask('api-bru1.platform.test', '10.1.9.3'), [HERE.address], 'that one was asked for')
  assert.deepEqual(await ask('ns1.platform.test', '10.1.9.3'), BOTH)
})

test('the client of a resolver counts before the resolver, and the answer says for which network it holds', async () => {
  const { ask, send } = createWorld()
  assert.deepEqual(await ask('platform.test', '203.0.113.1', subnet('10.1.9.0', 24)), [THERE.address])
  assert.deepEqual(await ask('platform.test', '10.1.9.3', subnet('10.1.2.0', 24)), [HERE.address])
  const scope = async (ip: string, bits: number) => {
    const { additionals = [] } = await send('platform.test', '203.0.113.1', subnet(ip, bits))
    const [opt] = additionals as unknown as { options: { scopePrefixLength: number; ip: string }[] }[]
    return opt?.options.map(({ ip: at, scopePrefixLength }) => `${at}/${scopePrefixLength}`)
  }
  assert.deepEqual(await scope('10.1.2.0', 24), ['10.1.2.0/16'])
  assert.deepEqual(await scope('10.1.9.0', 24), ['10.1.9.0/24'])
  assert.deepEqual(await scope('198.51.100.0', 24), ['198.51.100.0/24'])
  const wrong = await send('platform.test', '203.0.113.1', [{ code: 8, data: Buffer.of(0, 1, 33, 0, 1) }])
  assert.equal(wrong.rcode, 'FORMERR')
})

test('a region without machines is answered with all, and one that is lost is left out at once', async () => {
  const { ask, state, responder } = createWorld()
  assert.deepEqual(await ask('platform.test', '10.1.9.3'), [THERE.address])
  state.addresses = [HERE]
  responder.invalidate('platform.test')
  assert.deepEqual(await ask('platform.test', '10.1.9.3'), [HERE.address])
  assert.deepEqual(await ask('example.com', '10.1.9.3'), [HERE.address])
})

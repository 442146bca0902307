import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { decode, encode } from 'dns-packet'
import fc from 'fast-check'
import type { Addresses } from '#core/ports/resolver.ts'
import { createTestClock } from '#test/support/clock.ts'
import { question } from '#test/support/dns/dns-client.ts'
import { createResolver, createZones, type ZoneWorld, zoneOf } from '#test/support/dns/zones.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { RateLimits } from './rate-limit.ts'
import { Responder } from './responder.ts'

const PLENTY = { perAnswer: 1e6, perNetwork: 1e6 }

function createWorld(
  given: { zones?: ZoneWorld; names?: Record<string, Addresses | 'fails'>; limits?: RateLimits } = {},
) {
  const zones =
    given.zones ??
    createZones(
      zoneOf('example.com', [
        ['', 'ALIAS', 'far.example.net'],
        ['www', 'A', '192.0.2.1'],
        ['long', 'TXT', 'x'.repeat(3000)],
        ['*', 'CNAME', 'www.example.com'],
      ]),
    )
  const clock = { time: 1_000_000, now: () => clock.time, monotonic: () => clock.time }
  const resolver = createResolver(given.names)
  const responder = new Responder({
    zones,
    resolver,
    clock,
    log: silentLog,
    cookieSecret: Buffer.alloc(16, 7),
    limits: given.limits ?? PLENTY,
  })
  const send = async (packet: Buffer, address = '198.51.100.7', isTcp = false) =>
    responder.respond(packet, address, isTcp)
  const ask = async (name: string, type = 'A', udpBytes?: number) => {
    const reply = await send(question({ name, type, ...(udpBytes === undefined ? {} : { udpBytes }) }, 7))
    assert.ok(reply, 'no answer')
    const packet = decode(reply) as ReturnType<typeof decode> & { rcode: string; flag_tc: boolean }
    return [packet.rcode, ...(packet.answers ?? []).map((a) => ('data' in a ? String(a.data) : ''))]
  }
  return { zones, clock, resolver, responder, send, ask }
}

const query = question({ name: 'www.example.com', type: 'A', udpBytes: 1232 }, 7)

test('a question that was cut off anywhere is answered as malformed', async () => {
  const { send } = createWorld()
  for (let length = 12; length < query.length; length++) {
    const reply = await send(Buffer.from(query.subarray(0, length)))
    assert.equal((reply?.[3] as number) & 15, 1, `${length} bytes`)
  }
})

test('whatever is sent, the answer is small, is no answer to an answer, and nothing throws', async () => {
  const { send } = createWorld()
  const packet = fc.oneof(
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    // A question with some bytes changed, cut off or added.
    fc
      .tuple(
        fc.array(fc.tuple(fc.nat(query.length - 1), fc.nat(255)), { maxLength: 6 }),
        fc.nat(query.length),
        fc.uint8Array({ maxLength: 40 }),
      )
      .map(([changes, length, more]) => {
        const bytes = Buffer.from(query)
        for (const [at, byte] of changes) bytes[at] = byte
        return Buffer.concat([bytes.subarray(0, length === 0 ? bytes.length : length), more])
      }),
  )
  await fc.assert(
    fc.asyncProperty(packet, async (bytes) => {
      const isAnswer = bytes.length >= 12 && ((bytes[2] as number) & 0x80) !== 0
      const reply = await send(Buffer.from(bytes))
      if (bytes.length < 12 || isAnswer) assert.equal(reply, undefined)
      if (reply === undefined) return
      assert.ok(reply.length <= 1232)
      assert.deepEqual([...reply.subarray(0, 2)], [...bytes.subarray(0, 2)])
      assert.ok(((reply[2] as number) & 0x80) !== 0)
      decode(reply)
    }),
    { numRuns: 2000, seed: 53 },
  )
})

test('the asker gets its own spelling, id and flags back, also of what is kept', async () => {
  const { send } = createWorld()
  for (const [name, id] of [
    ['www.example.com', 1],
    ['WWW.eXample.com', 2],
    ['wWw.example.COM', 65_535],
  ] as const)
    for (const udpBytes of [undefined, 1232]) {
      const packet = question({ name, type: 'A', ...(udpBytes ? { udpBytes } : {}) }, id)
      packet[2] = id & 1
      const reply = await send(packet)
      assert.ok(reply)
      assert.equal(reply.readUInt16BE(0), id)
      assert.equal((reply[2] as number) & 1, id & 1)
      assert.equal(decode(reply).questions?.[0]?.name, name)
      assert.equal(decode(reply).additionals?.length, udpBytes ? 1 : 0)
    }
})

test('what is too long for UDP is said to be, and comes over TCP', async () => {
  const { send } = createWorld()
  for (const udpBytes of [undefined, 512, 65_535]) {
    const packet = question({ name: 'long.example.com', type: 'TXT', ...(udpBytes ? { udpBytes } : {}) }, 1)
    const short = await send(packet)
    assert.ok(short && ((short[2] as number) & 2) !== 0 && short.length < 100)
    const whole = await send(packet, '198.51.100.7', true)
    assert.ok(whole && whole.length > 3000 && ((whole[2] as number) & 2) === 0)
  }
})

test('versions of EDNS and operations that we do not know, other classes, zones that are not ours', async () => {
  const { send, ask } = createWorld()
  const newer = Buffer.from(query)
  newer[newer.length - 5] = 1
  const reply = await send(newer)
  assert.ok(reply)
  assert.partialDeepStrictEqual(decode(reply).additionals, [{ extendedRcode: 1 }])
  const update = Buffer.from(query)
  update[2] = 0x28
  assert.equal((await send(update))?.[3], 4)
  const chaos = question({ name: 'www.example.com', type: 'A' }, 1)
  chaos[chaos.length - 1] = 3
  assert.equal((await send(chaos))?.[3], 5)
  assert.deepEqual(await ask('www.example.org'), ['REFUSED'])
  assert.deepEqual(await ask('example.com', 'AXFR'), ['REFUSED'])
})

test('a change is answered at once, and a lost message is made up for', async () => {
  const { ask, zones, responder, clock } = createWorld()
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.1'])
  zones.set(zoneOf('example.com', [['www', 'A', '192.0.2.9']], 2))
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.1'])
  responder.invalidate('example.com')
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.9'])
  zones.remove('example.com')
  clock.time += 61_000
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.9'], 'looked up in the background')
  await setImmediate()
  assert.deepEqual(await ask('www.example.com'), ['REFUSED'])
})

test('a database that is down does not take zones away, and others fail', async () => {
  const { ask, zones, responder } = createWorld()
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.1'])
  zones.isDown = true
  responder.invalidate('example.com')
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.1'])
  assert.deepEqual(await ask('www.example.org'), ['SERVFAIL'])
})

test('a zone inside of another is answered from itself', async () => {
  const { ask, zones, responder } = createWorld()
  assert.deepEqual(await ask('a.sub.example.com'), ['NOERROR', 'www.example.com', '192.0.2.1'])
  zones.set(zoneOf('sub.example.com', [['a', 'A', '192.0.2.77']]))
  responder.invalidate('sub.example.com')
  assert.deepEqual(await ask('a.sub.example.com'), ['NOERROR', '192.0.2.77'])
  assert.deepEqual(await ask('b.example.com'), ['NOERROR', 'www.example.com', '192.0.2.1'])
})

test('a name that stands for one in a zone inside of its own is no circle, and has that one’s addresses', async () => {
  const outer = zoneOf('example.com', [
    ['', 'ALIAS', 'shop.example.com'],
    ['*', 'CNAME', 'alias.apps.example.com'],
    ['shop', 'CNAME', 'app.sub.example.com'],
    ['dead', 'CNAME', 'none.sub.example.com'],
    ['app.sub', 'A', '192.0.2.1'],
  ])
  const apps = zoneOf('apps.example.com', [['*', 'A', '192.0.2.7']])
  const sub = zoneOf('sub.example.com', [['app', 'A', '192.0.2.8']])
  for (const first of ['www.example.com', 'alias.apps.example.com', 'shop.example.com']) {
    const { ask } = createWorld({ zones: createZones(outer, apps, sub) })
    await ask(first)
    assert.deepEqual(await ask('www.example.com'), ['NOERROR', 'alias.apps.example.com'])
    assert.deepEqual(await ask('alias.apps.example.com'), ['NOERROR', '192.0.2.7'])
    assert.deepEqual(await ask('shop.example.com'), ['NOERROR', 'app.sub.example.com'])
    assert.deepEqual(await ask('dead.example.com'), ['NOERROR', 'none.sub.example.com'])
    assert.deepEqual(await ask('example.com'), ['NOERROR', '192.0.2.8'])
  }
})

test('a chain as long as may be is followed, whatever has to be looked up for it', async () => {
  const names = Array.from({ length: 14 }, (_, i) => [`n${i}`, 'CNAME', `n${i + 1}.example.com`] as const)
  const { ask } = createWorld({
    zones: createZones(zoneOf('example.com', [...names, ['n14', 'A', '192.0.2.1']])),
  })
  assert.equal((await ask('n0.example.com')).at(-1), '192.0.2.1')
})

test('random names cost a bounded number of look-ups', async () => {
  const { send, ask, zones } = createWorld()
  await ask('www.example.com')
  for (let i = 0; i < 5000; i++) {
    await send(question({ name: `r${i}.example.com`, type: 'A' }, 1))
    await send(question({ name: `r${i}.example.org`, type: 'A' }, 1))
  }
  assert.ok(zones.asked.length < 1200, `${zones.asked.length} look-ups`)
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.1'])
})

test('names that no zone can have are never looked up', async () => {
  const { send, zones } = createWorld()
  const packet = question({ name: 'a.example.com', type: 'A' }, 1)
  packet[13] = 0
  await send(packet)
  assert.deepEqual(
    zones.asked,
    ['example.com', 'www.example.com'],
    'the zone, and what its wildcard leads to',
  )
})

test('an ALIAS has the addresses of its target, for as long as those may be kept, and older ones when nobody answers', async () => {
  const names: Record<string, Addresses | 'fails'> = {
    'far.example.net': { addresses: ['203.0.113.1'], ttl: 30 },
  }
  const { ask, clock, resolver } = createWorld({ names })
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.1'])
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.1'])
  assert.equal(resolver.asked.length, 1)
  names['far.example.net'] = { addresses: ['203.0.113.2'], ttl: 30 }
  clock.time += 31_000
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.1'], 'looked up in the background')
  await setImmediate()
  clock.time += 1_000
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.2'])
  names['far.example.net'] = 'fails'
  clock.time += 3600_000
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.2'])
  clock.time += 25 * 3600_000
  assert.deepEqual(await ask('example.com'), ['SERVFAIL'])
})

test('an ALIAS to a zone of ours, to this machine, and in a circle needs nobody else', async () => {
  const zones = createZones(
    zoneOf('example.com', [
      ['', 'ALIAS', 'alias.example.net'],
      ['local', 'ALIAS', 'alias.localhost'],
      ['round', 'ALIAS', 'about.example.com'],
      ['about', 'ALIAS', 'round.example.com'],
    ]),
    zoneOf('example.net', [['alias', 'A', '192.0.2.5']]),
  )
  const { ask, responder, resolver } = createWorld({ zones })
  assert.deepEqual(await ask('example.com'), ['NOERROR', '192.0.2.5'])
  assert.deepEqual(await ask('local.example.com', 'AAAA'), ['NOERROR', '::1'])
  assert.deepEqual(await ask('round.example.com'), ['SERVFAIL'])
  zones.set(zoneOf('example.net', [['alias', 'A', '192.0.2.6']]))
  responder.invalidate('example.net')
  assert.deepEqual(await ask('example.com'), ['NOERROR', '192.0.2.6'])
  assert.deepEqual(resolver.asked, [])
})

/** A zone whose owner's nameserver says nothing until it is told to, and one of somebody else. */
function createSilentWorld(targets: number) {
  const { promise: silence, resolve: speak } = Promise.withResolvers<void>()
  const known: Record<string, Addresses> = { 'far.example.net': { addresses: ['203.0.113.1'], ttl: 30 } }
  const names = Array.from({ length: targets }, (_, i) => [`n${i}`, 'ALIAS', `n${i}.silent.example`] as const)
  const world = createWorld({
    zones: createZones(
      zoneOf('evil.example', [...names, ['shared', 'ALIAS', 'far.example.net']]),
      zoneOf('example.com', [
        ['', 'ALIAS', 'far.example.net'],
        ['www', 'A', '192.0.2.1'],
      ]),
    ),
    names: known,
  })
  const { resolver, ask } = world
  const { a } = resolver
  resolver.a = async (name) => {
    if (name.endsWith('.silent.example')) await silence
    return a(name)
  }
  return { ...world, known, speak, begin: () => ask('none.evil.example') }
}

test('an ALIAS that nobody says the addresses of lets a few questions wait, and those of other zones are answered', async () => {
  const { send, ask, begin, speak } = createSilentWorld(2)
  await begin()
  const waiting: Promise<Buffer | undefined>[] = []
  for (let i = 0; i < 2500; i++)
    waiting.push(send(question({ name: `n${i % 2}.evil.example`, type: 'A' }, 1)))
  assert.deepEqual(await ask('www.example.com'), ['NOERROR', '192.0.2.1'])
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.1'])
  speak()
  const answered = (await Promise.all(waiting)).filter((reply) => reply !== undefined)
  assert.equal(answered.length, 50)
})

test('an account whose targets are all silent has a few of them looked up, and those of others are', async () => {
  const { send, ask, begin, speak, clock, known, resolver } = createSilentWorld(600)
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.1'])
  await begin()
  const waiting: Promise<Buffer | undefined>[] = []
  for (let i = 0; i < 600; i++) waiting.push(send(question({ name: `n${i}.evil.example`, type: 'A' }, 1)))
  await setImmediate()
  known['far.example.net'] = { addresses: ['203.0.113.2'], ttl: 30 }
  clock.time += 3600_000
  assert.deepEqual(await ask('shared.evil.example'), ['NOERROR', '203.0.113.1'], 'what is known, however old')
  assert.deepEqual(await ask('example.com'), ['NOERROR', '203.0.113.2'])
  assert.equal(resolver.asked.filter((name) => name === 'far.example.net').length, 2)
  speak()
  await Promise.all(waiting)
})

test('one network gets so many answers a second; others and those over TCP or with a cookie are not held back', async () => {
  const { send, clock } = createWorld({ limits: { perAnswer: 5, perNetwork: 1000 } })
  const kinds = async (address: string, packet = query) => {
    const counts = { whole: 0, short: 0, none: 0 }
    for (let i = 0; i < 30; i++) {
      const reply = await send(packet, address)
      if (reply === undefined) counts.none++
      else if (((reply[2] as number) & 2) !== 0) counts.short++
      else counts.whole++
    }
    return counts
  }
  assert.deepEqual(await kinds('203.0.113.1'), { whole: 10, short: 10, none: 10 })
  assert.deepEqual(await kinds('203.0.113.200'), { whole: 0, short: 15, none: 15 })
  assert.deepEqual(await kinds('203.0.114.1'), { whole: 10, short: 10, none: 10 })
  assert.deepEqual(await kinds('2001:db8:1:2ff::1'), { whole: 10, short: 10, none: 10 })
  assert.deepEqual(await kinds('2001:db8:1:201::9'), { whole: 0, short: 15, none: 15 })
  assert.ok(await send(query, '203.0.113.1', true))
  clock.time += 1000
  assert.deepEqual(await kinds('203.0.113.1'), { whole: 5, short: 13, none: 12 })

  const heavy = createWorld({
    limits: { perAnswer: 1000, perNetwork: 50 },
    zones: createZones(
      zoneOf(
        'example.com',
        Array.from({ length: 100 }, (_, n) => [`n${n}`, 'TXT', 'x'.repeat(1000)] as const),
      ),
    ),
  })
  let bytes = 0
  for (let n = 0; n < 100; n++) {
    const asked = question({ name: `n${n}.example.com`, type: 'TXT', udpBytes: 4096 }, n)
    bytes += (await heavy.send(asked, '203.0.113.1'))?.length ?? 0
  }
  // What is sent in a moment to one network, whatever the names, is bounded in bytes, not in packets alone.
  assert.ok(bytes < 2 * 50 * 128 + 100 * 64, String(bytes))

  const withCookie = (cookie: Buffer) =>
    encode({
      type: 'query',
      id: 1,
      questions: [{ name: 'www.example.com', type: 'A' }],
      additionals: [
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: 1232,
          flags: 0,
          options: [{ code: 10, data: cookie }],
        } as never,
      ],
    })
  const first = await send(withCookie(Buffer.from('12345678')), '192.0.2.200')
  assert.ok(first)
  const cookie = first.subarray(first.length - 24)
  assert.equal(cookie.subarray(0, 8).toString(), '12345678')
  assert.deepEqual(await kinds('192.0.2.200', withCookie(cookie)), { whole: 30, short: 0, none: 0 })
  assert.equal(
    (await kinds('192.0.2.201', withCookie(cookie))).whole < 30,
    true,
    'a cookie is for one address',
  )
})

test('a lost message is made up for within a minute on a clock that was set back', async () => {
  const clock = createTestClock()
  const zones = createZones(zoneOf('example.com', [['www', 'A', '192.0.2.1']]))
  const options = { clock, log: silentLog, cookieSecret: Buffer.alloc(16, 7), limits: PLENTY }
  const responder = new Responder({ zones, resolver: createResolver({}), ...options })
  const ask = async () => responder.respond(query, '198.51.100.7', false)
  assert.ok(await ask())
  const before = zones.asked.length
  clock.jump(-86_400_000)
  await ask()
  assert.equal(zones.asked.length, before)
  clock.advance(61_000)
  await ask()
  assert.ok(zones.asked.length > before)
})

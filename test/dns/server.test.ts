import assert from 'node:assert/strict'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { connect } from 'node:net'
import os from 'node:os'
import { type TestContext, test } from 'node:test'
import { decode } from 'dns-packet'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { ZONES_TOPIC } from '#core/dns/zone.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { type DnsServerOptions, startDnsServer } from '#dns/server.ts'
import { createDnsClient, question } from '#test/support/dns/dns-client.ts'
import { createResolver, createZones, zoneOf } from '#test/support/dns/zones.ts'
import { createGapBus } from '#test/support/gap-bus.ts'
import { silentLog } from '#test/support/silent-log.ts'

async function start(t: TestContext, options: Partial<DnsServerOptions> = {}) {
  const zones = createZones(zoneOf('example.com', [['www', 'A', '192.0.2.1']]))
  const bus = createMemoryBus({ log: silentLog })
  const server = await startDnsServer({
    host: '127.0.0.1',
    port: 0,
    zones,
    bus,
    resolver: createResolver(),
    clock: systemClock,
    log: silentLog,
    cookieSecret: Buffer.alloc(16, 1),
    ...options,
  })
  t.after(() => server.drain(1000))
  return { zones, bus, server }
}

const framed = (...packets: readonly Buffer[]): Buffer =>
  Buffer.concat(packets.flatMap((packet) => [Buffer.of(packet.length >> 8, packet.length & 255), packet]))

function unframed(bytes: Buffer): Buffer[] {
  const packets: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 2 + bytes.readUInt16BE(at))
    packets.push(bytes.subarray(at + 2, at + 2 + bytes.readUInt16BE(at)))
  return packets
}

test('questions of one TCP connection are all answered, in whatever pieces they come', async (t) => {
  const { server } = await start(t)
  const socket = connect(server.port, '127.0.0.1')
  const questions = Array.from({ length: 150 }, (_, id) =>
    question({ name: id % 2 === 0 ? 'www.example.com' : `n${id}.example.com`, type: 'A' }, id),
  )
  const bytes = framed(...questions)
  for (let at = 0; at < bytes.length; at += 37) socket.write(bytes.subarray(at, at + 37))
  socket.end()
  const answers = unframed(Buffer.concat(await socket.toArray())).map((packet) => decode(packet))
  assert.deepEqual(
    answers.map(({ id }) => id ?? 0).sort((a, b) => a - b),
    [...questions.keys()],
  )
  for (const { id = 0, answers: records = [] } of answers) assert.equal(records.length, id % 2 === 0 ? 1 : 0)
})

test('a TCP connection that is too long a question, an answer, or one too many is closed', async (t) => {
  const { server } = await start(t, { tcpLimits: { maxPerAddress: 2 } })
  const answer = question({ name: 'www.example.com', type: 'A' }, 1)
  answer[2] = 0x80
  for (const bytes of [Buffer.of(0xff, 0xff, 0), framed(answer)]) {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(bytes)
    assert.equal(Buffer.concat(await socket.toArray()).length, 0)
  }
  const kept = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')]
  await Promise.all(kept.map((socket) => once(socket, 'connect')))
  const third = connect(server.port, '127.0.0.1').on('error', () => {})
  await once(third, 'close')
  for (const socket of kept) socket.destroy()
})

test('a silent TCP connection is closed', async (t) => {
  const { server } = await start(t, { tcpLimits: { idleMs: 20 } })
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  socket.resume()
  await once(socket, 'close')
})

test('several servers share a port, and all of them hear of a change', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const first = await start(t, { reusePort: true })
  const { port } = first.server
  await start(t, { ...first, reusePort: true, port })
  const clients = await Promise.all(Array.from({ length: 12 }, () => createDnsClient(port)))
  t.after(() => Promise.all(clients.map((client) => client.close())))
  const all = async () =>
    new Set(
      await Promise.all(
        clients.map(async (client) => {
          const { packet } = await client.ask({ name: 'www.example.com', type: 'A' })
          return JSON.stringify(packet.answers?.map((record) => 'data' in record && record.data))
        }),
      ),
    )
  assert.deepEqual(await all(), new Set(['["192.0.2.1"]']))
  first.zones.set(zoneOf('example.com', [['www', 'A', '192.0.2.2']]))
  first.bus.publish(ZONES_TOPIC, 'example.com')
  await Promise.resolve()
  assert.deepEqual(await all(), new Set(['["192.0.2.2"]']))
})

test('after a gap in the messages zones are looked up again', async (t) => {
  const { bus, announceGap } = createGapBus()
  const { zones, server } = await start(t, { bus })
  const client = await createDnsClient(server.port)
  t.after(() => client.close())
  const addresses = async () => {
    const { packet } = await client.ask({ name: 'www.example.com', type: 'A' })
    return packet.answers?.map((record) => 'data' in record && record.data)
  }
  assert.deepEqual(await addresses(), ['192.0.2.1'])
  zones.set(zoneOf('example.com', [['www', 'A', '192.0.2.2']]))
  assert.deepEqual(await addresses(), ['192.0.2.1'])
  announceGap()
  assert.deepEqual(await addresses(), ['192.0.2.2'])
})

test('a drain lets answers over TCP end that are under way', async (t) => {
  const zones = createZones(zoneOf('example.com', [['www', 'A', '192.0.2.1']]))
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { server } = await start(t, {
    zones: {
      async find(name) {
        asked.resolve()
        await answer.promise
        return zones.find(name)
      },
    },
  })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(framed(question({ name: 'www.example.com', type: 'A' }, 9)))
  await asked.promise
  const drained = server.drain(60_000)
  answer.resolve()
  const [packet] = unframed(Buffer.concat(await socket.toArray()))
  assert.ok(packet)
  assert.equal(decode(packet).id, 9)
  socket.destroy()
  await drained
})

test('an address of the machine that cannot be listened on keeps the others from nothing', async (t) => {
  const own = (address: string) => ({ address, family: 'IPv4' }) as os.NetworkInterfaceInfo
  // The second is for documentation, so no machine has it: as one whose interface went away a moment ago.
  const interfaces = t.mock.method(os, 'networkInterfaces', () => ({
    lo: [own('127.0.0.1'), own('192.0.2.7')],
  }))
  syncBuiltinESMExports()
  t.after(() => {
    interfaces.mock.restore()
    syncBuiltinESMExports()
  })
  const { server } = await start(t, { host: '0.0.0.0', reusePort: true })
  const client = await createDnsClient(server.port)
  t.after(() => client.close())
  const { packet } = await client.ask({ name: 'www.example.com', type: 'A' })
  assert.equal(packet.answers?.length, 1)
  assert.equal(interfaces.mock.callCount(), 1)
})

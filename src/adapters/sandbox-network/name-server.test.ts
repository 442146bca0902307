import assert from 'node:assert/strict'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Answer, decode, encode, type Packet, streamDecode, streamEncode } from 'dns-packet'
import { createDestinations } from '#core/outbound/destinations.ts'
import { createNameServer } from './name-server.ts'

const bound = async (t: TestContext): Promise<UdpSocket> => {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}

const query = (name: string, type: 'A' | 'AAAA' = 'A', id = 77) =>
  encode({ type: 'query', id, flags: 0x0100, questions: [{ type, name }] })

/** A resolver of the machine's that knows one address for every name. */
async function resolver(t: TestContext, address = '203.0.113.7') {
  const asked: string[] = []
  const answer = (packet: Packet): Packet => {
    const [question] = packet.questions ?? []
    asked.push(question?.name ?? '')
    return {
      type: 'response',
      id: packet.id ?? 0,
      questions: packet.questions ?? [],
      answers: [{ type: 'A', name: question?.name ?? '', ttl: 60, data: address }],
    }
  }
  const tcp = createServer((socket) =>
    socket.once('data', (chunk) => socket.end(streamEncode(answer(streamDecode(chunk))))),
  )
  t.after(() => tcp.close())
  const listens = (port: number) =>
    new Promise<boolean>((resolve) => {
      tcp.once('error', () => resolve(false))
      tcp.listen(port, '127.0.0.1', () => resolve(true))
    })
  // A number that is free for datagrams may be taken by a connection.
  let udp = await bound(t)
  while (!(await listens(udp.address().port))) udp = await bound(t)
  udp.on('message', (message, { port, address: from }) =>
    udp.send(encode(answer(decode(message))), port, from),
  )
  return { port: udp.address().port, asked }
}

async function serving(
  t: TestContext,
  port: number,
  own: Readonly<Record<string, readonly string[]>> = {},
  resolvers: readonly string[] = ['127.0.0.1'],
) {
  const names = createNameServer({
    destinations: { ...createDestinations(), addressesOf: (name) => own[name] },
    resolvers: async () => resolvers,
    port,
  })
  const socket = await bound(t)
  names.serve(socket)
  const stream = createServer((connection) => names.serveStream(connection))
  t.after(() => stream.close())
  await new Promise<void>((resolve) => stream.listen(0, '127.0.0.1', resolve))
  return { udp: socket.address().port, tcp: (stream.address() as AddressInfo).port }
}

async function ask(t: TestContext, port: number, message: Buffer): Promise<Packet> {
  const client = await bound(t)
  client.send(message, port, '127.0.0.1')
  const [answer] = await once(client, 'message')
  return decode(answer)
}

const dataOf = (answers: readonly Answer[] | undefined) =>
  (answers ?? []).map((each) => 'data' in each && each.data)

test('a question from no port is not answered', async () => {
  const names = createNameServer({
    destinations: { ...createDestinations(), addressesOf: () => ['192.0.2.1'] },
    resolvers: async () => [],
  })
  const sent: number[] = []
  const socket = Object.assign(new EventEmitter(), { send: (_: Buffer, port: number) => sent.push(port) })
  names.serve(socket as unknown as UdpSocket)
  for (const port of [0, 5353]) socket.emit('message', query('own.test'), { address: '192.0.2.9', port })
  while (sent.length === 0) await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.deepEqual(sent, [5353])
})

test('asks the resolvers of the machine, by datagram and by stream', async (t) => {
  const { port, asked } = await resolver(t)
  const at = await serving(t, port)
  const answer = await ask(t, at.udp, query('example.com'))
  assert.equal(answer.id, 77)
  assert.deepEqual(dataOf(answer.answers), ['203.0.113.7'])
  const stream = connect(at.tcp, '127.0.0.1')
  stream.write(streamEncode({ type: 'query', id: 5, questions: [{ type: 'A', name: 'other.example' }] }))
  const [chunk] = await once(stream, 'data')
  assert.deepEqual(dataOf(streamDecode(chunk).answers), ['203.0.113.7'])
  stream.destroy()
  assert.deepEqual(asked, ['example.com', 'other.example'])
})

test('knows names of the platform itself, whatever their spelling, and tells nobody of them', async (t) => {
  const { port, asked } = await resolver(t)
  const at = await serving(t, port, { 'app.example.test': ['198.19.255.2'] })
  const answer = await ask(t, at.udp, query('App.Example.TEST'))
  assert.deepEqual(dataOf(answer.answers), ['198.19.255.2'])
  const six = await ask(t, at.udp, query('app.example.test', 'AAAA'))
  assert.deepEqual(dataOf(six.answers), [])
  assert.deepEqual(asked, [])
})

test('says so when no resolver answers', async (t) => {
  const closed = await bound(t)
  const { port } = closed.address()
  const at = await serving(t, port)
  closed.on('message', () => {})
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const client = await bound(t)
  closed.once('message', () => t.mock.timers.tick(60_000))
  client.send(query('example.com'), at.udp, '127.0.0.1')
  const [answer] = await once(client, 'message')
  assert.equal((decode(answer).flags ?? 0) & 15, 2)
})

test('asks the next resolver where the first cannot be sent anything, and says so when there is none', async (t) => {
  const { port } = await resolver(t)
  const both = await serving(t, port, {}, ['255.255.255.255', '127.0.0.1'])
  assert.deepEqual(dataOf((await ask(t, both.udp, query('example.com'))).answers), ['203.0.113.7'])
  const one = await serving(t, port, {}, ['255.255.255.255'])
  assert.equal(((await ask(t, one.udp, query('example.com'))).flags ?? 0) & 15, 2)
})

test('what is no question is not answered and not passed on', async (t) => {
  const { port, asked } = await resolver(t)
  const at = await serving(t, port)
  const client = await bound(t)
  client.send(Buffer.from('short'), at.udp, '127.0.0.1')
  client.send(
    encode({ type: 'response', id: 1, questions: [{ type: 'A', name: 'a.example' }] }),
    at.udp,
    '127.0.0.1',
  )
  const answer = await ask(t, at.udp, query('b.example'))
  assert.deepEqual(dataOf(answer.answers), ['203.0.113.7'])
  assert.deepEqual(asked, ['b.example'])
})

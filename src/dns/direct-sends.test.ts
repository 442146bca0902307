import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { type TestContext, test } from 'node:test'
import { createSends } from './direct-sends.ts'

const hasAddress = (wanted: string): boolean =>
  Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === wanted))

async function open(t: TestContext, type: 'udp4' | 'udp6', address: string): Promise<Socket> {
  const socket = createSocket(type)
  t.after(() => {
    try {
      socket.close()
    } catch {}
  })
  socket.bind(0, address)
  await once(socket, 'listening')
  return socket
}

for (const [type, address] of [
  ['udp4', '127.0.0.1'],
  ['udp6', '::1'],
] as const)
  test(`${type}: packets arrive, and only the first goes through the socket`, async (t) => {
    if (!hasAddress(address)) return t.skip(`this machine has no ${address}`)
    const from = await open(t, type, address)
    const to = await open(t, type, address)
    const through = t.mock.method(from, 'send')
    const send = createSends(from)
    for (let n = 0; n < 200; n++) {
      const came = once(to, 'message')
      send(Buffer.from(`packet ${n}`), to.address().port, address)
      const [packet, { port }] = await came
      assert.equal(String(packet), `packet ${n}`)
      assert.equal(port, from.address().port)
    }
    assert.equal(through.mock.callCount(), 1)
  })

test('a packet that the system does not take at once has a request of its own, which keeps its bytes', () => {
  class Request {
    readonly list?: readonly Buffer[]
  }
  const calls: { readonly request: Request; readonly text: string }[] = []
  const answers = [1, 1, 0, 1, -11, 1]
  const state = {
    handle: {
      send(request: Request, [bytes]: readonly Buffer[]) {
        calls.push({ request, text: String(bytes) })
        return answers[calls.length - 1] ?? 1
      },
    },
  }
  const socket = {
    [Symbol('state symbol')]: state,
    send: (bytes: Buffer) => state.handle.send(new Request(), [bytes]),
  }
  const send = createSends(socket as unknown as Socket)
  for (const text of ['learnt', 'a', 'later', 'b', 'refused', 'c']) send(Buffer.from(text), 53, '127.0.0.1')
  const [, a, later, b, refused, c] = calls.map(({ request }) => request)
  assert.deepEqual(
    calls.map(({ text }) => text),
    ['learnt', 'a', 'later', 'b', 'refused', 'c'],
  )
  assert.equal(later, a)
  assert.notEqual(b, later)
  assert.deepEqual(later?.list?.map(String), ['later'])
  assert.deepEqual([refused, c], [b, b])
})

test('what cannot be sent is lost: to no port of a network, too long, after the socket is closed', async (t) => {
  const from = await open(t, 'udp4', '127.0.0.1')
  const to = await open(t, 'udp4', '127.0.0.1')
  const { port } = to.address()
  const send = createSends(from)
  const arrives = async (text: string): Promise<void> => {
    const came = once(to, 'message')
    send(Buffer.from(text), port, '127.0.0.1')
    assert.equal(String((await came)[0]), text)
  }
  await arrives('first')
  send(Buffer.from('nowhere'), port, '255.255.255.255')
  send(Buffer.alloc(70_000), port, '127.0.0.1')
  await arrives('last')
  from.close()
  send(Buffer.from('closed'), port, '127.0.0.1')
})

test('a socket that is not as expected is used as documented', () => {
  const sent: unknown[][] = []
  const socket = { send: (...args: unknown[]) => sent.push(args) } as unknown as Socket
  createSends(socket)(Buffer.from('a'), 53, '127.0.0.1')
  assert.deepEqual(sent, [[Buffer.from('a'), 53, '127.0.0.1']])
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { testAuthority } from '#test/support/http/listener.ts'
import { writeDirectly } from './direct-writes.ts'

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** How often the stream of the server's side was written to. */
  readonly streamed: () => number
}

async function pairOf(
  t: TestContext,
  listening: Server,
  open: (port: number) => Socket,
  event: string,
): Promise<Pair> {
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const accepted = once(listening, event)
  const client = open((listening.address() as AddressInfo).port)
  const [server] = (await accepted) as [Socket]
  const write = t.mock.method(server, 'write')
  t.after(() => {
    client.destroy()
    server.destroy()
    listening.close()
  })
  return { client, server, streamed: () => write.mock.callCount() }
}

const plainPair = (t: TestContext): Promise<Pair> =>
  pairOf(t, createServer(), (port) => connect(port, '127.0.0.1'), 'connection')

/** Reads so many bytes. */
async function read(client: Socket, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of client as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= length) break
  }
  return Buffer.concat(chunks)
}

test('what the kernel takes at once is written past the stream', async (t) => {
  const { client, server, streamed } = await plainPair(t)
  assert.equal(writeDirectly(server, Buffer.from('hello')), true)
  assert.equal(String(await read(client, 5)), 'hello')
  assert.equal(streamed(), 0, 'the stream was used: Node.js has changed beneath it')
})

test('the stream sends what the kernel does not take, and what is written after that', async (t) => {
  const { client, server, streamed } = await plainPair(t)
  const large = Buffer.alloc(16 * 1024 * 1024, 'a text that does not come out even')
  assert.equal(writeDirectly(server, large), false)
  assert.equal(writeDirectly(server, Buffer.from('and more')), false)
  assert.equal(streamed(), 2)
  const got = await read(client, large.length + 8)
  assert.ok(got.subarray(0, large.length).equals(large))
  assert.equal(String(got.subarray(large.length)), 'and more')
})

test('what waits in the stream already goes first', async (t) => {
  const { client, server } = await plainPair(t)
  server.cork()
  server.write('first ')
  assert.equal(writeDirectly(server, Buffer.from('second')), false)
  server.uncork()
  assert.equal(String(await read(client, 12)), 'first second')
})

test('a connection over TLS is written to through its encryption', async (t) => {
  const issued = await (await testAuthority()).issuer.issue(['localhost'])
  const { client, server, streamed } = await pairOf(
    t,
    createTlsServer(issued),
    (port) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
    'secureConnection',
  )
  writeDirectly(server, Buffer.from('hello'))
  assert.equal(streamed(), 1)
  assert.equal(String(await read(client, 5)), 'hello')
})

test('writing to a connection that is over fails as its stream does', async (t) => {
  const { client, server } = await plainPair(t)
  const failed = once(server, 'error') as Promise<[NodeJS.ErrnoException]>
  client.resetAndDestroy()
  await once(server.resume(), 'close').catch(() => {})
  await failed
  assert.equal(writeDirectly(server, Buffer.from('hello')), true, 'nothing waits')
})

test('what has no descriptor is written to as any stream is', () => {
  const got: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      got.push(String(chunk))
      done()
    },
  })
  assert.equal(writeDirectly(stream as unknown as Socket, Buffer.from('hello')), true)
  assert.deepEqual(got, ['hello'])
})

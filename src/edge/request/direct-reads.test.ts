import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { testAuthority } from '#test/support/http/listener.ts'
import { readDirectly } from './direct-reads.ts'

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

async function pairOf(listening: Server, open: (port: number) => Socket, event: string): Promise<Pair> {
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const accepted = once(listening, event)
  const client = open((listening.address() as AddressInfo).port)
  const [server] = (await accepted) as [Socket]
  server.once('close', () => listening.close())
  return { client, server }
}

const WAYS = {
  'a plain connection': () =>
    pairOf(createServer({ allowHalfOpen: true }), (port) => connect(port, '127.0.0.1'), 'connection'),
  'a connection over TLS': async () =>
    pairOf(
      createTlsServer({
        ...(await (await testAuthority()).issuer.issue(['localhost'])),
        allowHalfOpen: true,
      }),
      (port) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
      'secureConnection',
    ),
}

/** What is told, piece by piece, and a way to wait for so many bytes of it. */
function gather() {
  let text = ''
  let wake = () => {}
  return {
    add(bytes: Buffer) {
      text += bytes.toString('latin1')
      wake()
    },
    async until(length: number): Promise<string> {
      while (text.length < length) await new Promise<void>((resolve) => (wake = resolve))
      return text
    },
  }
}

for (const [what, open] of Object.entries(WAYS)) {
  test(`${what} is read without its stream, which gets all that comes afterwards`, async () => {
    const { client, server } = await open()
    const direct = gather()
    const streamed = gather()
    const reads = readDirectly(server, direct.add)
    client.write('one')
    assert.equal(await direct.until(3), 'one')
    assert.equal(server.listenerCount('data'), 0, 'the stream was used: Node.js has changed beneath it')
    reads.stop()
    server.unshift(Buffer.from('again '))
    server.on('data', streamed.add)
    client.write('two')
    assert.equal(await streamed.until(9), 'again two')
    const ended = once(server, 'end')
    client.end()
    await ended
    server.destroy()
  })

  test(`${what} is not read while that is paused, and its end is told`, async () => {
    const { client, server } = await open()
    const direct = gather()
    const reads = readDirectly(server, direct.add)
    reads.pause()
    client.write('one')
    server.write('a round trip after which it would be here')
    await once(client, 'data')
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    assert.equal(await direct.until(0), '')
    reads.resume()
    assert.equal(await direct.until(3), 'one')
    const ended = once(server, 'end')
    client.end()
    await ended
    server.destroy()
  })
}

test('what the stream of a connection has already comes first', async () => {
  const { client, server } = await WAYS['a plain connection']()
  const direct = gather()
  client.write('early ')
  await once(server, 'readable')
  readDirectly(server, direct.add)
  client.write('late')
  assert.equal(await direct.until(10), 'early late')
  client.destroy()
  server.destroy()
})

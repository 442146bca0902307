import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import ssh2 from 'ssh2'
import type { Actor } from '#core/access/context.ts'
import { createTurns } from '#core/turns.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { newHostKey } from './host-key.ts'
import { startSshServer } from './server.ts'
import type { SshLimits } from './ssh-limits.ts'

const never = () => {
  throw new Error('nobody gets so far')
}

async function serve(
  t: TestContext,
  limits: Partial<SshLimits>,
  later?: (work: () => void, ms: number) => void,
  given: Partial<Parameters<typeof startSshServer>[0]> = {},
) {
  const actor = { user: { id: 'u1', username: 'ada' }, token: { kind: 'personal' } } as unknown as Actor
  const server = await startSshServer({
    ...{ host: '127.0.0.1', port: 0, hostKey: newHostKey().privateKey, limits, log: silentLog },
    ...(later && { later }),
    keys: { holder: async () => actor, used: async () => undefined },
    turns: createTurns(1),
    ...{ pushes: never as never, repositories: never as never, follow: never, teams: never as never },
    ...{
      origin: never as never,
      maxBytes: 0,
      maxRefs: 0,
      room: { left: never, hold: never, measure: never },
    },
    ...given,
  })
  t.after(() => server.drain(0))
  return server
}

/** Where a fetch sends as much as the client takes; `sent` has how much that was. */
function endless() {
  const count = { sent: 0 }
  const chunk = Buffer.alloc(64 * 1024)
  const output = () =>
    Readable.from(
      (function* () {
        while (count.sent < MUCH) {
          count.sent += chunk.length
          yield chunk
        }
      })(),
      { objectMode: false, highWaterMark: 1 },
    )
  const parts = {
    pushes: { find: async () => ({ id: 'p1' }) },
    repositories: {
      ensure: async () => undefined,
      async uploadPack() {
        const pack = output()
        return { output: pack, ended: new Promise((resolve) => pack.once('close', resolve)) }
      },
    },
  }
  return { count, parts: parts as unknown as Partial<Parameters<typeof startSshServer>[0]> }
}
const MUCH = 256 * 1024 * 1024
const FETCH = "git-upload-pack '/ada/shop.git'"

/** The client of the library, of which the platform uses nothing. */
interface Client extends EventEmitter {
  connect(options: object): void
  exec(command: string, done: (error: Error | undefined, channel: ClientChannel) => void): void
  readonly _sock: Socket
  readonly _protocol: {
    rekey(): void
    ping(): void
    session(id: number, window: number, packetSize: number): void
    channelData(id: number, data: Buffer): void
  }
  destroy(): void
}
interface ClientChannel extends Duplex {
  close(): void
  readonly outgoing: { readonly id: number }
}
const { Client } = ssh2 as unknown as { readonly Client: new () => Client }

function enter(t: TestContext, port: number, options: object = {}): Client {
  const client = new Client()
  t.after(() => client.destroy())
  client.on('error', () => undefined)
  client.connect({
    ...{ host: '127.0.0.1', port, username: 'git', privateKey: newHostKey().privateKey },
    ...options,
  })
  return client
}

/** Asks for something on a channel of which the client says whatever it likes. */
async function ask(client: Client, command: string, { window = 2 ** 21, packetSize = 2 ** 15 } = {}) {
  const protocol = client._protocol
  const { session } = Object.getPrototypeOf(protocol)
  protocol.session = (id) => session.call(protocol, id, window, packetSize)
  const { promise, resolve, reject } = Promise.withResolvers<ClientChannel>()
  client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)))
  return promise
}

/** Until nothing more is made, or everything was. */
async function untilStill(count: { readonly sent: number }): Promise<void> {
  for (let before = -1, same = 0; same < 50 && count.sent < MUCH; before = count.sent) {
    await sleep(2)
    same = count.sent === before && before > 0 ? same + 1 : 0
  }
}

test('two connections from one port to two addresses of this machine are two', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { port } = await serve(t, {}, undefined, { host: '0.0.0.0' })
  const dial = async (host: string, localPort?: number): Promise<Socket> => {
    const socket = connect({ host, port, localAddress: '127.0.0.1', ...(localPort && { localPort }) })
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const quiet = await dial('127.0.0.2')
  const second = await dial('127.0.0.3', quiet.localPort)
  second.end('SSH-2.0-second\r\n').resume()
  await once(second, 'close')
  const over = once(quiet.resume(), 'close')
  quiet.write('SSH-2.0-quiet\r\n')
  quiet.write(Buffer.alloc(64, 255))
  await over
  const another = await dial('127.0.0.2')
  const [greeting] = await once(another, 'data')
  assert.match(String(greeting), /^SSH-2\.0-/)
})

test('those who connect together begin their key exchanges a few at a time', async (t) => {
  const waiting: (() => void)[] = []
  const server = await serve(t, { handshakesAtOnce: 2 }, (work) => waiting.push(work))
  const heard: Socket[] = []
  const sockets = Array.from({ length: 4 }, () => connect(server.port, '127.0.0.1'))
  t.after(() => sockets.map((socket) => socket.destroy()))
  const greeting = (socket: Socket) => once(socket, 'data').then(() => heard.push(socket))
  const greeted = sockets.map(greeting)
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await Promise.race([Promise.all(greeted.slice(0, 2)), Promise.all(greeted.slice(2))])
  assert.equal(heard.length, 2)
  assert.equal(waiting.length, 2)
  for (const giveBack of waiting.splice(0)) giveBack()
  await Promise.all(greeted)
  assert.equal(waiting.length, 2)
})

test('nobody exchanges keys again before they have signed in, nor without end afterwards', async (t) => {
  const server = await serve(t, { maxRekeys: 2, signInMs: 2 ** 31 - 1 })
  // Whoever signs in with nothing stays until they are let go.
  const connection = enter(t, server.port, { authHandler: () => undefined, readyTimeout: 0 })
  await once(connection, 'handshake')
  connection._protocol.rekey()
  await once(connection, 'close')

  const known = enter(t, server.port)
  await once(known, 'ready')
  for (let i = 0; i < 2; i++) {
    known._protocol.rekey()
    await once(known, 'handshake')
  }
  known._protocol.rekey()
  await once(known, 'close')
})

test('who sends a great deal before they have signed in is let go', async (t) => {
  const server = await serve(t, { signInBytes: 16 * 1024, signInMs: 2 ** 31 - 1 })
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => undefined).resume()
  // A packet that is announced and never ends.
  socket.write('SSH-2.0-greedy\r\n')
  const packet = Buffer.alloc(30_000, 20)
  packet.writeUInt32BE(34_000)
  socket.write(packet)
  await once(socket, 'close')
})

test('what is slow to compute is not offered', async (t) => {
  const server = await serve(t, {})
  const refused = ['ecdh-sha2-nistp384', 'ecdh-sha2-nistp521'].map((kex) => ({ kex: [kex] }))
  for (const algorithms of [...refused, { cipher: ['chacha20-poly1305@openssh.com'] }]) {
    const [error] = await once(enter(t, server.port, { algorithms }), 'error')
    assert.match(error.message, /no matching/)
  }
})

test('nothing is made for a client that does not read, however much it says that it may be sent', async (t) => {
  const { count, parts } = endless()
  const server = await serve(t, { bytesPerSecond: 2 ** 40 }, undefined, parts)
  const client = enter(t, server.port)
  await once(client, 'ready')
  const channel = await ask(client, FETCH, { window: 2 ** 32 - 1 })
  channel.pause()
  client._sock.pause()
  await untilStill(count)
  assert.ok(count.sent < MUCH / 4, `${count.sent} bytes were made`)
})

test('nothing is made for a client that begins to exchange keys and does not go on', async (t) => {
  const { count, parts } = endless()
  const server = await serve(t, { bytesPerSecond: 2 ** 40 }, undefined, parts)
  const client = enter(t, server.port)
  await once(client, 'ready')
  const channel = await ask(client, FETCH, { window: 2 ** 32 - 1 })
  channel.resume()
  client._protocol.rekey()
  // Neither hears the other any more.
  client._sock.write = () => true
  client._sock.removeAllListeners('data').resume()
  await untilStill(count)
  assert.ok(count.sent < MUCH / 4, `${count.sent} bytes were made`)
})

test('who wants to be sent packets of nothing is let go', async (t) => {
  const server = await serve(t, {}, undefined, endless().parts)
  for (const packetSize of [0, 1]) {
    const client = enter(t, server.port)
    await once(client, 'ready')
    const closed = new Promise((resolve) => client.once('close', resolve))
    ask(client, FETCH, { packetSize }).catch(() => undefined)
    await closed
  }
})

test('who sends more than they may on a channel is let go', async (t) => {
  const turns = createTurns(1)
  t.after(await turns.take('u1'))
  const server = await serve(t, {}, undefined, { ...endless().parts, turns })
  const client = enter(t, server.port)
  await once(client, 'ready')
  const channel = await ask(client, FETCH)
  const closed = new Promise((resolve) => client.once('close', resolve))
  const chunk = Buffer.alloc(30_000)
  for (let sent = 0; sent < 4 * 1024 * 1024; sent += chunk.length)
    client._protocol.channelData(channel.outgoing.id, chunk)
  await closed
})

test('who reads no answers gets no more of them', async (t) => {
  const server = await serve(t, {})
  let theirs: Socket | undefined
  const onSocket = (message: unknown) => {
    theirs = (message as { socket: Socket }).socket
  }
  subscribe('net.server.socket', onSocket)
  t.after(() => unsubscribe('net.server.socket', onSocket))
  const client = enter(t, server.port)
  await once(client, 'ready')
  client._protocol.ping()
  await once(client._sock, 'data')
  // As if so much were there to be read: the system would take megabytes of it before.
  Object.defineProperty(theirs, 'writableLength', { value: 2 ** 21 })
  const closed = new Promise((resolve) => client.once('close', resolve))
  client._protocol.ping()
  await closed
})

test('a user has so many commands at once, on however many connections, also when they have left', async (t) => {
  const turns = createTurns(1)
  t.after(await turns.take('u1'))
  const server = await serve(t, { maxCommandsOfUser: 2 }, undefined, { ...endless().parts, turns })
  const [one, other] = [enter(t, server.port), enter(t, server.port)]
  await Promise.all([once(one, 'ready'), once(other, 'ready')])
  const first = await ask(one, FETCH)
  await ask(one, FETCH)
  await assert.rejects(ask(other, FETCH), /open failure/)
  first.close()
  await assert.rejects(ask(other, FETCH), /open failure/)
})

test('a connection serves nothing more once its key is removed', async (t) => {
  const token = { kind: 'account', id: 'key_1' }
  let holder = { user: { id: 'u1', username: 'ada' }, token } as unknown as Actor | undefined
  const keys = { holder: async () => holder, used: async () => undefined }
  const server = await serve(t, {}, undefined, { ...endless().parts, keys })
  const client = enter(t, server.port)
  await once(client, 'ready')
  const first = await ask(client, FETCH)
  await once(first, 'readable')
  first.close()
  holder = undefined
  const closed = once(client, 'close')
  const code = await new Promise((resolve, reject) =>
    client.exec(FETCH, (error, channel) => (error ? reject(error) : channel.resume().once('exit', resolve))),
  )
  assert.equal(code, 1)
  await closed
})

test('who leaves while it is asked whose key it is has nothing done for them', {
  timeout: 30_000,
}, async (t) => {
  const asked = Promise.withResolvers<void>()
  const looked = Promise.withResolvers<void>()
  const token = { kind: 'account', id: 'key_1' }
  const actor = { user: { id: 'u1', username: 'ada' }, token } as unknown as Actor
  let isReady = false
  const holder = async () => {
    if (!isReady) return actor
    asked.resolve()
    await looked.promise
    return actor
  }
  const { count, parts } = endless()
  const limits = { maxCommandsOfUser: 1 }
  const keys = { holder, used: async () => undefined }
  const server = await serve(t, limits, undefined, { ...parts, keys })
  const [one, other] = [enter(t, server.port), enter(t, server.port)]
  await Promise.all([once(one, 'ready'), once(other, 'ready')])
  isReady = true
  const channel = await ask(one, FETCH)
  await asked.promise
  const closed = once(channel.resume(), 'close')
  channel.close()
  await closed
  looked.resolve()
  isReady = false
  let second: ClientChannel | undefined
  while (second === undefined)
    second = await ask(other, "git-upload-pack '/ada'").catch(() => sleep(1, undefined))
  assert.equal(count.sent, 0)
})

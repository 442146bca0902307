import assert from 'node:assert/strict'
import { type EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
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
) {
  const actor = { user: { username: 'ada' } } as Actor
  const server = await startSshServer({
    ...{ host: '127.0.0.1', port: 0, hostKey: newHostKey().privateKey, limits, log: silentLog },
    ...(later && { later }),
    keys: { holder: async () => actor, used: async () => undefined },
    turns: createTurns(1),
    ...{ pushes: never as never, repositories: never as never, follow: never, teams: never as never },
    ...{ origin: never as never, maxBytes: 0, maxRefs: 0, room: { left: never, hold: never } },
  })
  t.after(() => server.drain(0))
  return server
}

/** The client of the library, of which the platform uses nothing. */
interface Client extends EventEmitter {
  connect(options: object): void
  readonly _protocol: { rekey(): void }
  destroy(): void
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
  const guest = enter(t, server.port, { authHandler: () => undefined, readyTimeout: 0 })
  await once(guest, 'handshake')
  guest._protocol.rekey()
  await once(guest, 'close')

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

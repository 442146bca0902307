import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { until } from '#test/support/until.ts'
import { connectToPeer } from './peer-connections.ts'
import { openPeerGateway, type PeerGatewayOptions, type PeerIdentity } from './peer-gateway.ts'
import { certificateName } from './peer-name.ts'

type Installation = (machine: string) => Promise<PeerIdentity>

async function installation(): Promise<Installation> {
  const authority = await createAuthority()
  const issuer = createLocalIssuer({ ...authority, clock: systemClock, forClients: true })
  return async (machine) => {
    const { cert, key } = await issuer.issue([certificateName(machine)])
    return { cert, key, authority: authority.certPem }
  }
}

/** Answers with its name and what it was sent. */
const echo = (name: string) => (socket: Socket) =>
  socket.once('data', (chunk: Buffer) => socket.end(`${name}: ${chunk}`))

async function listen(t: TestContext, path: string, take: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    take(socket)
  })
  server.listen(path)
  await once(server, 'listening')
  t.after(() => server.close())
  return server
}

async function openWorld(t: TestContext, identity: PeerIdentity, more: Partial<PeerGatewayOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-peer-'))
  const [runner, instance, other] = ['runner', 'instance', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const servers = new Map<string, Server>()
  for (const [path, name] of [
    [runner, 'runner'],
    [instance, 'instance'],
    [other, 'other'],
  ] as const)
    servers.set(path, await listen(t, path, echo(name)))
  const removed = new Set<string>()
  const gateway = await openPeerGateway({
    identity,
    host: '127.0.0.1',
    port: 0,
    runnerSocket: runner,
    isInstance: (path) => path === instance,
    isRemoved: (machine) => removed.has(machine),
    offers: { echo: (socket, args) => void socket.end(args.join('+')) },
    log: silentLog,
    ...more,
  })
  t.after(async () => {
    await gateway.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    peer: { name: 'worker', host: '127.0.0.1', port: gateway.port },
    instance,
    other,
    port: gateway.port,
    /** The instance is another one from now on, or gone. */
    async replace(take: ((socket: Socket) => void) | undefined) {
      const server = servers.get(instance) as Server
      server.close()
      await once(server, 'close')
      if (take) servers.set(instance, await listen(t, instance, take))
    },
    remove(machine: string) {
      removed.add(machine)
      gateway.lookAgain()
    },
  }
}

async function ask(socket: Socket): Promise<string> {
  socket.write('hello')
  return text(socket)
}

test('another machine of the installation reaches the working process and instances, and nothing else', async (t) => {
  const of = await installation()
  const { peer, instance, other } = await openWorld(t, await of('worker'))
  const own = await of('server')
  assert.equal(await ask(connectToPeer(peer, own, 'runner')), 'runner: hello')
  assert.equal(await ask(connectToPeer(peer, own, { instance })), 'instance: hello')
  for (const path of [other, `${instance}/../other`, ''])
    assert.equal(await ask(connectToPeer(peer, own, { instance: path })).catch(() => ''), '', path)
})

test('what else a machine offers is asked for by its first word', async (t) => {
  const of = await installation()
  const { peer } = await openWorld(t, await of('worker'))
  const own = await of('server')
  assert.equal(await text(connectToPeer(peer, own, { offer: 'echo one two' })), 'one+two')
  for (const offer of ['other', 'constructor', 'toString x'])
    assert.equal(await ask(connectToPeer(peer, own, { offer })).catch(() => ''), '', offer)
})

test('nobody is heard without a certificate of this installation', async (t) => {
  const [of, elsewhere] = [await installation(), await installation()]
  const { peer, port } = await openWorld(t, await of('worker'))
  const { authority } = await of('server')
  const stranger = await elsewhere('server')
  const failing = async (socket: Socket) => {
    socket.on('error', () => {})
    return ask(socket).catch(() => '')
  }
  assert.equal(await failing(connectToPeer(peer, { ...stranger, authority }, 'runner')), '')
  const nobody = connectTls({
    host: '127.0.0.1',
    port,
    ca: [authority],
    servername: certificateName('worker'),
  })
  nobody.write('runner\n')
  assert.equal(await failing(nobody), '')
  const plain = connect(port, '127.0.0.1')
  plain.write('runner\n')
  assert.ok(!(await failing(plain)).includes('runner: '))
})

test('however many connections somebody opens, those that have not proved who they are are few, and machines get through', async (t) => {
  const of = await installation()
  const warnings: string[] = []
  const log = { ...silentLog, warn: (_fields: object, message: string) => void warnings.push(message) }
  const { peer, port, instance } = await openWorld(t, await of('worker'), { mostStrangers: 4, log })
  const own = await of('server')
  const machine = connectToPeer(peer, own, { instance })
  await once(machine, 'secureConnect')
  const ended: number[] = []
  const strangers = Array.from({ length: 12 }, (_, n) => {
    const stranger = connect(port, '127.0.0.1')
    stranger.on('error', () => {}).once('close', () => ended.push(n))
    return stranger
  })
  t.after(() => {
    for (const stranger of strangers) stranger.destroy()
  })
  await until(() => ended.length >= 8)
  assert.equal(ended.length, 8)
  assert.equal(await ask(machine), 'instance: hello', 'a connection that is known stays')
  assert.equal(await ask(connectToPeer(peer, own, 'runner')), 'runner: hello')
  for (let n = 0; n < 5; n++) {
    const noise = connect(port, '127.0.0.1')
    noise.on('error', () => {}).write('not the words of TLS\n')
    await once(noise, 'close')
  }
  assert.equal(warnings.length, 1)
})

test('a machine that pretends to be another is not spoken to', async (t) => {
  const of = await installation()
  const { peer } = await openWorld(t, await of('impostor'))
  await assert.rejects(ask(connectToPeer(peer, await of('server'), 'runner')), /does not match/)
})

test('a machine that was removed is heard no more, nor what it has open', async (t) => {
  const of = await installation()
  const { peer, instance, remove } = await openWorld(t, await of('worker'))
  const [lost, left] = [await of('lost'), await of('left')]
  const open = connectToPeer(peer, lost, 'runner')
  open.on('error', () => {})
  await once(open, 'secureConnect')
  assert.equal(await ask(connectToPeer(peer, lost, { instance })), 'instance: hello')
  const closed = once(open, 'close')
  remove('lost')
  await closed
  const again = connectToPeer(peer, lost, 'runner')
  again.on('error', () => {})
  assert.equal(await ask(again).catch(() => ''), '')
  assert.equal(await ask(connectToPeer(peer, left, 'runner')), 'runner: hello')
})

/** How the connection ends, without an answer, for somebody who has sent something. */
async function endOf(socket: Socket): Promise<string> {
  let code = 'none'
  socket.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code ?? ''
  })
  socket.resume()
  socket.write('hello')
  await new Promise((resolve) => socket.once('close', resolve))
  return code
}

test('another machine is told whether an instance that is gone has read what it was sent', async (t) => {
  const of = await installation()
  const { peer, instance, other, replace } = await openWorld(t, await of('worker'))
  const own = await of('server')
  // It has read it, and ends.
  await replace((socket) => socket.once('data', () => socket.destroy()))
  assert.equal(await endOf(connectToPeer(peer, own, { instance })), 'none')
  // It is gone before that, or is none of this process.
  await replace(undefined)
  for (const path of [instance, other])
    assert.equal(await endOf(connectToPeer(peer, own, { instance: path })), 'ECONNRESET')
})

test('an answer that ends with its connection comes whole, however slowly it is taken', async (t) => {
  const of = await installation()
  const { peer, instance, replace } = await openWorld(t, await of('worker'))
  const answer = 'x'.repeat(3_000_000)
  await replace((socket) => socket.once('data', () => socket.end(answer)))
  const socket = connectToPeer(peer, await of('server'), { instance })
  socket.write('hello')
  let taken = 0
  for await (const chunk of socket) {
    taken += (chunk as Buffer).length
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(taken, answer.length)
})

/** Whether the kernel asks the other end of a connection now and then whether it is there; undefined while it is busy. */
async function isAskedFor(localPort: number, remotePort: number): Promise<boolean | undefined> {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')
  for (const line of (await readFile('/proc/net/tcp', 'utf8')).split('\n')) {
    const [, local = '', remote = '', , , timer = ''] = line.trim().split(/\s+/)
    if (!local.endsWith(`:${hex(localPort)}`) || !remote.endsWith(`:${hex(remotePort)}`)) continue
    const [kind] = timer.split(':')
    return kind === '01' ? undefined : kind === '02'
  }
  throw new Error('there is no such connection')
}

test('a machine that lost its power is noticed, though nothing is said to it', {
  skip: process.platform !== 'linux' && 'what the kernel does is read from /proc',
}, async (t) => {
  const of = await installation()
  const { peer, port, instance } = await openWorld(t, await of('worker'))
  const own = await of('server')
  const asked = async (from: number, to: number) => {
    for (;;) {
      const is = await isAskedFor(from, to)
      if (is !== undefined) return is
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  for (const [to, byBoth] of [
    ['runner', true],
    [{ instance }, false],
  ] as const) {
    const socket = connectToPeer(peer, own, to)
    await once(socket, 'secureConnect')
    const { localPort = 0 } = socket
    assert.equal(await asked(port, localPort), true)
    assert.equal(await asked(localPort, port), byBoth)
    socket.destroy()
  }
})

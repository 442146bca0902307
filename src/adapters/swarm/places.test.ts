import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it, type TestContext } from 'node:test'
import { openSocketBridge } from '../docker/launch/socket-bridge.ts'
import { type Offers, taskOffers, throughMachine } from './places.ts'

it('tries to reach a container of this node again where it takes no connections', async (t) => {
  const target = createServer((socket) => socket.end('from the container')).listen(0, '127.0.0.1')
  await once(target, 'listening')
  const { port } = target.address() as AddressInfo
  target.close()
  await once(target, 'close')
  let looks = 0
  const { task } = taskOffers('node', {
    // Without an address at first; and nobody listens there before it is asked for the third time.
    async address() {
      looks++
      if (looks === 3) await once(target.listen(port, '127.0.0.1'), 'listening')
      return looks === 1 ? undefined : '127.0.0.1'
    },
    accepts: async () => false,
    endOf: async () => ({ ranOutOfMemory: false }),
    kill: async () => {},
  })
  const gateway = createServer({ pauseOnConnect: true }, (socket) =>
    task?.(socket, ['a'.repeat(64), String(port)]),
  ).listen(0, '127.0.0.1')
  t.after(() => {
    gateway.close()
    target.close()
  })
  await once(gateway, 'listening')
  const near = connect((gateway.address() as AddressInfo).port, '127.0.0.1')
  assert.equal(await text(near), 'from the container')
  assert.equal(looks, 3)
})

const ID = 'a'.repeat(64)

/** A machine that does these things for others, as its gateway has it, and the socket of an instance whose container it has. */
async function bridgeThrough(
  t: TestContext,
  port: number,
  offers: Offers,
  reachMs: number,
  openingMs = 60_000,
) {
  const gateway = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (chunk: Buffer) => {
      const end = chunk.indexOf('\n')
      const [what = '', ...args] = chunk.toString('latin1', 0, end).split(' ')
      socket.pause()
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1))
      const offer = offers[what]
      if (offer) offer(socket, args)
      else socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'aloft-places-'))
  const path = join(folder, 's')
  const bridge = await openSocketBridge(path, { reachMs, openingMs })
  const asked: string[] = []
  const ask = (line: string): Socket => {
    asked.push(line.split(' ')[0] ?? '')
    const socket = connect((gateway.address() as AddressInfo).port, '127.0.0.1')
    socket.write(`${line}\n`)
    return socket
  }
  bridge.lead(throughMachine(ask, ID, port))
  t.after(async () => {
    gateway.close()
    await bridge.close()
    await rm(folder, { recursive: true })
  })
  return { path, asked }
}

const containers = (address: string | undefined, reachMs: number): Offers =>
  taskOffers(
    'node',
    {
      address: async () => address,
      accepts: async () => address !== undefined,
      endOf: async () => ({ ranOutOfMemory: false }),
      kill: async () => {},
    },
    reachMs,
  )

/** A program in a container that says what it was sent. */
async function program(t: TestContext): Promise<number> {
  const server = createServer((socket) =>
    socket.on('error', () => {}).once('data', (chunk) => socket.end(`heard ${chunk}`)),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

it('tells whoever has written to a container of another machine that is gone that nobody has read it', async (t) => {
  const { path, asked } = await bridgeThrough(t, 1, containers(undefined, 0), 0)
  const near = connect(path)
  near.write('a request')
  const [error] = await once(near, 'error')
  assert.match(error.code, /^(ECONNRESET|EPIPE)$/)
  assert.deepEqual(asked, ['reach'])
})

it('passes on what comes to a container of another machine once it has taken the connection', async (t) => {
  const { path } = await bridgeThrough(t, await program(t), containers('127.0.0.1', 60_000), 0)
  const near = connect(path)
  near.write('a request')
  assert.equal(await text(near), 'heard a request')
})

it('asks a machine of an earlier version as that understands it', async (t) => {
  const { reach: _, ...earlier } = containers('127.0.0.1', 60_000)
  const { path, asked } = await bridgeThrough(t, await program(t), earlier, 60_000)
  const near = connect(path)
  near.write('a request')
  assert.equal(await text(near), 'heard a request')
  assert.deepEqual(asked, ['reach', 'task'])
})

it('takes a machine that has not answered in time for none of an earlier version', async (t) => {
  const { path, asked } = await bridgeThrough(t, 1, containers(undefined, 60_000), 60_000, 50)
  connect(path)
    .on('error', () => {})
    .write('a request')
  while (asked.length < 2) await new Promise(setImmediate)
  assert.deepEqual(asked, ['reach', 'reach'])
})

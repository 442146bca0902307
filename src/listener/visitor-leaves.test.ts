import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { fastLaneOf } from '#src/process/compose/serving/build-handler.ts'
import { createEdgeWorld, createInstances, siteFunctions } from '#test/support/http/edge.ts'
import { readUntil, start, testAuthority } from '../../test/support/http/listener.ts'

const instances = await createInstances()
const world = createEdgeWorld({ runner: instances.runner })
const warnings: string[] = []
const onWarning = ({ message }: Error) => void warnings.push(message)
process.on('warning', onWarning)
after(async () => {
  process.off('warning', onWarning)
  await world.edge.close()
  await instances.close()
})

/** Resolves once the exchange that a visitor began is over on the other side. */
const over = () => Promise.withResolvers<void>()

/** A function that begins to answer, or does not, and then says nothing any more. */
async function quietSite(host: string, begins: boolean) {
  const closed = over()
  const upgrades = over()
  const instance = await instances.start(host, (_: IncomingMessage, res: ServerResponse) => {
    res.once('close', () => closed.resolve())
    if (begins) res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n')
  })
  // One that ignores that the other side was ended.
  instance.server.on('upgrade', (_req: IncomingMessage, socket: Socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello')
    socket.once('end', () => upgrades.resolve())
    socket.resume()
  })
  world.addSite(host, {}, { functions: siteFunctions({ index: { program: host, maxDuration: 300 } }) })
  const leases = () => instances.leases.filter(({ program }) => program.program === host)
  return { closed: closed.promise, upgraded: upgrades.promise, leases }
}

/** All leases were given back, and no instance was blamed. */
async function released(leases: () => { readonly ends: readonly unknown[] }[]) {
  while (!leases().every(({ ends }) => ends.length === 1)) await new Promise(setImmediate)
  for (const { ends } of leases()) assert.deepEqual(ends, [undefined])
}

let sites = 0
const lanes = { fast: fastLaneOf(world.edge), slow: undefined }
const upgrade = world.edge.upgrade

for (const [laneName, fastLane] of Object.entries(lanes))
  for (const isSecure of [false, true])
    for (const begins of [false, true])
      for (const how of ['ends its side', 'is gone'])
        test(`a visitor ${how} ${begins ? 'in' : 'before'} a quiet answer: ${laneName}${isSecure ? ', TLS' : ''}`, async (t) => {
          const host = `quiet${sites++}.test`
          const { closed, leases } = await quietSite(host, begins)
          const server = await start(t, {
            ...{ tlsPort: 'any', handle: world.edge.handle, upgrade, ...(fastLane && { fastLane }) },
          })
          const { certPem: ca } = await testAuthority()
          const open = (): Promise<Socket> => {
            const to = { port: server.tlsPort, host: '127.0.0.1', ca, servername: 'localhost' }
            const socket = isSecure ? connectTls(to) : connect(server.port, '127.0.0.1')
            socket.on('error', () => {})
            return once(socket, isSecure ? 'secureConnect' : 'connect').then(() => socket)
          }
          // The site comes into memory, as the fast path wants it.
          const first = await open()
          first.write(`GET /nothing HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
          await readUntil(first, /404/)
          first.destroy()
          const socket = await open()
          socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
          if (begins) await readUntil(socket, /data: one/)
          else while (leases().length === 0) await new Promise(setImmediate)
          if (how === 'is gone') socket.destroy()
          else {
            socket.end()
            if (!begins) socket.destroy()
          }
          await closed
          await released(leases)
        })

test('a visitor resets a quiet stream of HTTP/2, or closes its connection', async (t) => {
  for (const leave of ['stream', 'session'] as const) {
    const host = `quiet${sites++}.test`
    const { closed, leases } = await quietSite(host, true)
    const server = await start(t, { tlsPort: 'any', handle: world.edge.handle, fastLane: lanes.fast })
    const { certPem: ca } = await testAuthority()
    const session = connectHttp2(`https://127.0.0.1:${server.tlsPort}`, { ca, servername: 'localhost' })
    session.on('error', () => {})
    const stream = session.request({ ':path': '/', ':authority': host })
    stream.on('error', () => {})
    await once(stream, 'data')
    if (leave === 'stream') stream.close()
    else session.socket.destroy()
    await closed
    await released(leases)
    session.destroy()
  }
})

for (const how of ['ends its side', 'is gone'])
  test(`a visitor ${how} on a quiet connection of another protocol`, async (t) => {
    const host = `quiet${sites++}.test`
    const { upgraded, leases } = await quietSite(host, true)
    const server = await start(t, { handle: world.edge.handle, upgrade, fastLane: lanes.fast })
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    await readUntil(socket, /hello/)
    if (how === 'is gone') socket.destroy()
    else socket.end()
    await upgraded
    await released(leases)
  })

test('a visitor leaves a quiet answer of another server', async (t) => {
  const closed = over()
  const upstream = createServer((_req, res) => {
    res.once('close', () => closed.resolve())
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n')
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  t.after(() => upstream.close())
  const host = `quiet${sites++}.test`
  const { port } = upstream.address() as AddressInfo
  world.addSite(host, {}, { routes: [{ src: '/.*', dest: `http://127.0.0.1:${port}/` }] })
  const server = await start(t, { handle: world.edge.handle, fastLane: lanes.fast })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await readUntil(socket, /data: one/)
  socket.end()
  await closed.promise
})

/** Whether the system itself looks whether the peer of this port's connections is still there. */
function isProbed(port: number): boolean {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  const fields = rows.map((row) => row.trim().split(/\s+/))
  // Established, with the timer of keep-alive running.
  return fields.some(
    ([, from, , state, , timer]) => from === local && state === '01' && timer?.startsWith('02:'),
  )
}

test('a peer whose machine is gone is noticed', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async (t) => {
  const server = await start(t, { tlsPort: 'any', handle: () => {} })
  const { certPem: ca } = await testAuthority()
  const plain = connect(server.port, '127.0.0.1')
  const secure = connectTls({ port: server.tlsPort, host: '127.0.0.1', ca, servername: 'localhost' })
  await Promise.all([once(plain, 'connect'), once(secure, 'secureConnect')])
  for (const port of [server.port, server.tlsPort]) while (!isProbed(port)) await new Promise(setImmediate)
  plain.destroy()
  secure.destroy()
})

test('those who wait for the end of an answer are not taken for a leak', () => {
  assert.deepEqual(warnings, [])
})

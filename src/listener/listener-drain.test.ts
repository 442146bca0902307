import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import {
  parseResponses,
  type Running,
  readAll,
  readUntil,
  reply,
  start,
  testAuthority,
} from '../../test/support/http/listener.ts'

const HOST = 'Host: a.localhost\r\n'
const LONG = 60_000

/** A server whose answers are given by hand. */
async function startHeld(t: TestContext, tlsPort: 0 | 'any' = 0) {
  const held: { readonly req: AnyRequest; readonly res: AnyResponse }[] = []
  const waiting = new Map<number, () => void>()
  const running = await start(t, {
    tlsPort,
    handle: (req, res) => waiting.get(held.push({ req, res }))?.(),
  })
  /** Resolves when so many requests have come in. */
  const arrived = (count: number) =>
    held.length >= count ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(count, resolve))
  return { ...running, held, arrived }
}

const refuses = async ({ port }: Pick<Running, 'port'>) =>
  assert.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })

async function send(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test('fifty requests under way all complete while new connections are refused', async (t) => {
  const server = await startHeld(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  t.after(() => agent.destroy())
  const get = (path: string) =>
    new Promise<{ status: number | undefined; connection: string | undefined; body: string }>(
      (resolve, reject) => {
        const outgoing = request({ host: '127.0.0.1', port: server.port, agent, path }, async (res) => {
          let body = ''
          for await (const chunk of res.setEncoding('utf8')) body += chunk
          resolve({ status: res.statusCode, connection: res.headers.connection, body })
        })
        outgoing.on('error', reject).end()
      },
    )
  const answers = Promise.all(Array.from({ length: 50 }, (_, i) => get(`/${i}`)))
  await server.arrived(50)
  const drained = server.drain(LONG)
  await refuses(server)
  for (const { req, res } of server.held) reply(res, req.url ?? '')
  for (const [i, answer] of (await answers).entries())
    assert.deepEqual(answer, { status: 200, connection: 'close', body: `/${i}` })
  await drained
})

test('streams under way complete over HTTP/2, and the peer is told to go elsewhere', async (t) => {
  const server = await startHeld(t, 'any')
  const { certPem } = await testAuthority()
  const session = connectHttp2(`https://localhost:${server.tlsPort}`, { ca: certPem })
  const told = once(session, 'goaway')
  const answers = Array.from({ length: 20 }, async (_, i) => {
    const stream = session.request({ ':path': `/${i}` })
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    let body = ''
    for await (const chunk of stream.setEncoding('utf8')) body += chunk
    return [headers[':status'], body]
  })
  await server.arrived(20)
  const drained = server.drain(LONG)
  const [code] = await told
  assert.equal(code, 0)
  for (const { req, res } of server.held) reply(res, (req.url ?? '').padEnd(200_000))
  const expected = answers.map((_, i) => [200, `/${i}`.padEnd(200_000)])
  assert.deepEqual(await Promise.all(answers), expected)
  await drained
})

test('idle connections are closed: fresh, kept alive, in a handshake, HTTP/2', async (t) => {
  const server = await start(t, { tlsPort: 'any', limits: { handshakeMs: 200 } })
  const fresh = await send(server.port, '')
  const handshaking = await send(server.tlsPort, '')
  const kept = await send(server.port, `GET / HTTP/1.1\r\n${HOST}\r\n`)
  await readUntil(kept, /ok$/)
  const { certPem } = await testAuthority()
  const session = connectHttp2(`https://localhost:${server.tlsPort}`, { ca: certPem })
  await once(session, 'remoteSettings')
  const ends = [fresh, kept, handshaking].map((socket) => once(socket.resume(), 'close'))
  await server.drain(LONG)
  await Promise.all([...ends, session.closed || once(session, 'close')])
})

test('a request that comes on an open connection after the drain has begun is served, and is its last', async (t) => {
  const server = await startHeld(t)
  const idle = await send(server.port, `GET /1 HTTP/1.1\r\n${HOST}\r\n`)
  await server.arrived(1)
  reply(server.held[0]?.res as AnyResponse, 'one')
  await readUntil(idle, /one$/)
  const drained = server.drain(LONG)
  const all = readAll(idle)
  idle.write(`GET /2 HTTP/1.1\r\n${HOST}\r\n`)
  await server.arrived(2)
  reply(server.held[1]?.res as AnyResponse, 'two')
  const [last] = parseResponses(await all)
  assert.deepEqual([last?.body, last?.headers.get('connection')], ['two', 'close'])
  await drained
})

test('pipelined requests that were accepted are all answered, only the last ends the connection', async (t) => {
  const server = await startHeld(t)
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`
  const socket = await send(server.port, get('/1') + get('/2'))
  const all = readAll(socket)
  await server.arrived(2)
  const drained = server.drain(LONG)
  socket.write(get('/3'))
  await server.arrived(3)
  for (const { req, res } of server.held) reply(res, req.url ?? '')
  const answers = parseResponses(await all).map(({ body, headers }) => [body, headers.get('connection')])
  assert.deepEqual(answers, [
    ['/1', 'keep-alive'],
    ['/2', 'keep-alive'],
    ['/3', 'close'],
  ])
  await drained
})

test('a response whose head is already out is completed, and its connection closed', async (t) => {
  const server = await startHeld(t)
  const socket = await send(server.port, `GET / HTTP/1.1\r\n${HOST}\r\n`)
  await server.arrived(1)
  const res = server.held[0]?.res
  assert.ok(res && !('stream' in res))
  res.writeHead(200, { 'content-length': '8' })
  res.write('half')
  await readUntil(socket, /half$/)
  const drained = server.drain(LONG)
  const rest = readAll(socket)
  res.end('half')
  assert.equal(await rest, 'half')
  await drained
})

test('an upload under way is read to its end', async (t) => {
  const server = await startHeld(t)
  const socket = await send(server.port, `POST / HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\nab`)
  await server.arrived(1)
  const drained = server.drain(LONG)
  const all = readAll(socket)
  const { req, res } = server.held[0] as { req: AnyRequest; res: AnyResponse }
  let body = ''
  req.setEncoding('utf8').on('data', (chunk) => {
    body += chunk
    if (body === 'ab') socket.write('cd')
  })
  await once(req, 'end')
  reply(res, body)
  assert.equal(parseResponses(await all)[0]?.body, 'abcd')
  await drained
})

test('what is left at the deadline is cut', async (t) => {
  const server = await startHeld(t, 'any')
  const { certPem } = await testAuthority()
  const session = connectHttp2(`https://localhost:${server.tlsPort}`, { ca: certPem }).on('error', () => {})
  session.request({ ':path': '/' }).on('error', () => {})
  const socket = await send(server.port, `GET / HTTP/1.1\r\n${HOST}\r\n`)
  const handshaking = connect(server.tlsPort, '127.0.0.1').on('error', () => {})
  await once(handshaking, 'connect')
  await server.arrived(2)
  const ends = [socket, handshaking].map((each) => once(each.resume(), 'close'))
  await server.drain(50)
  await Promise.all([...ends, session.destroyed || once(session, 'close')])
})

test('draining twice, or what never listened, is no error', async (t) => {
  const server = await start(t, {})
  await Promise.all([server.drain(100), server.drain(LONG)])
  await refuses(server)
})

test('an upgraded connection lives until the deadline', async (t) => {
  const server = await start(t, {
    upgrade: {
      accepts: () => true,
      handle: (_req, socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n') && socket.pipe(socket),
    },
  })
  const socket = await send(
    server.port,
    `GET / HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: echo\r\n\r\n`,
  )
  await readUntil(socket, /101/)
  const drained = server.drain(400)
  socket.write('still here')
  await readUntil(socket, /still here$/)
  await Promise.all([drained, once(socket, 'close')])
})

test('when the drain is over, whoever waited for the end of a connection has heard of it', async (t) => {
  const { certPem } = await testAuthority()
  const heard: string[] = []
  const open = new Set<Duplex>()
  const server = await start(t, {
    tlsPort: 'any',
    upgrade: {
      accepts: () => true,
      handle(req, socket) {
        open.add(socket)
        socket.once('close', () => heard.push(req.url ?? ''))
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      },
    },
  })
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: echo\r\n\r\n`
  const plain = await send(server.port, ask('/plain'))
  const secure = connectTls({ host: '127.0.0.1', port: server.tlsPort, servername: 'localhost', ca: certPem })
  secure.on('error', () => {}).write(ask('/secure'))
  for (const socket of [plain, secure]) await readUntil(socket, /101/)
  const drained = server.drain(LONG)
  for (const socket of open) socket.destroy()
  await drained
  assert.deepEqual(heard.sort(), ['/plain', '/secure'])
})

test('connections that are renewed end with their next answer, and those that come later stay', async (t) => {
  const { certPem } = await testAuthority()
  const server = await start(t, { tlsPort: 'any' })
  const old = await send(server.port, `GET / HTTP/1.1\r\n${HOST}\r\n`)
  assert.match(await readUntil(old, /ok$/), /connection: keep-alive/i)
  const session = connectHttp2(`https://localhost:${server.tlsPort}`, { ca: certPem })
  t.after(() => session.destroy())
  const ask = async () => {
    const stream = session.request({ ':path': '/' })
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    stream.resume()
    await once(stream, 'end')
    return headers[':status']
  }
  assert.equal(await ask(), 200)

  server.renewConnections()
  const goodbye = once(session, 'goaway')
  assert.equal(await ask(), 200)
  await goodbye
  old.write(`GET / HTTP/1.1\r\n${HOST}\r\n`)
  assert.match(await readAll(old), /connection: close/i)

  const late = await send(server.port, `GET / HTTP/1.1\r\n${HOST}\r\n`)
  assert.match(await readUntil(late, /ok$/), /connection: keep-alive/i)
  late.write(`GET / HTTP/1.1\r\n${HOST}\r\n`)
  assert.match(await readUntil(late, /ok$/), /connection: keep-alive/i)
  late.destroy()
})

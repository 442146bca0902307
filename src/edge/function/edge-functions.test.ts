import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { RunnerError, type RunnerFault } from '#core/ports/runner.ts'
import type { Edge } from '#edge/edge.ts'
import {
  ask,
  createEdgeWorld,
  createInstances,
  serveFast,
  serveHttp2,
  serveSlow,
  siteFunctions,
} from '#test/support/http/edge.ts'
import { until } from '#test/support/until.ts'

const instances = await createInstances()
const world = createEdgeWorld({ runner: instances.runner })
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
  await instances.close()
})

let hosts = 0

/** A site of the test's own with one function, which does as the test says. */
async function site(
  handler: (req: IncomingMessage, res: ServerResponse) => void,
  rest: Parameters<typeof world.addSite>[2] & { files?: Record<string, string>; maxDuration?: number } = {},
) {
  const host = `f${hosts++}.test`
  const program = `program-${host}`
  const instance = await instances.start(program, handler)
  const { files = {}, maxDuration = 10, ...site } = rest
  world.addSite(host, files, {
    functions: siteFunctions({ 'api/hello': { program, maxDuration } }),
    ...site,
  })
  const leases = () => instances.leases.filter((lease) => lease.program.program === program)
  return { host, program, instance, leases }
}

const echo = async (req: IncomingMessage, res: ServerResponse) => {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  res.end(JSON.stringify({ url: req.url, method: req.method, headers: req.headers, body }))
}

/** Leaves what comes from now on where it is, so that whoever sent it is told if it is never read. */
function readNoMore(socket: Socket): void {
  const { _handle: handle } = socket as unknown as { readonly _handle: { readStop(): void } }
  handle.readStop()
}

/** What was sent before has arrived wherever it goes to once others have been answered. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await ask(server.port, '/', { host: 'nobody.test' })
}

test('a function answers at its path, and at nothing else', async () => {
  const { host } = await site((_, res) => res.end('hello'), { files: { 'index.html': 'home' } })
  const answer = await ask(server.port, '/api/hello', { host })
  assert.equal(answer.status, 200)
  assert.equal(answer.text, 'hello')
  assert.equal(answer.headers['content-length'], '5')
  assert.equal((await ask(server.port, '/', { host })).text, 'home')
  assert.equal((await ask(server.port, '/api', { host })).status, 404)
})

test('functions called index answer for their folder, and files win over functions', async () => {
  const handler = (req: IncomingMessage, res: ServerResponse) => void res.end(req.headers['x-matched-path'])
  const { host, program } = await site(handler, { files: { 'about.html': 'file', 'api/file': 'file' } })
  const functions = siteFunctions({
    index: { program },
    'blog/index': { program },
    'blog/[slug]': { program },
    'api/file': { program },
  })
  world.addSite(host, { 'api/file': 'file' }, { functions })
  world.edge.invalidate(host)
  const text = async (path: string) => (await ask(server.port, path, { host })).text
  assert.equal(await text('/'), '/index')
  assert.equal(await text('/blog'), '/blog/index')
  assert.equal(await text('/blog/'), '/blog/index')
  assert.equal(
    await text('/blog/%5Bslug%5D'),
    '/blog/%5Bslug%5D'.replaceAll('%5B', '[').replaceAll('%5D', ']'),
  )
  assert.equal(await text('/api/file'), 'file')
})

test('the function gets the request as it is, with who asks, and cannot be lied to', async () => {
  const { host } = await site(echo)
  const forged = {
    'x-forwarded-for': '6.6.6.6',
    'X-Real-IP': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
    'x-aloft-request-id': 'forged',
    'X-Vercel-Id': 'forged',
    'x-vercel-ip-country': 'XX',
    'x-matched-path': '/forged',
    'x-now-route-matches': '1=forged',
    'x-middleware-subrequest': 'middleware',
  }
  const answer = await ask(server.port, '/api/hello?a=b&c=%20', {
    host,
    method: 'PUT',
    body: 'some text',
    headers: {
      ...forged,
      cookie: 'a=1',
      'x-own': 'yes',
      connection: 'x-hop',
      'x-hop': '1',
      te: 'trailers',
      'proxy-authorization': 'x',
    },
  })
  const { url, method, headers, body } = JSON.parse(answer.text)
  assert.equal(url, '/api/hello?a=b&c=%20')
  assert.equal(method, 'PUT')
  assert.equal(body, 'some text')
  const id = answer.headers['x-platform-id']
  assert.deepEqual(headers, {
    host,
    'x-aloft-request-id': id,
    'x-vercel-id': id,
    'x-invocation-id': id,
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': host,
    'x-forwarded-proto': 'http',
    'x-forwarded-port': String(server.port),
    'x-real-ip': '127.0.0.1',
    'x-matched-path': '/api/hello',
    'x-vercel-deployment-url': host,
    forwarded: `for=127.0.0.1;host="${host}";proto=http`,
    'content-length': '9',
    cookie: 'a=1',
    'x-own': 'yes',
    connection: 'keep-alive',
  })
})

test('behind a rewrite the function sees the path that was asked for, and the query of both', async () => {
  const { host } = await site(echo, { routes: [{ src: '/users/(.*)', dest: '/api/hello?id=$1' }] })
  const { text } = await ask(server.port, '/users/7//x/../y?a=b', { host })
  const { url, headers } = JSON.parse(text)
  assert.equal(url, '/users/7/y?a=b&id=7%2Fy')
  assert.equal(headers['x-matched-path'], '/api/hello')
})

test('status, headers and cookies come back, with those of the routes where the function is silent', async () => {
  const { host } = await site(
    (_, res) => {
      res.writeHead(201, [
        ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Both', 'function'],
        ...['x-platform-error', 'FORGED', 'keep-alive', 'timeout=1', 'date', 'never'],
      ])
      res.end('made')
    },
    { routes: [{ src: '/api/.*', headers: { 'x-both': 'route', 'x-route': 'yes' }, continue: true }] },
  )
  const { status, headers, text } = await ask(server.port, '/api/hello', { host })
  assert.equal(status, 201)
  assert.equal(text, 'made')
  assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2'])
  assert.equal(headers['x-both'], 'function')
  assert.equal(headers['x-route'], 'yes')
  assert.equal(headers['x-platform-error'], undefined)
  assert.notEqual(headers.date, 'never')
})

test('a route can set the status', async () => {
  const { host } = await site((_, res) => res.end('gone'), {
    routes: [{ src: '/old', dest: '/api/hello', status: 410 }],
  })
  const { status, text } = await ask(server.port, '/old', { host })
  assert.deepEqual([status, text], [410, 'gone'])
})

test('connections to an instance are used again, and leases are given back', async () => {
  const { host, instance, leases } = await site((_, res) => res.end('x'))
  for (let i = 0; i < 5; i++) await ask(server.port, '/api/hello', { host })
  assert.equal(instance.connections, 1)
  assert.deepEqual(
    leases().map(({ ends }) => ends),
    Array.from({ length: 5 }, () => [undefined]),
  )
})

test('answers without a body end at once, and the connection is used again', async () => {
  const { host, instance } = await site((req, res) => {
    res.statusCode = Number(req.headers['x-status'] ?? 200)
    if (req.method === 'HEAD') res.setHeader('content-length', '1000')
    res.end()
  })
  for (const status of ['204', '304'])
    assert.equal(
      (await ask(server.port, '/api/hello', { host, headers: { 'x-status': status } })).status,
      Number(status),
    )
  const head = await ask(server.port, '/api/hello', { host, method: 'HEAD' })
  assert.equal(head.headers['content-length'], '1000')
  assert.equal(instance.connections, 1)
})

test('a body is streamed to the visitor while it is made', async () => {
  let next: () => void = () => {}
  const { host } = await site((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.flushHeaders()
    next = () => {
      res.write('one')
      next = () => res.end('two')
    }
  })
  const req = request({
    port: server.port,
    host: '127.0.0.1',
    path: '/api/hello',
    headers: { host },
    agent: false,
  })
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  const chunks = res[Symbol.asyncIterator]()
  next()
  assert.equal(String((await chunks.next()).value), 'one')
  next()
  assert.equal(String((await chunks.next()).value), 'two')
  assert.equal((await chunks.next()).done, true)
})

test('large bodies pass in both directions, whatever their framing', async () => {
  const { host, instance } = await site((req, res) => void req.pipe(res))
  // Hosted platforms end at 4.5 MB.
  const big = Buffer.alloc(6_000_000, 'abcdefghij')
  const known = await ask(server.port, '/api/hello', { host, method: 'POST', body: big })
  assert.ok(known.body.equals(big))
  const req = request({
    ...{ port: server.port, host: '127.0.0.1', path: '/api/hello', method: 'POST', agent: false },
    headers: { host, 'transfer-encoding': 'chunked' },
  })
  for (let at = 0; at < big.length; at += 100_000) req.write(big.subarray(at, at + 100_000))
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  assert.ok(Buffer.concat(await res.toArray()).equals(big))
  assert.equal(instance.connections, 1)
})

test('an instance that does not read holds the visitor back, and the memory stays small', async () => {
  let arrived: (req: IncomingMessage) => void = () => {}
  const seen = new Promise<IncomingMessage>((resolve) => {
    arrived = resolve
  })
  const { host } = await site((req, res) => {
    arrived(req.pause())
    res.on('error', () => {})
  })
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  const length = 512 * 1024 * 1024
  socket.write(`POST /api/hello HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\n\r\n`)
  const chunk = Buffer.alloc(1024 * 1024)
  let sent = 0
  while (socket.write(chunk) || (await drained(socket))) sent += chunk.length
  await seen
  assert.ok(sent < 64 * chunk.length, `${sent} bytes were taken`)
  socket.destroy()
})

/** Whether what was written goes out within a moment. */
const drained = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 300)
    socket.once('drain', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })

test('a visitor who goes away ends the request at the instance', async () => {
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>()
  const { promise: begun, resolve: onBegin } = Promise.withResolvers<void>()
  const { host, leases } = await site((_, res) => {
    onBegin()
    res.once('close', onClose)
  })
  const req = request({
    port: server.port,
    host: '127.0.0.1',
    path: '/api/hello',
    headers: { host },
    agent: false,
  })
  req.on('error', () => {})
  req.end()
  await begun
  req.destroy()
  await closed
  assert.deepEqual(leases()[0]?.ends, [undefined])
})

for (const version of ['1.1', '2'])
  test(`HTTP/${version}: a visitor who has left before the function is asked does not keep it, and is noted`, async () => {
    const looked = Promise.withResolvers<void>()
    const found = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const { host, leases, program } = await site(() => {})
    const own = createEdgeWorld({
      runner: instances.runner,
      sites: {
        async find(name) {
          looked.resolve()
          await found.promise
          return own.sites.get(name)
        },
      },
    })
    own.addSite(host, {}, { functions: siteFunctions({ 'api/hello': { program, maxDuration: 5 } }) })
    const { handle } = own.edge
    const edge: Edge = {
      ...own.edge,
      handle(req, res) {
        res.once('close', left.resolve)
        return handle(req, res)
      },
    }
    const running = version === '2' ? await serveHttp2(edge, false) : await serveSlow(edge)
    const leave = version === '2' ? visitHttp2(running.port, host) : visitHttp1(running.port, host)
    await looked.promise
    leave()
    await left.promise
    found.resolve()
    await until(() => leases()[0]?.ends.length === 1)
    assert.deepEqual(leases()[0]?.ends, [undefined], 'it is not said to be stuck')
    await until(() => own.visits.length === 1)
    await running.close()
    await own.edge.close()
  })

/** Asks for the function, and answers how to leave. */
function visitHttp1(port: number, host: string): () => void {
  const req = request({ port, host: '127.0.0.1', path: '/api/hello', headers: { host }, agent: false })
  req.on('error', () => {}).end()
  return () => req.destroy()
}

function visitHttp2(port: number, host: string): () => void {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  const stream = session.request({ ':path': '/api/hello', ':authority': host })
  stream.on('error', () => {}).end()
  return () => session.destroy()
}

test('a function that takes too long is given up with a 504, and its instance is said to be stuck', async () => {
  const { host, leases } = await site(() => {}, { maxDuration: 0.05 })
  const { status, headers } = await ask(server.port, '/api/hello', { host })
  assert.equal(status, 504)
  assert.equal(headers['x-platform-error'], 'FUNCTION_INVOCATION_TIMEOUT')
  assert.deepEqual(leases()[0]?.ends, ['stuck'])
})

test('an answer that takes too long is cut', async () => {
  const { host, leases } = await site((_, res) => void res.write('begun'), { maxDuration: 1 })
  await assert.rejects(ask(server.port, '/api/hello', { host }), { code: 'ECONNRESET' })
  assert.deepEqual(leases()[0]?.ends, ['stuck'])
})

for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE'])
  test(`what may have brought an instance down is not sent to another one: ${method}`, async () => {
    let asked = 0
    const { host, leases } = await site((req) => {
      asked++
      req.socket.destroy()
    })
    const { status, headers } = await ask(server.port, '/api/hello', { host, method })
    assert.deepEqual([status, headers['x-platform-error']], [500, 'FUNCTION_INVOCATION_FAILED'])
    assert.equal(asked, 1)
    assert.deepEqual(
      leases().map(({ ends }) => ends),
      [['broken']],
    )
  })

test('on the fast path too, where the site may have a page of its own for it', async () => {
  let asked = 0
  const { host, program } = await site((req) => {
    asked++
    req.socket.destroy()
  })
  world.addSite(host, {}, { functions: siteFunctions({ 'api/hello': { program } }), routesFrom: 'output' })
  world.edge.invalidate(host)
  const own = await serveFast(world.edge)
  await ask(own.port, '/nothing', { host, headers: { connection: 'keep-alive' } })
  const { status, headers } = await ask(own.port, '/api/hello', {
    ...{ host, headers: { connection: 'keep-alive' } },
  })
  assert.deepEqual([status, headers['x-platform-error']], [500, 'FUNCTION_INVOCATION_FAILED'])
  assert.equal(asked, 1)
  await own.close()
})

test('and where the visitor has ended their side meanwhile', async () => {
  const asked = Promise.withResolvers<IncomingMessage>()
  const { host, program } = await site((req) => asked.resolve(req))
  world.addSite(host, {}, { functions: siteFunctions({ 'api/hello': { program } }), routesFrom: 'output' })
  world.edge.invalidate(host)
  const own = await serveFast(world.edge)
  await ask(own.port, '/nothing', { host, headers: { connection: 'keep-alive' } })
  const before = own.handedOver()
  const visitor = connect({ port: own.port, host: '127.0.0.1', allowHalfOpen: true })
  visitor.end(`GET /api/hello HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  const { socket } = await asked.promise
  await settle()
  assert.equal(own.handedOver(), before)
  socket.destroy()
  let answer = ''
  for await (const chunk of visitor) answer += chunk
  assert.match(answer, /HTTP\/1\.1 500 .*\r\nx-platform-error: FUNCTION_INVOCATION_FAILED\r\n/is)
  assert.equal(own.handedOver(), before + 1)
  await own.close()
})

test('whoever has ended their side is told to go on while they wait, but not over HTTP/1.0', async () => {
  const waiting: ServerResponse[] = []
  let onAsked = () => {}
  const { host } = await site((_, res) => {
    waiting.push(res)
    onAsked()
  })
  const visit = async (version: string) => {
    const asked = Promise.withResolvers<void>()
    onAsked = asked.resolve
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.end(`GET /api/hello HTTP/${version}\r\nhost: ${host}\r\n\r\n`)
    await asked.promise
    return socket.setEncoding('latin1')
  }
  const [old, recent] = [await visit('1.0'), await visit('1.1')]
  // Who came first was looked at by then.
  await once(recent, 'data')
  for (const res of waiting) res.end('there')
  let text = ''
  for await (const chunk of old) text += chunk
  recent.destroy()
  assert.match(text, /^HTTP\/1\.[01] 200 .*\r\n\r\nthere$/s)
})

for (const [method, isHostLost, expected] of [
  ['GET', true, 200],
  ['GET', false, 500],
  ['POST', true, 500],
] as const)
  test(`${method} where ${isHostLost ? 'the platform' : 'something else'} ended the instance: ${expected}`, async () => {
    let asked = 0
    const { host, program } = await site((req, res) => {
      if (asked++ === 0) req.socket.destroy()
      else res.end('second')
    })
    const edge = createEdgeWorld({
      runner: {
        lease: async (ref, options) => ({
          ...(await instances.runner.lease(ref, options)),
          isHostLost: async () => isHostLost,
        }),
      },
    })
    edge.addSite(host, {}, { functions: siteFunctions({ 'api/hello': { program } }) })
    const own = await serveSlow(edge.edge)
    assert.equal((await ask(own.port, '/api/hello', { host, method })).status, expected)
    assert.equal(asked, expected === 200 ? 2 : 1)
    await own.close()
    await edge.edge.close()
  })

test('a function that failed is answered with the same page as every other failure', async () => {
  const { host } = await site((_, res) => {
    res.writeHead(500, { 'x-vercel-error': 'FUNCTION_INVOCATION_FAILED' }).end('A server error has occurred')
  })
  const { status, headers, body } = await ask(server.port, '/api/hello', {
    ...{ host, headers: { accept: 'text/html' } },
  })
  assert.deepEqual([status, headers['x-platform-error']], [500, 'FUNCTION_INVOCATION_FAILED'])
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(body.toString(), /<h1>Function crashed<\/h1>/)
  assert.doesNotMatch(body.toString(), /A server error has occurred/)
})

test('a connection that an instance is about to close is not used again', async () => {
  const { host, program } = await site((_, res) => res.end())
  const instance = await instances.startRaw(program, (socket) => {
    socket.on('data', () =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=1\r\n\r\n'),
    )
  })
  for (let i = 0; i < 3; i++) assert.equal((await ask(server.port, '/api/hello', { host })).status, 200)
  assert.equal(instance.connections, 3)
})

test('what may have been done already is not asked of another one', async () => {
  let asked = 0
  const { host } = await site((req) => {
    asked++
    req.resume().on('end', () => req.socket.destroy())
  })
  const { status, headers } = await ask(server.port, '/api/hello', { host, method: 'POST', body: 'pay' })
  assert.equal(status, 500)
  assert.equal(headers['x-platform-error'], 'FUNCTION_INVOCATION_FAILED')
  assert.equal(asked, 1)
})

const FRAMINGS = [
  ['content-length: 3', 'pay'],
  ['transfer-encoding: chunked', '3\r\npay\r\n0\r\n\r\n'],
] as const

const posting = (host: string, framing: string): string =>
  `POST /api/hello HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${framing}\r\n\r\n`

for (const [framing, rest] of FRAMINGS)
  test(`an instance that has read the head alone may have done it (${framing})`, async () => {
    const { host, program } = await site((_, res) => res.end('second'))
    const heads: string[] = []
    const read = Promise.withResolvers<Socket>()
    await instances.startRaw(program, (socket) => {
      socket.once('data', (head: Buffer) => {
        heads.push(head.toString())
        readNoMore(socket)
        if (heads.length === 1) read.resolve(socket)
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain')
      })
    })
    const visitor = connect(server.port, '127.0.0.1')
    visitor.write(posting(host, framing))
    const instance = await read.promise
    visitor.write(rest)
    await settle()
    instance.destroy()
    const [answer] = (await once(visitor, 'data')) as [Buffer]
    visitor.destroy()
    assert.match(answer.toString(), /^HTTP\/1\.1 500 /)
    assert.equal(heads.length, 1)
    assert.doesNotMatch(heads[0] ?? '', /pay/)
  })

for (const [framing, rest] of FRAMINGS)
  test(`an instance that has read nothing is replaced, also where a body was sent (${framing})`, async () => {
    const { host, program } = await site(echo)
    const ending = await instances.startRaw(program, (socket) => {
      readNoMore(socket)
      void settle().then(() => ending.close())
    })
    const visitor = connect(server.port, '127.0.0.1')
    visitor.write(`${posting(host, framing)}${rest}`)
    const [answer] = (await once(visitor, 'data')) as [Buffer]
    visitor.destroy()
    assert.match(answer.toString(), /^HTTP\/1\.1 200 /)
    assert.match(answer.toString(), /"body":"pay"/)
    assert.equal(ending.connections, 1)
  })

test('a request is given up after some instances were not there', async () => {
  let leases = 0
  const edge = createEdgeWorld({
    runner: {
      lease() {
        leases++
        return { instanceId: 'gone', socket: '/nowhere/instance.sock', release: () => {} }
      },
    },
  })
  edge.addSite('site.test', {}, { functions: siteFunctions({ index: {} }) })
  const own = await serveSlow(edge.edge)
  assert.equal((await ask(own.port, '/')).status, 500)
  assert.equal(leases, 4)
  await own.close()
  await edge.edge.close()
})

test('an instance that is not there is said to be broken, and another one is asked, whatever the method', async () => {
  const { host, program, instance } = await site((_, res) => res.end('never'))
  let count = 0
  const edge = createEdgeWorld({
    runner: {
      lease(ref, options) {
        if (count++ > 0) return instances.runner.lease(ref, options)
        return { instanceId: 'gone', socket: `${instance.socket}.gone`, release: (end) => ends.push(end) }
      },
    },
  })
  const ends: (string | undefined)[] = []
  await instances.start(program, echo)
  edge.addSite(host, {}, { functions: siteFunctions({ 'api/hello': { program } }) })
  const own = await serveSlow(edge.edge)
  const { status, text } = await ask(own.port, '/api/hello', { host, method: 'POST', body: 'once' })
  assert.deepEqual([status, JSON.parse(text).body], [200, 'once'])
  assert.deepEqual(ends, ['broken'])
  await own.close()
  await edge.edge.close()
})

test('a connection that was closed while it was idle costs nobody an answer, whatever the method', async () => {
  const sockets = new Set<Socket>()
  const { host, instance } = await site(echo)
  instance.server.on('connection', (socket: Socket) => sockets.add(socket))
  for (let i = 0; i < 20; i++) {
    const { status, text } = await ask(server.port, '/api/hello', { host, method: 'POST', body: `${i}` })
    assert.deepEqual([status, JSON.parse(text).body], [200, `${i}`])
    // The edge learns of it at the same time as of the next request, or later.
    for (const socket of sockets) socket.destroy()
  }
})

test('the unique address of an instance leads to it alone, and to nothing when it is gone', async () => {
  const uid = 'a1'.repeat(12)
  const asked: (string | undefined)[] = []
  const running = new Map([['one.test', [{ id: uid }]]])
  const { program } = await site((_, res) => res.end('from it'))
  const edge = createEdgeWorld({
    instancesOf: async (deploymentId) => running.get(deploymentId.slice('dpl_'.length)) ?? [],
    runner: {
      lease(ref, options) {
        asked.push(options?.instance)
        if (options?.instance === uid && running.size === 0) throw new RunnerError('absent', 'gone')
        return instances.runner.lease(ref, options)
      },
    },
  })
  const functions = siteFunctions({ index: { program } })
  edge.addSite('one.test', { 'a.txt': 'file' }, { functions })
  edge.addSite('alias.test', {}, { functions, deploymentHost: 'one.test' })
  edge.addSite(
    'closed.test',
    {},
    {
      ...{ functions, deploymentId: 'dpl_one.test' },
      protection: { optionsPaths: [], bypassHashes: [], sso: true },
    },
  )
  const own = await serveSlow(edge.edge)
  const status = async (host: string, path = '/') => (await ask(own.port, path, { host })).status
  assert.equal((await ask(own.port, '/', { host: `one-${uid}.test` })).text, 'from it')
  assert.deepEqual(asked, [uid])
  assert.equal(await status(`one-${'b2'.repeat(12)}.test`), 404)
  assert.equal(await status(`alias-${uid}.test`), 404)
  assert.equal(await status(`closed-${uid}.test`), 401)
  running.clear()
  assert.equal(await status(`one-${uid}.test`, '/a.txt'), 404)
  assert.equal(await status(`one-${uid}.test`), 404)
  await own.close()
  await edge.edge.close()
})

for (const [fault, status, code] of [
  ['crashed', 500, 'FUNCTION_INVOCATION_FAILED'],
  ['absent', 502, 'FUNCTION_NOT_FOUND'],
  ['unavailable', 503, 'FUNCTION_UNAVAILABLE'],
] as const satisfies [RunnerFault, number, string][])
  test(`a runner that says ${fault} makes a ${status}`, async () => {
    for (const lease of [
      () => {
        throw new RunnerError(fault, 'for the log')
      },
      () => Promise.reject(new RunnerError(fault, 'for the log')),
    ]) {
      const edge = createEdgeWorld({ runner: { lease } })
      edge.addSite('site.test', {}, { functions: siteFunctions({ index: {} }) })
      const own = await serveSlow(edge.edge)
      const answer = await ask(own.port, '/')
      assert.equal(answer.status, status)
      assert.equal(answer.headers['x-platform-error'], code)
      assert.equal(answer.headers['retry-after'], status === 503 ? '5' : undefined)
      assert.ok(!answer.text.includes('for the log'))
      await own.close()
      await edge.edge.close()
    }
  })

test('while an instance is waited for, a visitor who goes away takes the request back', async () => {
  const { promise: requested, resolve: onRequest } = Promise.withResolvers<AbortSignal>()
  const edge = createEdgeWorld({
    runner: {
      lease: (_, options) =>
        new Promise((_resolve, reject) => {
          const signal = options?.signal as AbortSignal
          signal.addEventListener('abort', () => reject(signal.reason))
          onRequest(signal)
        }),
    },
  })
  edge.addSite('site.test', {}, { functions: siteFunctions({ index: {} }) })
  const own = await serveSlow(edge.edge)
  const req = request({ port: own.port, host: '127.0.0.1', headers: { host: 'site.test' }, agent: false })
  req.on('error', () => {})
  req.end()
  const signal = await requested
  const aborted = once(signal, 'abort')
  req.destroy()
  await aborted
  await own.close()
  await edge.edge.close()
})

test('visitors are kept with an instance by their address if the project wants it', async () => {
  const { host, leases } = await site((_, res) => res.end(), { sessionAffinity: 'ip' })
  await ask(server.port, '/api/hello', { host })
  assert.equal(leases()[0]?.affinity, '127.0.0.1')
  const other = await site((_, res) => res.end())
  await ask(server.port, '/api/hello', { host: other.host })
  assert.equal(other.leases()[0]?.affinity, undefined)
})

test('visits say which function answered, and whether it is a server', async () => {
  const { host, program } = await site((_, res) => res.end('12345'))
  const of = (status: number) =>
    world.visits.filter((visit) => visit.host === host && visit.status === status)
  await ask(server.port, '/api/hello', { host })
  world.addSite(host, {}, { functions: siteFunctions({ server: { program, shape: 'command' } }) })
  world.edge.invalidate(host)
  await ask(server.port, '/server', { host })
  const [first, second] = of(200)
  assert.deepEqual([first?.source, first?.entrypoint, first?.bytes], ['function', 'api/hello', 5])
  assert.deepEqual([second?.source, second?.entrypoint, second?.path], ['server', 'server', '/server'])
})

test('over HTTP/2 it is the same', async () => {
  const { host } = await site(async (req, res) => {
    res.setHeader('set-cookie', ['a=1', 'b=2'])
    await echo(req, res)
  })
  const own = await serveHttp2(world.edge)
  const session = connectHttp2(`http://127.0.0.1:${own.port}`)
  const stream = session.request({
    ...{ ':path': '/api/hello?q', ':method': 'POST', ':authority': host },
    ...{ cookie: ['c=1', 'd=2'] as unknown as string, 'x-own': 'ä' },
  })
  stream.end('body')
  const [headers] = await once(stream, 'response')
  const { url, body, headers: seen } = JSON.parse(Buffer.concat(await stream.toArray()).toString())
  assert.deepEqual([headers[':status'], url, body], [200, '/api/hello?q', 'body'])
  assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2'])
  assert.equal(seen.cookie, 'c=1; d=2')
  assert.equal(seen['transfer-encoding'], 'chunked')
  assert.equal(seen[':path'], undefined)
  session.close()
  await own.close()
})

test('the fast path serves the files of a site with functions, and never instead of a function', async () => {
  const { host } = await site((_, res) => res.end('function'), { files: { 'a.txt': 'file' } })
  const own = await serveFast(world.edge)
  const headers = { connection: 'keep-alive' }
  for (let i = 0; i < 3; i++) {
    assert.equal((await ask(own.port, '/a.txt', { host, headers })).text, 'file')
    assert.equal((await ask(own.port, '/api/hello', { host, headers })).text, 'function')
  }
  // The one whose request brought the site into memory.
  assert.equal(own.handedOver(), 1)
  await own.close()
})

/** All that a visitor sees of an answer, without what is different each time. */
async function look(agent: Agent, port: number, path: string, headers: OutgoingHttpHeaders, method = 'GET') {
  const req = request({ port, host: '127.0.0.1', path, method, headers, agent })
  req.end(method === 'POST' ? 'body' : undefined)
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await res.toArray()).toString('latin1')
  const { statusCode, statusMessage } = res
  // How the body ends depends on whether it came at once.
  const rawHeaders = res.rawHeaders.filter(
    (_, index) =>
      !/^(?:content-length|transfer-encoding)$/i.test(res.rawHeaders[index - (index % 2)] as string),
  )
  return JSON.stringify({ statusCode, statusMessage, rawHeaders, text })
    .replace(/iad1::[\w-]+/g, 'id')
    .replace(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT/g, 'date')
    .replaceAll(String(port), 'port')
}

test('with and without the fast path, visitors get the same', async () => {
  const handler = async (req: IncomingMessage, res: ServerResponse) => {
    const kind = req.headers['x-kind'] ?? req.url?.split('?')[1]
    if (kind === 'crash') req.socket.destroy()
    else if (kind === 'stream') res.write('one ', () => res.end('two'))
    else if (kind === 'empty') res.end()
    else if (kind === '204') res.writeHead(204).end()
    else if (kind === '304') res.writeHead(304, { etag: '"x"' }).end()
    else if (kind === '404')
      res.writeHead(404, 'Own Words', ['set-cookie', 'a=1', 'Set-Cookie', 'b=2']).end('none')
    else if (kind === 'big') res.end('x'.repeat(300_000))
    else if (kind === 'short') res.end('short')
    else if (kind === 'cookie') res.setHeader('set-cookie', 'a=1; Domain=test; Path=/').end('cookie')
    else if (kind === 'text') res.setHeader('content-type', 'text/plain').end('text '.repeat(1000))
    else await echo(req, res)
  }
  const { host } = await site(handler, { files: { 'a.txt': 'file' } })
  const { host: built, program } = await site(handler)
  world.addSite(built, {}, { functions: siteFunctions({ 'api/hello': { program } }), routesFrom: 'output' })
  const [slow, fast] = [await serveSlow(world.edge), await serveFast(world.edge)]
  const agents = [slow, fast].map(({ port }) => ({
    port,
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
  }))
  const agree = async (path: string, headers: OutgoingHttpHeaders, method?: string) => {
    const [a, b] = await Promise.all(
      agents.map(({ agent, port }) => look(agent, port, path, headers, method)),
    )
    assert.equal(b, a)
  }
  const own = {
    cookie: 'a=1; b=2',
    'X-Own': ' spaced ',
    'X-Forwarded-For': '6.6.6.6',
    'X-Vercel-Id': 'forged',
  }
  for (const name of [host, built]) {
    // Into memory, on a connection of its own.
    await ask(fast.port, '/nothing', { host: name })
    for (const kind of ['', '?q=1', '?stream', '?empty', '?204', '?304', '?404', '?big', '?text', '?crash'])
      await agree(`/api/hello${kind}`, { host: name, ...own })
    // The same again and again, on the same connections.
    for (const kind of ['text', 'short', 'cookie', 'stream', '404', 'text', 'short', '204', 'empty'])
      for (const encoding of ['gzip', 'gzip', 'br', 'identity', 'identity'])
        await agree('/api/hello', { host: name, 'x-kind': kind, 'accept-encoding': encoding })
    await agree('/api/hello?crash', { host: name, accept: 'application/json' })
    await agree('/api/hello?text', { host: name, 'accept-encoding': 'gzip' })
    await agree('/api/hello', { host: name }, 'POST')
    await agree('/api/hello', { host: name })
  }
  for (const { agent } of agents) agent.destroy()
  await slow.close()
  await fast.close()
})

test('each visitor gets the body that was made for them, however many are answered at once', async () => {
  // All of them have the same head, whose answer is put together once, and only some go out in one piece with it.
  const { host } = await site((req, res) => {
    const [mark = '', length = ''] = String(req.headers['x-wanted']).split(' ')
    res.end(mark.repeat(Number(length)))
  })
  const fast = await serveFast(world.edge)
  await ask(fast.port, '/nothing', { host })
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const wanted = Array.from({ length: 200 }, (_, n) => [
    String.fromCharCode(97 + (n % 26)),
    n % 7 === 0 ? 20_000 : 300,
  ])
  await Promise.all(
    wanted.map(async ([mark, length]) => {
      const headers = { host, 'x-wanted': `${mark} ${length}` }
      const { text } = JSON.parse(await look(agent, fast.port, '/api/hello', headers))
      assert.equal(text, String(mark).repeat(Number(length)))
    }),
  )
  assert.ok(fast.handedOver() <= 1)
  agent.destroy()
  await fast.close()
})

test('on the fast path too, a visitor who goes away ends the request, and is noted', async () => {
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>()
  const { promise: begun, resolve: onBegin } = Promise.withResolvers<void>()
  const { host, leases } = await site((_, res) => {
    onBegin()
    res.once('close', onClose)
  })
  const own = await serveFast(world.edge)
  await ask(own.port, '/nothing', { host })
  const socket = connect(own.port, '127.0.0.1')
  socket.write(`GET /api/hello HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await begun
  socket.destroy()
  await closed
  assert.deepEqual(leases()[0]?.ends, [undefined])
  assert.equal(world.visits.find((visit) => visit.host === host && visit.path === '/api/hello')?.status, 499)
  await own.close()
})

test('a visitor who reads slowly holds a function back on the fast path too', async () => {
  let written = 0
  const { host } = await site((_, res) => {
    const write = () => {
      while (res.write(Buffer.alloc(64 * 1024))) written += 64 * 1024
    }
    res.on('drain', write)
    write()
  })
  const own = await serveFast(world.edge)
  await ask(own.port, '/nothing', { host })
  const socket = connect(own.port, '127.0.0.1')
  socket.write(`GET /api/hello HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await once(socket, 'readable')
  for (let before = -1; before !== written; await new Promise((resolve) => setTimeout(resolve, 100)))
    before = written
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`)
  socket.destroy()
  await own.close()
})

test('what a function answers is compressed where that helps', async () => {
  const text = 'compressible '.repeat(1000)
  const { host } = await site((req, res) => {
    const parts = (req.url as string).includes('stream') ? 2 : 1
    res.writeHead(200, {
      'content-type': req.url?.includes('events') ? 'text/event-stream' : 'text/plain',
      etag: '"x"',
      ...(req.url?.includes('no-transform') && { 'cache-control': 'no-transform' }),
      ...(parts === 1 && { 'content-length': text.length }),
    })
    if (parts === 1) res.end(text)
    else res.write(text.slice(0, 5000), () => res.end(text.slice(5000)))
  })
  const gzip = { host, headers: { 'accept-encoding': 'gzip' } }
  for (const query of ['whole', 'stream']) {
    const { headers, body } = await ask(server.port, `/api/hello?${query}`, gzip)
    assert.equal(headers['content-encoding'], 'gzip', query)
    assert.equal(headers.etag, 'W/"x"')
    assert.match(headers.vary ?? '', /accept-encoding/)
    assert.equal(gunzipSync(body).toString(), text)
  }
  for (const query of ['no-transform', 'events']) {
    const { headers, body } = await ask(server.port, `/api/hello?${query}`, gzip)
    assert.equal(headers['content-encoding'], undefined, query)
    assert.equal(body.toString(), text)
  }
  assert.equal((await ask(server.port, '/api/hello', { host })).text, text)
})

for (const [what, sent] of [
  ['no HTTP', 'hello\r\n\r\n'],
  ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nx'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
  ['an unknown coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\nx'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nx: 1\r\n y\r\n\r\n'],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\nx : 1\r\n\r\n'],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`],
] as const)
  test(`an instance that answers with ${what} makes a 500`, async () => {
    const { host, program } = await site(() => {})
    await instances.startRaw(program, (socket) => socket.once('data', () => socket.write(sent)))
    const { status, headers } = await ask(server.port, '/api/hello', { host })
    assert.equal(status, 500)
    assert.equal(headers['x-platform-error'], 'FUNCTION_INVOCATION_FAILED')
  })

test('early hints, trailers and chunks in small pieces are read', async () => {
  const { host, program } = await site(() => {})
  const answer =
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n' +
    '5;a=b\r\nhello\r\n1\r\n \r\n005\r\nworld\r\n0\r\nx-trailer: 1\r\n\r\n'
  await instances.startRaw(program, (socket) =>
    socket.on('data', async () => {
      for (const byte of answer) await new Promise((resolve) => socket.write(byte, resolve))
    }),
  )
  for (let i = 0; i < 2; i++) {
    const { status, text, headers } = await ask(server.port, '/api/hello', { host })
    assert.deepEqual([status, text, headers.link], [200, 'hello world', undefined])
  }
})

test('a body that ends with the connection is whole, one that was announced longer is not', async () => {
  const { host, program } = await site(() => {})
  let sent = 'HTTP/1.0 200 OK\r\n\r\nall of it'
  await instances.startRaw(program, (socket) => socket.once('data', () => socket.end(sent)))
  assert.equal((await ask(server.port, '/api/hello', { host })).text, 'all of it')
  sent = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\na part'
  await assert.rejects(ask(server.port, '/api/hello', { host }), { code: 'ECONNRESET' })
})

test('bytes after an answer are never taken for the next one', async () => {
  const { host, program } = await site(() => {})
  const instance = await instances.startRaw(program, (socket) =>
    socket.on('data', () =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 Forged\r\n\r\n'),
    ),
  )
  for (let i = 0; i < 2; i++) assert.equal((await ask(server.port, '/api/hello', { host })).status, 200)
  assert.equal(instance.connections, 2)
})

test('an upgrade is passed to the function, and what follows goes both ways', async () => {
  const { host, instance, leases } = await site((_, res) => res.end('ordinary'))
  instance.server.on('upgrade', (req: IncomingMessage, socket: Socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: ${req.headers.upgrade}\r\nx-id: ${req.headers['x-vercel-id']}\r\n\r\nwelcome `,
    )
    socket.pipe(socket)
  })
  await ask(server.port, '/api/hello', { host })
  const req = request({
    ...{ port: server.port, host: '127.0.0.1', path: '/api/hello', agent: false },
    headers: { host, connection: 'Upgrade', upgrade: 'websocket' },
  })
  req.end()
  const [res, socket, head] = (await once(req, 'upgrade')) as [IncomingMessage, Socket, Buffer]
  assert.equal(res.headers.upgrade, 'websocket')
  assert.equal(res.headers['x-id'], res.headers['x-platform-id'])
  let text = head.toString()
  socket.write('and back')
  while (!text.endsWith('and back')) text += String((await once(socket, 'data'))[0])
  assert.equal(text, 'welcome and back')
  assert.deepEqual(leases()[1]?.ends, [])
  socket.end()
  await once(socket, 'close')
  while (leases()[1]?.ends.length === 0) await new Promise(setImmediate)
  assert.deepEqual(leases()[1]?.ends, [undefined])
  assert.equal(world.visits.find((visit) => visit.host === host && visit.status === 101)?.source, 'function')
})

test('a WebSocket on which nobody says anything is ended on both sides, and its lease given back', async () => {
  const own = createEdgeWorld({ runner: instances.runner, quietMs: 20 })
  const listening = await serveSlow(own.edge)
  const instance = await instances.start('program-quiet', (_, res) => res.end())
  const functions = siteFunctions({ 'api/hello': { program: 'program-quiet', maxDuration: 10 } })
  own.addSite('quiet.test', {}, { functions })
  const ended = new Promise((resolve) => {
    instance.server.on('upgrade', (_: IncomingMessage, socket: Socket) => {
      socket.once('end', () => resolve(socket.end())).resume()
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')
    })
  })
  const req = request({
    ...{ port: listening.port, host: '127.0.0.1', path: '/api/hello', agent: false },
    headers: { host: 'quiet.test', connection: 'Upgrade', upgrade: 'websocket' },
  })
  req.end()
  const [, socket] = (await once(req, 'upgrade')) as [IncomingMessage, Socket, Buffer]
  await Promise.all([once(socket.resume(), 'close'), ended])
  const lease = () => instances.leases.find(({ program }) => program.program === 'program-quiet')
  while (lease()?.ends.length === 0) await new Promise(setImmediate)
  await listening.close()
  await own.edge.close()
})

test('an upgrade that the function does not want, or that leads elsewhere, gets an ordinary answer', async () => {
  const { host } = await site((_, res) => res.end('no'), { files: { 'a.txt': 'file' } })
  const upgrade = { host, headers: { connection: 'Upgrade', upgrade: 'websocket' } }
  assert.equal((await ask(server.port, '/api/hello', upgrade)).text, 'no')
  assert.equal((await ask(server.port, '/a.txt', upgrade)).text, 'file')
  assert.equal((await ask(server.port, '/nothing', upgrade)).status, 404)
  assert.equal((await ask(server.port, '/', { ...upgrade, host: 'nobody.test' })).status, 404)
})

test('many requests sent together on one connection are answered in order, without a listener for each', async () => {
  const many = 20
  const waiting: (() => void)[] = []
  const { host } = await site((req, res) => {
    waiting.push(() => res.end(`answer ${req.url?.slice(-2)}`))
    if (waiting.length < many) return
    void asked.promise.then(() => {
      for (const answer of waiting.toReversed()) answer()
    })
  })
  const asked = Promise.withResolvers<void>()
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  try {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    const numbers = Array.from({ length: many }, (_, i) => String(i + 10))
    // Whoever ends their side is asked, by a word that means nothing, whether they are still there.
    socket.end(numbers.map((number) => `GET /api/hello?${number} HTTP/1.1\r\nhost: ${host}\r\n\r\n`).join(''))
    let text = ''
    for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) {
      text += chunk
      if (text.startsWith('HTTP/1.1 100 ')) asked.resolve()
    }
    assert.deepEqual(text.match(/(?<=answer )\d\d/g), numbers)
    assert.deepEqual(text.match(/HTTP\/1.1 100/g), ['HTTP/1.1 100'])
    assert.deepEqual(warnings, [])
  } finally {
    process.off('warning', note)
  }
})

test('whoever has very many answers under way leaves those of others compressed', async (t) => {
  const { host } = await site((_, res) => {
    res.setHeader('content-type', 'text/html')
    res.write('begun')
  })
  const fast = await serveFast(world.edge)
  t.after(() => fast.close())
  // From then on the site is known.
  assert.equal((await ask(server.port, '/', { host })).status, 404)
  async function begin(localAddress: string): Promise<boolean> {
    const socket = connect({ port: fast.port, host: '127.0.0.1', localAddress })
    t.after(() => socket.destroy())
    socket.write(`GET /api/hello HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\n\r\n`)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    return /^content-encoding: gzip/im.test(chunk.toString('latin1'))
  }
  const many = await Promise.all(Array.from({ length: 260 }, () => begin('127.0.0.1')))
  assert.equal(many.filter((isCompressed) => !isCompressed).length, 10)
  assert.equal(await begin('127.0.0.2'), true)
  assert.equal(fast.handedOver(), 0)
})

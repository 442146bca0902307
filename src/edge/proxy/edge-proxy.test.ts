import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import {
  type AddressInfo,
  connect as connectTo,
  createServer as createNet,
  type LookupFunction,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { isPublicAddress } from '#core/outbound/public-address.ts'
import type { Edge } from '#edge/edge.ts'
import { ask, createEdgeWorld, serveHttp2, serveSlow } from '#test/support/http/edge.ts'
import { until } from '#test/support/until.ts'

/** The upstream does what the test at hand says. */
let behave: (req: IncomingMessage, res: ServerResponse) => void = (_, res) => res.end()
const connections = new Set<unknown>()
const upstream = createServer((req, res) => behave(req, res))
upstream.on('connection', (socket) => connections.add(socket))
upstream.listen(0, '127.0.0.1')
await once(upstream, 'listening')
const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

const world = createEdgeWorld({ proxy: { allows: () => true, timeoutMs: 1000 } })
const route = (dest: string) => [{ src: '/api/(.*)', dest, headers: { 'x-route': 'yes', 'x-both': 'route' } }]
world.addSite('site.test', { 'index.html': 'home' }, { routes: route(`${origin}/base/$1?k=v`) })
world.addSite('preview.test', {}, { environment: 'preview', routes: route(`${origin}/$1`) })
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
  upstream.closeAllConnections()
  upstream.close()
})

/** Answers with what it was asked. */
const echo: typeof behave = async (req, res) => {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  res.end(
    JSON.stringify({
      url: req.url,
      method: req.method,
      headers: req.headers,
      body: Buffer.concat(chunks).toString(),
    }),
  )
}
const api = (path: string, options = {}) => ask(server.port, `/api/${path}`, options)

test('a request is sent on to the destination with its method, path, query and body', async () => {
  behave = echo
  const { status, text } = await api('users/1?a=b', {
    method: 'PUT',
    body: 'hello',
    headers: { 'x-own': '1' },
  })
  const seen = JSON.parse(text)
  assert.equal(status, 200)
  assert.equal(seen.method, 'PUT')
  assert.equal(seen.url, '/base/users/1?a=b&k=v')
  assert.equal(seen.body, 'hello')
  assert.equal(seen.headers['content-length'], '5')
  assert.equal(seen.headers['x-own'], '1')
})

test('the upstream learns whom the request is for, and cannot be lied to about it', async () => {
  behave = echo
  const forged = {
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil',
    'x-real-ip': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
  }
  const answer = await api('x', {
    headers: { ...forged, 'x-platform-id': 'forged', 'x-vercel-id': 'forged' },
  })
  const { headers } = JSON.parse(answer.text)
  assert.equal(headers.host, new URL(origin).host)
  assert.equal(headers['x-forwarded-for'], '127.0.0.1')
  assert.equal(headers['x-real-ip'], '127.0.0.1')
  assert.equal(headers['x-forwarded-host'], 'site.test')
  assert.equal(headers['x-forwarded-proto'], 'http')
  assert.equal(headers['x-forwarded-port'], String(server.port))
  for (const name of ['x-platform-id', 'x-vercel-id'])
    assert.equal(headers[name], answer.headers['x-platform-id'], name)
  assert.equal(headers.forwarded, undefined)
})

test('headers of one connection go no further, in either direction', async () => {
  behave = (req, res) => {
    res.writeHead(200, {
      'x-seen': JSON.stringify(req.headers),
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      'keep-alive': 'timeout=1',
      'proxy-authenticate': 'Basic',
      'x-platform-error': 'FORGED',
      'x-vercel-error': 'FORGED',
    })
    res.end('ok')
  }
  const hops = {
    connection: 'x-secret',
    'x-secret': '1',
    te: 'trailers',
    'proxy-authorization': 'x',
    'keep-alive': '1',
    'x-vercel-protection-bypass': 'secret',
  }
  const { headers } = await api('x', { headers: hops })
  const seen = JSON.parse(headers['x-seen'] as string)
  for (const name of ['te', 'upgrade', ...Object.keys(hops)].filter((each) => each !== 'connection'))
    assert.equal(seen[name], undefined, name)
  for (const name of ['x-hop', 'proxy-authenticate', 'x-platform-error', 'x-vercel-error'])
    assert.equal(headers[name], undefined, name)
})

test('status, headers and body come back as they are, cookies one by one, with those of the route over them', async () => {
  behave = (_, res) => {
    res.writeHead(
      207,
      [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-both', 'upstream'],
        ['content-encoding', 'x'],
      ].flat(),
    )
    res.end(Buffer.from([0, 255, 1]))
  }
  const { status, headers, body } = await api('x')
  assert.equal(status, 207)
  assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2'])
  assert.equal(headers['x-both'], 'route')
  assert.equal(headers['x-route'], 'yes')
  assert.equal(headers['content-encoding'], 'x')
  assert.deepEqual([...body], [0, 255, 1])
  const preview = await ask(server.port, '/api/x', { host: 'preview.test' })
  assert.equal(preview.headers['x-robots-tag'], 'noindex')
})

test("redirects of the upstream are the visitor's to follow", async () => {
  behave = (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/private' }).end()
  const { status, headers } = await api('x')
  assert.equal(status, 302)
  assert.equal(headers.location, 'http://127.0.0.1:1/private')
})

test('HEAD, 204 and 304 have no body, and leave the connection upstream in order', async () => {
  for (const [method, status] of [
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ] as const) {
    behave = (_, res) => res.writeHead(status, status === 200 ? { 'content-length': '10' } : {}).end()
    const answer = await api('x', { method })
    assert.equal(answer.status, status)
    assert.equal(answer.body.length, 0)
  }
  behave = (_, res) => res.end('next')
  assert.equal((await api('x')).text, 'next')
})

test('connections upstream are used again', async () => {
  behave = (_, res) => res.end('ok')
  await api('x')
  const before = connections.size
  for (let i = 0; i < 5; i++) await api('x')
  assert.equal(connections.size, before)
})

test('a kept connection that the upstream has closed costs nobody an error', async () => {
  behave = (_, res) => res.end('ok')
  await api('x')
  let resets = 0
  const sockets = [...connections] as { destroyed: boolean; resetAndDestroy(): void }[]
  // The next request finds a connection that dies the moment it is used.
  behave = (req, res) => {
    if (sockets.includes(req.socket as never) && resets++ === 0) req.socket.resetAndDestroy()
    else res.end('again')
  }
  assert.equal((await api('x')).text, 'again')
})

test('bodies stream both ways without waiting for their end', async () => {
  behave = (req, res) => {
    res.writeHead(200)
    req.pipe(res)
  }
  const req = request({
    port: server.port,
    host: '127.0.0.1',
    path: '/api/x',
    method: 'POST',
    headers: { host: 'site.test' },
  })
  req.write('first')
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  assert.equal(String((await once(res, 'data'))[0]), 'first')
  req.write('second')
  assert.equal(String((await once(res, 'data'))[0]), 'second')
  req.end()
  res.resume()
  await once(res, 'end')
})

test('a large body goes through whole', async () => {
  const body = Buffer.alloc(5_000_000, 'x')
  behave = (req, res) => void req.pipe(res)
  assert.ok((await api('x', { method: 'POST', body })).body.equals(body))
})

test('an upstream that breaks off breaks the answer off: a part is not taken for the whole', async () => {
  behave = (req, res) => {
    res.writeHead(200, { 'content-length': '100' })
    res.write('part')
    setImmediate(() => req.socket.destroy())
  }
  await assert.rejects(api('x'), /aborted|ECONNRESET/)
})

const ERRORS: readonly (readonly [string, typeof behave, number, string])[] = [
  [
    'closes without an answer',
    (req) => void req.socket.destroy(),
    502,
    'ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR',
  ],
  [
    'answers with nonsense',
    (req) => void req.socket.end('nonsense\r\n\r\n'),
    502,
    'ROUTER_EXTERNAL_TARGET_ERROR',
  ],
  ['never answers', () => {}, 504, 'ROUTER_EXTERNAL_TARGET_TIMEOUT'],
]
for (const [name, failure, status, code] of ERRORS)
  test(`an upstream that ${name} gives ${status} ${code}`, async () => {
    behave = failure
    for (const method of ['GET', 'POST']) {
      const answer = await api('x', { method, body: method === 'POST' ? 'x' : undefined })
      assert.equal(answer.status, status)
      assert.equal(answer.headers['x-platform-error'], code)
      assert.ok(answer.headers['x-platform-id'])
    }
  })

const UNREACHABLE: readonly (readonly [string, string, string])[] = [
  ['closed.test', 'http://127.0.0.1:1/', 'ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR'],
  ['noname.test', 'http://no-such-name.invalid/', 'DNS_HOSTNAME_RESOLVE_FAILED'],
]
for (const [host, dest, code] of UNREACHABLE)
  test(`a destination of ${dest} gives 502 ${code}`, async (t) => {
    // Without a time limit of its own: what the machine's resolver takes is not for a test to say.
    const patient = createEdgeWorld({ proxy: { allows: () => true } })
    const running = await serveSlow(patient.edge)
    t.after(async () => {
      await running.close()
      await patient.edge.close()
    })
    patient.addSite(host, {}, { routes: [{ src: '/', dest }] })
    const { status, headers } = await ask(running.port, '/', { host })
    assert.equal(status, 502)
    assert.equal(headers['x-platform-error'], code)
  })

test('private addresses are not asked, by whatever name they go', async () => {
  const guarded = createEdgeWorld({ proxy: { allows: isPublicAddress } })
  const { port } = await serveSlow(guarded.edge).then((running) => {
    after(async () => {
      await running.close()
      await guarded.edge.close()
    })
    return running
  })
  let reached = 0
  behave = (_, res) => {
    reached++
    res.end()
  }
  const { port: private_ } = new URL(origin)
  const names = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', '0']
  for (const [i, name] of names.entries()) {
    guarded.addSite(`s${i}.test`, {}, { routes: [{ src: '/', dest: `http://${name}:${private_}/` }] })
    const { status, headers } = await ask(port, '/', { host: `s${i}.test` })
    assert.equal(status, 502, name)
    assert.equal(headers['x-platform-error'], 'DNS_HOSTNAME_RESOLVED_PRIVATE', name)
  }
  assert.equal(reached, 0)
})

test('a site that leads to itself is stopped', async () => {
  world.addSite('loop.test', {}, { routes: [{ src: '/', dest: `http://127.0.0.1:${server.port}/` }] })
  world.addSite('127.0.0.1', {}, { routes: [{ src: '/', dest: `http://127.0.0.1:${server.port}/` }] })
  const { status, headers } = await ask(server.port, '/', { host: 'loop.test' })
  assert.equal(status, 508)
  assert.equal(headers['x-platform-error'], undefined)
})

test('a visitor who leaves is not answered by the upstream either', async () => {
  const gone = Promise.withResolvers<void>()
  const came = Promise.withResolvers<void>()
  behave = (_, res) => {
    res.on('close', gone.resolve)
    came.resolve()
  }
  const req = request({
    port: server.port,
    host: '127.0.0.1',
    path: '/api/x',
    headers: { host: 'site.test' },
  })
  req.on('error', () => {})
  req.end()
  await came.promise
  req.destroy()
  await gone.promise
})

test('an upstream is not asked on behalf of a visitor who has left by then', async () => {
  const looked = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  let asked = 0
  behave = () => asked++
  const own = createEdgeWorld({
    proxy: { allows: () => true, timeoutMs: 1000 },
    sites: {
      async find(name) {
        looked.resolve()
        await found.promise
        return world.sites.get(name)
      },
    },
  })
  const { handle } = own.edge
  const edge: Edge = {
    ...own.edge,
    handle(req, res) {
      res.once('close', left.resolve)
      return handle(req, res)
    },
  }
  const running = await serveHttp2(edge, false)
  const session = connect(`http://127.0.0.1:${running.port}`)
  session.on('error', () => {})
  const stream = session.request({ ':path': '/api/x', ':authority': 'site.test' })
  stream.on('error', () => {}).end()
  await looked.promise
  session.destroy()
  await left.promise
  found.resolve()
  await until(() => own.visits.length === 1)
  assert.equal(asked, 0)
  await running.close()
  await own.edge.close()
})

test('an upstream with a certificate that nobody vouches for is not trusted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-proxy-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject], {
    stdio: 'ignore',
  })
  const secure = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (_, res) =>
    res.end('secret'),
  )
  rmSync(folder, { recursive: true })
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const dest = `https://localhost:${(secure.address() as AddressInfo).port}/`
  world.addSite('tls.test', {}, { routes: [{ src: '/', dest }] })
  const { status, headers } = await ask(server.port, '/', { host: 'tls.test' })
  assert.equal(status, 502)
  assert.equal(headers['x-platform-error'], 'ROUTER_EXTERNAL_TARGET_HANDSHAKE_ERROR')
  secure.close()
})

test('an upstream that takes the connection and says nothing, not even hello, times out', async () => {
  const silent = createNet(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const dest = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  world.addSite('silent.test', {}, { routes: [{ src: '/', dest }] })
  const { status, headers } = await ask(server.port, '/', { host: 'silent.test' })
  assert.equal(status, 504)
  assert.equal(headers['x-platform-error'], 'ROUTER_EXTERNAL_TARGET_TIMEOUT')
  silent.close()
})

test('requests over HTTP/2 are sent on as well', async () => {
  behave = echo
  const running = await serveHttp2(world.edge)
  const session = connect(`http://127.0.0.1:${running.port}`)
  const stream = session.request({
    ':path': '/api/x',
    ':method': 'POST',
    ':authority': 'site.test',
    cookie: 'a=b',
  })
  stream.end('body')
  const [headers] = await once(stream, 'response')
  let text = ''
  for await (const chunk of stream) text += chunk
  const seen = JSON.parse(text)
  assert.equal(headers[':status'], 200)
  assert.equal(seen.body, 'body')
  assert.equal(seen.headers.cookie, 'a=b')
  assert.equal(seen.headers['x-forwarded-host'], 'site.test')
  assert.equal(headers.connection, undefined)
  session.destroy()
  await running.close()
})

test('the connections that one account keeps busy are not those of another', async (t) => {
  const held: ServerResponse[] = []
  behave = (req, res) => (req.url?.startsWith('/slow') ? held.push(res) : res.end('fast'))
  const tight = createEdgeWorld({ proxy: { allows: () => true, maxSockets: 2 } })
  tight.addSite('busy.test', {}, { ownerId: 'busy', routes: route(`${origin}/$1`) })
  tight.addSite('calm.test', {}, { ownerId: 'calm', routes: route(`${origin}/$1`) })
  const serving = await serveSlow(tight.edge)
  t.after(async () => {
    await serving.close()
    await tight.edge.close()
  })
  const busy = Array.from({ length: 4 }, () => ask(serving.port, '/api/slow', { host: 'busy.test' }))
  while (held.length < 2) await new Promise(setImmediate)
  assert.equal((await ask(serving.port, '/api/x', { host: 'calm.test' })).text, 'fast')
  assert.equal(held.length, 2, 'the other two of the busy account still wait')
  while (held.length < 4) {
    for (const res of held) if (!res.writableEnded) res.end('slow')
    await new Promise(setImmediate)
  }
  for (const res of held) if (!res.writableEnded) res.end('slow')
  for (const { text } of await Promise.all(busy)) assert.equal(text, 'slow')
})

test('names that are slow to be looked up keep nobody waiting but who asks for them', async (t) => {
  behave = (_, res) => res.end('found')
  const { port } = new URL(origin)
  type Found = Parameters<LookupFunction>[2]
  const waiting: { readonly name: string; readonly found: Found }[] = []
  const resolve = (name: string, _: object, found: Found) => {
    if (name === 'fast.test') found(null, [{ address: '127.0.0.1', family: 4 }])
    else waiting.push({ name, found })
  }
  const tight = createEdgeWorld({ proxy: { allows: () => true, resolve: resolve as unknown as LookUpAll } })
  const routes = [
    { src: '/fast', dest: `http://fast.test:${port}/` },
    { src: '/(.*)', dest: `http://$1.slow.test:${port}/` },
  ]
  tight.addSite('busy.test', {}, { ownerId: 'busy', routes })
  const serving = await serveSlow(tight.edge)
  t.after(async () => {
    await serving.close()
    await tight.edge.close()
  })
  const get = (path: string) => ask(serving.port, path, { host: 'busy.test' })
  const same = [get('/a'), get('/a'), get('/a')]
  const others = Array.from({ length: 20 }, (_, n) => get(`/b${n}`))
  while (waiting.length < 8) await new Promise(setImmediate)
  const agent = new Agent({ localAddress: '127.0.0.2' })
  const quiet = await ask(serving.port, '/fast', { host: 'busy.test', agent })
  assert.equal(quiet.text, 'found')
  agent.destroy()
  assert.equal(waiting.length, 8, 'of one visitor no more at once')
  assert.equal(waiting.filter(({ name }) => name === 'a.slow.test').length, 1, 'a name is looked up once')
  for (let n = 0; n < 21; n++) {
    while (waiting.length <= n) await new Promise(setImmediate)
    waiting[n]?.found(null, [{ address: '127.0.0.1', family: 4 }])
  }
  for (const { text } of await Promise.all([...same, ...others])) assert.equal(text, 'found')
  assert.equal(waiting.length, 21)
})

test('one visitor cannot keep all connections of an account busy', async (t) => {
  const held: ServerResponse[] = []
  behave = (req, res) => (req.url?.startsWith('/slow') ? held.push(res) : res.end('fast'))
  const tight = createEdgeWorld({ proxy: { allows: () => true, maxSockets: 4, maxOfVisitor: 2 } })
  tight.addSite('busy.test', {}, { routes: route(`${origin}/$1`) })
  const serving = await serveSlow(tight.edge)
  t.after(async () => {
    await serving.close()
    await tight.edge.close()
  })
  const slow = Array.from({ length: 6 }, () => ask(serving.port, '/api/slow', { host: 'busy.test' }))
  while (held.length < 2) await new Promise(setImmediate)
  const agent = new Agent({ localAddress: '127.0.0.2' })
  assert.equal((await ask(serving.port, '/api/x', { host: 'busy.test', agent })).text, 'fast')
  agent.destroy()
  assert.equal(held.length, 2, 'the others of the busy visitor still wait')
  for (let n = 0; n < 6; n++) {
    while (held.length <= n) await new Promise(setImmediate)
    held[n]?.end('slow')
  }
  for (const { text } of await Promise.all(slow)) assert.equal(text, 'slow')
})

test('a visitor waits for their own connections no longer than for an answer', async (t) => {
  const held: ServerResponse[] = []
  behave = (_, res) => {
    res.write('begun')
    held.push(res)
  }
  const tight = createEdgeWorld({ proxy: { allows: () => true, maxOfVisitor: 1, timeoutMs: 300 } })
  tight.addSite('full.test', {}, { routes: route(`${origin}/$1`) })
  const serving = await serveSlow(tight.edge)
  t.after(async () => {
    await serving.close()
    await tight.edge.close()
  })
  const first = request({
    port: serving.port,
    path: '/api/slow',
    headers: { host: 'full.test' },
    agent: false,
  })
  await once(first.end(), 'response')
  // The first goes on, so its turn is not over.
  const going = setInterval(() => held[0]?.write('on'), 50)
  t.after(() => {
    clearInterval(going)
    first.on('error', () => {}).destroy()
  })
  const { status, text } = await ask(serving.port, '/api/x', { host: 'full.test' })
  assert.equal(status, 504)
  assert.match(text, /ROUTER_EXTERNAL_TARGET_TIMEOUT/)
  assert.equal(held.length, 1)
})

test('two hundred event streams to one address leave room for more', { timeout: 60_000 }, async (t) => {
  behave = (req, res) => (req.url === '/events' ? res.write('data: 1\n\n') : res.end('there'))
  const roomy = createEdgeWorld({ proxy: { allows: () => true } })
  roomy.addSite('events.test', {}, { routes: route(`${origin}/$1`) })
  const serving = await serveSlow(roomy.edge)
  t.after(async () => {
    await serving.close()
    await roomy.edge.close()
  })
  const host = 'events.test'
  const streams = Array.from({ length: 200 }, () =>
    request({ port: serving.port, host: '127.0.0.1', path: '/api/events', headers: { host }, agent: false }),
  )
  t.after(() => {
    for (const req of streams) req.on('error', () => {}).destroy()
  })
  await Promise.all(streams.map((req) => once(req.end(), 'response')))
  assert.equal((await ask(serving.port, '/api/x', { host })).text, 'there')
})

for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST'])
  test(`a body of ${method} is never the next request to the upstream, whatever Connection names`, async () => {
    const bodies: string[] = []
    behave = async (req, res) => {
      const chunks: Buffer[] = await req.toArray()
      bodies.push(`${req.method} ${req.url} ${Buffer.concat(chunks)}`)
      res.end()
    }
    const inner = 'GET /stolen HTTP/1.1\r\nhost: up\r\n\r\n'
    const head = `${method} /api/x HTTP/1.1\r\nhost: site.test\r\nconnection: content-length, close\r\n`
    const socket = connectTo(server.port, '127.0.0.1')
    socket.end(`${head}content-length: ${inner.length}\r\n\r\n${inner}`)
    assert.match(String(Buffer.concat(await socket.toArray())), /^HTTP\/1\.1 200 /)
    assert.equal((await api('next')).status, 200)
    assert.deepEqual(bodies, [`${method} /base/x?k=v ${inner}`, 'GET /base/next?k=v '])
  })

/** The listener and the edge together, behind a proxy that is trusted, at 127.0.0.3, and for whoever comes past it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as secureRequest } from 'node:https'
import { connect as connectSocket, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { createTrustedProxies } from '#core/access/trusted-proxies.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import type { Site, SiteProtection } from '#core/site/site.ts'
import { createEdgeWorld, createInstances, siteFunctions } from '#test/support/http/edge.ts'
import { parseResponses, readAll, start } from '#test/support/http/listener.ts'
import { until } from '#test/support/until.ts'
import { fastLaneOf } from './build-handler.ts'

const HOST = 'site.test'
const PROXY = '127.0.0.3'
const STRANGER = '127.0.0.1'
const TOLD = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9', 'x-forwarded-proto': 'https' }

const UNPROTECTED: SiteProtection = { optionsPaths: [], bypassHashes: [], sso: false }

async function serve(t: TestContext, rest: Partial<Site> = {}) {
  const instances = await createInstances()
  const world = createEdgeWorld({
    runner: instances.runner,
    protection: {
      key: Buffer.alloc(32, 1),
      signInUrl: 'http://aloft.test/sso',
      passes: { take: async () => undefined },
      mayVisit: async () => false,
      openPassword: () => 'open sesame',
      limiter: createMemoryLimiter({ clock: systemClock }),
    },
  })
  const { server } = await instances.start('show', (req, res) => res.end(JSON.stringify(req.headers)))
  server.on('upgrade', (req: IncomingMessage, socket) => {
    const told = `X-Told: ${JSON.stringify(req.headers)}`
    socket.end(`HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: odd\r\n${told}\r\n\r\n`)
  })
  const files = { 'index.html': 'home', 'large.bin': Buffer.alloc(3_000_000) }
  world.addSite(HOST, files, { functions: siteFunctions({ show: { program: 'show' } }), ...rest })
  const taken: string[] = []
  const lane = fastLaneOf(world.edge)
  const listeners = await start(t, {
    tlsPort: 'any',
    fastLane: {
      ...lane,
      take(socket, handOver) {
        taken.push(String(socket.remoteAddress))
        lane.take(socket, handOver)
      },
      takeHttp2(socket, given) {
        taken.push(String(socket.remoteAddress))
        lane.takeHttp2(socket, given)
      },
    },
    handle: (req, res) => world.edge.handle(req, res),
    upgrade: world.edge.upgrade,
    trustedProxies: createTrustedProxies([PROXY]),
  })
  t.after(async () => {
    await world.edge.close()
    await instances.close()
  })
  return { ...listeners, world, taken, visits: world.visits }
}

type Served = Awaited<ReturnType<typeof serve>>
type Headers = Record<string, string | string[]>
interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const overHttp1 =
  (isSecure: boolean) =>
  async ({ port, tlsPort }: Served, localAddress: string, path: string, headers: Headers): Promise<Got> => {
    const common = { host: '127.0.0.1', localAddress, path, agent: false as const }
    const req = isSecure
      ? secureRequest({
          ...{ ...common, port: tlsPort, servername: HOST, rejectUnauthorized: false },
          headers: { host: HOST, ...headers },
        })
      : request({ ...common, port, headers: { host: HOST, ...headers } })
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    const text = Buffer.concat(await res.toArray()).toString()
    return { status: res.statusCode ?? 0, headers: res.headers, text }
  }

async function overHttp2(served: Served, localAddress: string, path: string, headers: Headers): Promise<Got> {
  const session = connectHttp2(`https://${HOST}`, {
    createConnection: () =>
      connectTls({
        ...{ host: '127.0.0.1', port: served.tlsPort, localAddress, servername: HOST },
        ...{ ALPNProtocols: ['h2'], rejectUnauthorized: false },
      }),
  })
  const stream = session.request({ ':path': path, ':authority': HOST, ...headers })
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }]
  const text = Buffer.concat(await stream.toArray()).toString()
  session.close()
  return { status: answer[':status'], headers: answer, text }
}

const DOORS = { 'HTTP/1.1': overHttp1(false), 'HTTP/1.1 over TLS': overHttp1(true), 'HTTP/2': overHttp2 }

for (const [name, ask] of Object.entries(DOORS))
  test(`by ${name}, a trusted proxy tells who asks, and nobody else does`, async (t) => {
    const served = await serve(t)
    const { visits, taken } = served
    const isSecure = name !== 'HTTP/1.1'
    // Kept in memory from the first visit on.
    await ask(served, STRANGER, '/', {})

    taken.length = 0
    visits.length = 0
    for (const path of ['/', '/show', '/large.bin', '/none']) await ask(served, PROXY, path, TOLD)
    assert.deepEqual(
      visits.map(({ ip }) => ip),
      Array(4).fill('203.0.113.9'),
    )
    assert.deepEqual(taken, [])

    visits.length = 0
    for (const path of ['/', '/show', '/large.bin', '/none']) await ask(served, STRANGER, path, TOLD)
    assert.deepEqual(
      visits.map(({ ip }) => ip),
      Array(4).fill(STRANGER),
    )
    assert.deepEqual(taken, Array(4).fill(STRANGER))

    const told = async (peer: string, headers: Headers) => {
      const seen = JSON.parse((await ask(served, peer, '/show', headers)).text) as Record<string, string>
      return [
        ...[seen['x-real-ip'], seen['x-forwarded-for'], seen.forwarded],
        ...[seen['x-forwarded-proto'], seen['x-forwarded-port'], seen['x-forwarded-host']],
      ]
    }
    const from = (ip: string, scheme: string, port: number) => [
      ...[ip, ip, `for=${ip};host="${HOST}";proto=${scheme}`],
      ...[scheme, String(port), HOST],
    ]
    const lies = {
      ...TOLD,
      'x-forwarded-host': 'evil.test',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
    }
    assert.deepEqual(await told(PROXY, lies), from('203.0.113.9', 'https', 443))
    const plain = { ...TOLD, 'x-forwarded-proto': 'http' }
    assert.deepEqual(await told(PROXY, plain), from('203.0.113.9', 'http', 80))
    const scheme = isSecure ? 'https' : 'http'
    assert.deepEqual(
      await told(STRANGER, lies),
      from(STRANGER, scheme, isSecure ? served.tlsPort : served.port),
    )
    const several = { 'x-forwarded-for': ['203.0.113.9', '203.0.113.10, 127.0.0.3'] }
    assert.deepEqual((await told(PROXY, several))[0], '203.0.113.10')
  })

test('one connection of a proxy has many visitors, also at the same time', async (t) => {
  const served = await serve(t)
  const head = (n: number) =>
    `GET /show HTTP/1.1\r\nHost: ${HOST}\r\nX-Forwarded-For: 203.0.113.${n}\r\nX-Forwarded-Proto: ${n % 2 ? 'https' : 'http'}\r\n`
  const ids = Array.from({ length: 20 }, (_, n) => n + 1)
  const socket = connectSocket({ host: '127.0.0.1', port: served.port, localAddress: PROXY })
  socket.write(ids.map((n) => `${head(n)}${n === 20 ? 'Connection: close\r\n' : ''}\r\n`).join(''))
  const seen = parseResponses(await readAll(socket)).map(({ body }) => JSON.parse(body.toString()))
  assert.deepEqual(
    seen.map((headers) => [headers['x-real-ip'], headers['x-forwarded-proto']]),
    ids.map((n) => [`203.0.113.${n}`, n % 2 ? 'https' : 'http']),
  )
})

test('a connection for another protocol is of whom the proxy says', async (t) => {
  const served = await serve(t)
  const open = async (localAddress: string) => {
    const headers = { host: HOST, connection: 'Upgrade', upgrade: 'odd', ...TOLD }
    const req = request({ host: '127.0.0.1', port: served.port, localAddress, path: '/show', headers })
    req.end()
    const [res, socket] = (await once(req, 'upgrade')) as [IncomingMessage, Socket]
    socket.destroy()
    const told = JSON.parse(String(res.headers['x-told'])) as Record<string, string>
    return [told['x-real-ip'], told['x-forwarded-proto']]
  }
  assert.deepEqual(await open(PROXY), ['203.0.113.9', 'https'])
  assert.deepEqual(await open(STRANGER), [STRANGER, 'http'])
  await until(() => served.visits.length === 2)
  assert.deepEqual(
    served.visits.map(({ ip }) => ip),
    ['203.0.113.9', STRANGER],
  )
})

test('what the proxy says last counts, however many headers the visitor has sent before it', async (t) => {
  const { port } = await serve(t)
  const many = Array.from({ length: 250 }, (_, n) => `X-Filler-${n}: 1`)
  const switching = ['Connection: Upgrade', 'Upgrade: odd']
  for (const rest of [[], switching]) {
    const lines = [`GET /show HTTP/1.1`, `Host: ${HOST}`, ...rest, 'X-Forwarded-For: 6.6.6.6', ...many]
    const socket = connectSocket({ host: '127.0.0.1', port, localAddress: PROXY })
    socket.write([...lines, 'X-Forwarded-For: 203.0.113.9', '', ''].join('\r\n'))
    assert.match(await readAll(socket), /^HTTP\/1\.1 400 /)
  }
})

test('addresses that are let in are those of visitors', async (t) => {
  const trustedIps = { addresses: ['203.0.113.9'], mode: 'additional' as const }
  const served = await serve(t, { protection: { ...UNPROTECTED, trustedIps } })
  const ask = DOORS['HTTP/1.1']
  const status = async (peer: string, forwardedFor: string) =>
    (await ask(served, peer, '/', { 'x-forwarded-for': forwardedFor })).status
  assert.equal(await status(PROXY, '203.0.113.9'), 200)
  assert.equal(await status(PROXY, '203.0.113.9, 203.0.113.8'), 404)
  assert.equal(await status(PROXY, '203.0.113.9, unknown'), 404)
  assert.equal(await status(STRANGER, '203.0.113.9'), 404)
})

test('cookies are for TLS alone where the visitor spoke it, and each visitor has their own guesses', async (t) => {
  const password = { sealed: 'sealed', version: 'v1' }
  const { port } = await serve(t, { protection: { ...UNPROTECTED, password } })
  const guess = async (localAddress: string, given: string, headers: Headers) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const req = request({
      ...{ host: '127.0.0.1', port, localAddress, method: 'POST', path: '/', agent: false },
      headers: { host: HOST, ...type, ...headers },
    })
    req.end(`_platform_password=${encodeURIComponent(given)}`)
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    res.resume()
    const cookie = String(res.headers['set-cookie'] ?? '')
    return { status: res.statusCode, location: res.headers.location, isSecure: /; Secure/.test(cookie) }
  }
  const right = (peer: string, headers: Headers) => guess(peer, 'open sesame', headers)
  const secure = { status: 303, location: `https://${HOST}/`, isSecure: true }
  const plain = { status: 303, location: `http://${HOST}/`, isSecure: false }
  assert.deepEqual(await right(PROXY, TOLD), secure)
  assert.deepEqual(await right(PROXY, { ...TOLD, 'x-forwarded-proto': 'http' }), plain)
  assert.deepEqual(await right(STRANGER, TOLD), plain)

  let wrong: number | undefined
  while (wrong !== 429) wrong = (await guess(PROXY, 'wrong', { 'x-forwarded-for': '203.0.113.66' })).status
  assert.equal((await right(PROXY, { 'x-forwarded-for': '203.0.113.66' })).status, 429)
  assert.equal((await right(PROXY, { 'x-forwarded-for': '203.0.113.67' })).status, 303)
})

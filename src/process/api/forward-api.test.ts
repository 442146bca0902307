import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { senderOf } from '#core/access/sender.ts'
import { createTrustedProxies } from '#core/access/trusted-proxies.ts'
import type { Log } from '#core/ports/log.ts'
import type { Handle } from '#listener/listener-request.ts'
import { answerForwarded } from './answer-forwarded.ts'
import { createForward } from './forward-api.ts'

const log = { error() {} } as unknown as Log

let refused = 0

/** What was asked for, by anybody. */
const seen: (string | undefined)[] = []

/** Those who have a request that is never answered. */
const holders: string[] = []
let onHeld: (res: ServerResponse) => void = () => {}

/** Says who answered, and what was seen of the request. */
const answering = (who: string) => async (req: IncomingMessage, res: ServerResponse) => {
  seen.push(req.url)
  if (req.url === '/too-often') {
    const headers = { 'x-by': who, 'x-request-id': `req_${++refused}`, 'retry-after': '30' }
    return void res.writeHead(429, headers).end('too often')
  }
  if (req.url === '/lost' && who === 'worker') return void req.socket.destroy()
  if (req.url === '/held') {
    holders.push(who)
    return onHeld(res)
  }
  if (req.url === '/refused') return void res.writeHead(413, { 'x-by': who }).end('too large')
  if (req.url === '/dies') return void res.writeHead(200).write('half', () => res.destroy())
  const body = await text(req)
  const { address, isSecure } = senderOf(req)
  res.setHeader('set-cookie', ['a=1', 'b=2'])
  const { host, 'x-aloft-visitor': visitor = null } = req.headers
  res.end(JSON.stringify({ who, url: req.url, body: body.length, address, isSecure, host, visitor }))
}

async function open(t: TestContext, { hasWorker = true } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-forward-'))
  const socket = join(folder, 'api.sock')
  let opened = 0
  const countConnections = (handler: ReturnType<typeof answering>) => {
    const seen = new WeakSet<object>()
    return (req: IncomingMessage, res: ServerResponse) => {
      if (!seen.has(req.socket)) opened++
      seen.add(req.socket)
      return handler(req, res)
    }
  }
  const start = () =>
    answerForwarded({ socket, open: async () => countConnections(answering('worker')), log })
  let worker = hasWorker ? await start() : undefined
  let forwarded = 0
  const handle = createForward({
    local: answering('local') as unknown as Handle,
    socket: () => socket,
    isElsewhere: ({ url }) => url !== '/small',
    onForward: () => forwarded++,
    later: (send) => {
      send()
      return () => {}
    },
  })
  const proxies = createTrustedProxies(['127.0.0.1'])
  const server = createServer((req, res) => {
    proxies?.note(req)
    handle(req, res)
  }).listen(0, '127.0.0.1')
  const http2 = createHttp2Server(handle as never).listen(0)
  await Promise.all([once(server, 'listening'), once(http2, 'listening')])
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    http2.close()
    await worker?.drain(1000)
    await rm(folder, { recursive: true, force: true })
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    http2,
    worker,
    async restart() {
      worker = await start()
    },
    count: () => forwarded,
    connections: () => opened,
  }
}

test('a request goes to the other process with all there is of it, and comes back', async (t) => {
  const { url, count } = await open(t)
  const answer = await fetch(`${url}/large?x=1`, {
    method: 'POST',
    body: 'x'.repeat(3_000_000),
    headers: { 'x-aloft-visitor': '{"ip":"6.6.6.6","secure":true}' },
  })
  assert.deepEqual(await answer.json(), {
    ...{ who: 'worker', url: '/large?x=1', body: 3_000_000, isSecure: false, visitor: null },
    ...{ address: '127.0.0.1', host: new URL(url).host },
  })
  assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2'])
  assert.equal(((await (await fetch(`${url}/small`)).json()) as { who: string }).who, 'local')
  assert.equal(count(), 1)
})

test('many go over one connection, each with what it says of who asks', async (t) => {
  const { url, connections } = await open(t)
  for (const body of ['a', 'bb', 'ccc']) {
    const answer = await (await fetch(`${url}/large`, { method: 'POST', body })).json()
    assert.partialDeepStrictEqual(answer, { who: 'worker', body: body.length, address: '127.0.0.1' })
  }
  assert.equal(connections(), 1)
})

test('who asks by way of a proxy is known there, request by request', async (t) => {
  const { url, connections } = await open(t)
  for (const [address, proto] of [
    ['203.0.113.1', 'https'],
    ['2001:db8::1', 'http'],
  ] as const) {
    const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': proto }
    const answer = await (await fetch(`${url}/large`, { headers })).json()
    assert.partialDeepStrictEqual(answer, { who: 'worker', address, isSecure: proto === 'https' })
  }
  assert.partialDeepStrictEqual(await (await fetch(`${url}/large`)).json(), {
    address: '127.0.0.1',
    isSecure: false,
  })
  assert.equal(connections(), 1)
})

test('a working process that ended is asked no more, and the one after it is', async (t) => {
  const { url, worker, restart } = await open(t)
  const who = async () => ((await (await fetch(`${url}/large`)).json()) as { who: string }).who
  assert.equal(await who(), 'worker')
  await worker?.drain(1000)
  assert.equal(await who(), 'local')
  await restart()
  assert.equal(await who(), 'worker')
})

test('what changes something is not carried out again when its connection is lost, a reading is', async (t) => {
  const { url } = await open(t)
  const ask = async (method: string) => {
    // So that a connection is there to be used again.
    await (await fetch(`${url}/large`)).text()
    return (await fetch(`${url}/lost`, { method })).status
  }
  assert.deepEqual(
    [await ask('GET'), await ask('POST'), await ask('DELETE'), await ask('HEAD')],
    [200, 503, 503, 200],
  )
})

test('what somebody gave up is not carried out here instead', async (t) => {
  const { url } = await open(t)
  // So that a connection is there to be used again.
  await (await fetch(`${url}/large`)).text()
  const held = new Promise<ServerResponse>((resolve) => {
    onHeld = resolve
  })
  const givenUp = request(`${url}/held`, { agent: false }).on('error', () => {})
  givenUp.end()
  const closed = once(await held, 'close')
  givenUp.destroy()
  await closed
  assert.equal(((await (await fetch(`${url}/large`)).json()) as { who: string }).who, 'worker')
  assert.deepEqual(holders, ['worker'])
})

test('who asked too often is told the same again without asking the other process', async (t) => {
  const { url, count } = await open(t)
  const ask = (headers = {}) => fetch(`${url}/too-often`, { method: 'POST', body: 'x'.repeat(5000), headers })
  const [first, second] = [await ask(), await ask()]
  for (const answer of [first, second]) {
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '30'])
    assert.equal(await answer.text(), 'too often')
  }
  assert.equal(count(), 1)
  assert.notEqual(first.headers.get('x-request-id'), second.headers.get('x-request-id'))
  await ask({ authorization: 'Bearer another' })
  assert.equal(count(), 2, 'others are asked for')
})

test('over HTTP/2 too', async (t) => {
  const { http2 } = await open(t)
  const session = connect(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`)
  const stream = session.request({ ':path': '/large', ':method': 'POST', ':authority': 'api.example' })
  stream.end('hello')
  const { who, body, host } = JSON.parse(await text(stream))
  assert.deepEqual([who, body, host], ['worker', 5, 'api.example'])
  session.close()
})

test('what comes as the body of a GET over HTTP/2 is its body there too, and no request of its own', async (t) => {
  const { http2, worker } = await open(t)
  const session = connect(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`)
  const smuggled =
    'DELETE /smuggled HTTP/1.1\r\nhost: a\r\nx-aloft-visitor: {"ip":"6.6.6.6","secure":true}\r\n\r\n'
  for (const method of ['GET', 'DELETE', 'OPTIONS']) {
    const head = { ':path': '/large', ':method': method, ':authority': 'api.example' }
    const stream = session.request(head, { endStream: false })
    stream.end(smuggled)
    const { who, body, url } = JSON.parse(await text(stream))
    assert.deepEqual([who, body, url], ['worker', smuggled.length, '/large'], method)
  }
  session.close()
  // Whatever else was sent there has been read by then.
  await worker?.drain(1000)
  assert.ok(!seen.includes('/smuggled'))
})

test('where there is no other process it is answered here, body and all', async (t) => {
  const { url } = await open(t, { hasWorker: false })
  const answer = await fetch(`${url}/large`, { method: 'POST', body: 'x'.repeat(1_000_000) })
  const { who, body } = (await answer.json()) as { who: string; body: number }
  assert.deepEqual([who, body], ['local', 1_000_000])
})

test('a refusal before the body was read reaches its sender, and the connection ends', async (t) => {
  const { url } = await open(t)
  const asked = request(`${url}/refused`, { method: 'POST', headers: { 'content-length': 50_000_000 } })
  asked.on('error', () => {})
  asked.write('x'.repeat(100_000))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  assert.deepEqual([answer.statusCode, answer.headers['x-by']], [413, 'worker'])
  assert.equal(answer.headers.connection, 'close')
  asked.destroy()
})

test('an answer that breaks off is not taken for a whole one', async (t) => {
  const { url } = await open(t)
  const answer = await fetch(`${url}/dies`)
  await assert.rejects(answer.text())
})

test('a working process that takes its time to stop leaves the socket of the one that came after it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-forward-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const socket = join(folder, 'api.sock')
  const old = await answerForwarded({ socket, open: async () => answering('old'), log })
  const next = await answerForwarded({ socket, open: async () => answering('new'), log })
  t.after(() => next.drain(1000))
  await old.drain(1000)
  const headers = { 'x-aloft-visitor': '{"ip":"192.0.2.1","secure":false}', connection: 'close' }
  const asked = request({ socketPath: socket, path: '/', headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(JSON.parse(await text(answer)).who, 'new')
})

test('what somebody gave up before the working process was ready to answer is not carried out', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-forward-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const socket = join(folder, 'api.sock')
  const [asked, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const carriedOut: (string | undefined)[] = []
  const worker = await answerForwarded({
    socket,
    async open() {
      asked.resolve()
      await ready.promise
      return ({ url }, res) => void res.end(String(carriedOut.push(url)))
    },
    log,
  })
  t.after(() => worker.drain(1000))
  const headers = { 'x-aloft-visitor': '{"ip":"192.0.2.1","secure":false}' }
  const ask = (path: string) =>
    request({ socketPath: socket, path, method: 'DELETE', headers, agent: false })
      .on('error', () => {})
      .end()
  const givenUp = ask('/given-up')
  await asked.promise
  givenUp.destroy()
  const kept = ask('/kept')
  // The end of the first has come before the second, on which nothing is heard until all are answered.
  for (let n = 0; n < 100; n++) await new Promise(setImmediate)
  ready.resolve()
  await once(kept, 'response')
  assert.deepEqual(carriedOut, ['/kept'])
})

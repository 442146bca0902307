import assert from 'node:assert/strict'
import { type EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { takeAll } from '#core/chunks.ts'
import type { AnyResponse } from '#core/http-message.ts'
import { until } from '#test/support/until.ts'
import {
  mirror,
  parseResponses,
  rawExchange,
  readUntil,
  reply,
  run,
  silent,
  start,
  testAuthority,
  testChooser,
} from '../../test/support/http/listener.ts'
import { createListeners } from './listener.ts'

const json = (text: string) => JSON.parse(text) as Record<string, unknown>

test('HTTP/1.1 and HTTP/1.0 are served on the plain port', async (t) => {
  const { port, tlsPort } = await start(t, { handle: mirror })
  assert.equal(tlsPort, 0)
  for (const version of ['1.1', '1.0']) {
    const { stdout } = await run('curl', ['-sS', `--http${version}`, `http://127.0.0.1:${port}/a?b=c`])
    assert.deepEqual(json(stdout), {
      httpVersion: version,
      method: 'GET',
      url: '/a?b=c',
      host: `127.0.0.1:${port}`,
      encrypted: false,
    })
  }
})

test('HTTP/1.0 closes after the answer unless the client asks to keep the connection', async (t) => {
  const { port } = await start(t, {})
  const [closed] = parseResponses(await rawExchange(port, 'GET / HTTP/1.0\r\n\r\n'))
  assert.equal(closed?.headers.get('connection'), 'close')
  const kept = connect(port, '127.0.0.1')
  for (const _ of [1, 2]) {
    kept.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    const [response] = parseResponses(await readUntil(kept, /ok$/))
    assert.equal(response?.headers.get('connection'), 'keep-alive')
  }
  kept.destroy()
})

test('a request that announces no body has ended for whoever reads it, and the next comes behind it', async (t) => {
  const { port } = await start(t, {
    handle: async (req, res) => {
      const chunks = req.url === '/all' ? await takeAll(req, () => {}) : await req.toArray()
      reply(res, `${req.method} ${chunks.length}`)
    },
  })
  const head = 'HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n'
  const [announced, last] = [`${head}Content-Length: 2\r\n\r\nok`, `${head}Connection: close\r\n\r\n`]
  const requests = [
    `POST /all ${head}\r\n`,
    `PUT / ${head}\r\n`,
    `POST /all ${announced}`,
    `GET /all ${last}`,
  ]
  const answers = parseResponses(await rawExchange(port, requests.join('')))
  assert.deepEqual(
    answers.map(({ body }) => body.toString()),
    ['POST 0', 'PUT 0', 'POST 1', 'GET 0'],
  )
})

test('pipelined requests are answered in their order, however long each takes', async (t) => {
  const waiting: (() => void)[] = []
  const { port } = await start(t, {
    handle: (req, res) => {
      waiting.push(() => reply(res, req.url ?? ''))
      if (waiting.length === 3) for (const answer of waiting.toReversed()) answer()
    },
  })
  const requests = ['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')
  const socket = connect(port, '127.0.0.1')
  socket.write(requests)
  const bodies = parseResponses(await readUntil(socket, /\/3$/)).map(({ body }) => body)
  assert.deepEqual(bodies, ['/1', '/2', '/3'])
  socket.destroy()
})

test('of pipelined requests, no more is read than is soon to be answered, and all are', async (t) => {
  const held: (() => void)[] = []
  let isHolding = true
  let server: Socket | undefined
  const { port } = await start(t, {
    handle(req, res) {
      server = req.socket as Socket
      if (isHolding) held.push(() => reply(res, 'ok'))
      else reply(res, 'ok')
    },
  })
  const request = `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(1000)}\r\n\r\n`
  const count = 4096
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.write(request.repeat(count))
  const read = () => server?.bytesRead ?? 0
  const settled = async () => {
    for (let before = -1; before !== read(); ) {
      before = read()
      for (let i = 0; i < 100; i++) await new Promise(setImmediate)
    }
  }
  while (held.length < 8) await new Promise(setImmediate)
  for (let answered = 0; answered < 100; answered++) {
    await settled()
    const ahead = read() - answered * request.length
    assert.ok(ahead < 64 * request.length + 2 * 65_536, `${ahead} bytes after ${answered} answers`)
    while (held.length === 0) await new Promise(setImmediate)
    held.shift()?.()
  }
  isHolding = false
  for (const answer of held) answer()
  while (text.split('HTTP/1.1 200').length <= count) await once(socket, 'data')
  socket.destroy()
})

test('an absolute target is reduced to its path, and its host wins over the Host header', async (t) => {
  const { port } = await start(t, { handle: mirror })
  const ask = async (target: string) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n`
    return json(parseResponses(await rawExchange(port, request))[0]?.body ?? '')
  }
  for (const [target, url] of [
    ['http://site.localhost:80/a?b', '/a?b'],
    ['http://site.localhost:80', '/'],
    ['HTTP://site.localhost:80?b', '/?b'],
  ] as const) {
    const { url: seen, host } = await ask(target)
    assert.deepEqual({ seen, host }, { seen: url, host: 'site.localhost:80' })
  }
})

test('OPTIONS for the server as a whole is answered without a handler', async (t) => {
  const { port } = await start(t, { handle: () => assert.fail('called') })
  const request = 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  assert.equal(parseResponses(await rawExchange(port, request))[0]?.status, 204)
})

test('Expect: 100-continue is answered before the body is sent', async (t) => {
  const { port } = await start(t, {
    handle: (req, res) => req.on('data', (chunk) => reply(res, String(chunk))),
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n')
  assert.match(await readUntil(socket, /\r\n\r\n/), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
  socket.write('hi')
  assert.match(await readUntil(socket, /hi$/), /^HTTP\/1\.1 200 OK/)
  socket.destroy()
})

test('an unknown expectation is a 417 with a body', async (t) => {
  const { port } = await start(t, {})
  const [response] = parseResponses(
    await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n'),
  )
  assert.equal(response?.status, 417)
  assert.equal((json(response?.body ?? '').error as { code: string }).code, 'bad_request')
})

test('what comes after the last answer is for no handler, also where the rest of a body is read before it', async (t) => {
  const asked: IncomingMessage[] = []
  const { port } = await start(t, {
    handle: (req, res) => {
      asked.push(req as IncomingMessage)
      ;(res as ServerResponse).writeHead(413, { 'content-length': 0, connection: 'close' }).end()
    },
  })
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  const first = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'
  const rest = 'helloDELETE / HTTP/1.1\r\nHost: a\r\n\r\n'
  socket.write(first)
  await once(socket.resume(), 'end')
  socket.write(rest)
  const read = () => asked[0]?.socket.bytesRead ?? 0
  await until(() => read() === first.length + rest.length)
  await new Promise(setImmediate)
  assert.deepEqual(
    asked.map(({ method }) => method),
    ['POST'],
  )
})

test('an unknown expectation behind many other requests is a 417, and no handler hears of it', async (t) => {
  const waiting: (() => void)[] = []
  const { port } = await start(t, {
    handle: (_req, res) => {
      waiting.push(() => reply(res, 'ok'))
      if (waiting.length === 8) for (const answer of waiting) answer()
    },
  })
  const before = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8)
  const last = 'DELETE / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n'
  const statuses = parseResponses(await rawExchange(port, before + last)).map(({ status }) => status)
  assert.deepEqual(statuses, [...Array.from({ length: 8 }, () => 200), 417])
  assert.equal(waiting.length, 8)
})

test('a handler that throws or rejects is a 500 without its inner text, and the next request is served', async (t) => {
  const logged: string[] = []
  const { port } = await start(t, {
    log: { ...silent, error: (_fields, message) => logged.push(message) },
    handle: (req, res) => {
      res.setHeader('content-encoding', 'gzip')
      if (req.url === '/throw') throw new Error('secret')
      if (req.url === '/reject') return Promise.reject(new Error('secret'))
      return reply(res, 'ok')
    },
  })
  for (const path of ['/throw', '/reject']) {
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    const [response] = parseResponses(await rawExchange(port, request))
    assert.equal(response?.status, 500)
    assert.equal(response?.headers.get('content-encoding'), undefined)
    assert.deepEqual(json(response?.body ?? ''), {
      error: { code: 'internal_server_error', message: 'The request could not be handled' },
    })
  }
  assert.equal(logged.length, 2)
  const after = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  assert.equal(parseResponses(after)[0]?.status, 200)
})

test('a handler that fails after its first byte has its connection cut', async (t) => {
  const { port } = await start(t, {
    handle: async (_req, res) => {
      if ('stream' in res) return
      res.writeHead(200, { 'content-length': '10' })
      await new Promise((resolve) => res.write('half', resolve))
      throw new Error('too late')
    },
  })
  const text = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(text, /\r\n\r\nhalf$/)
})

test('an upgrade that nobody handles is an ordinary request', async (t) => {
  const { port } = await start(t, { handle: mirror })
  const request = 'GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n'
  const [response] = parseResponses(await rawExchange(port, request))
  assert.equal(response?.status, 200)
  assert.equal(json(response?.body ?? '').url, '/a')
})

test('an accepted upgrade gets the connection, any other is an ordinary request', async (t) => {
  const { port } = await start(t, {
    handle: mirror,
    upgrade: {
      accepts: (req) => req.url === '/socket',
      handle: (_req, socket, head) => {
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n${head}`)
        socket.pipe(socket)
      },
    },
  })
  const headers = 'Host: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /socket HTTP/1.1\r\n${headers}early`)
  assert.match(await readUntil(socket, /early$/), /^HTTP\/1\.1 101 /)
  socket.write('later')
  assert.equal(await readUntil(socket, /later$/), 'later')
  socket.destroy()

  const other = connect(port, '127.0.0.1')
  other.write(`GET /other HTTP/1.1\r\n${headers}`)
  assert.match(await readUntil(other, /\}$/), /"url":"\/other"/)
  other.destroy()
})

test('a port that is taken fails the start, and leaves nothing listening', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port: tlsPort } = taken.address() as { port: number }
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  await new Promise((resolve) => free.close(resolve))

  const certificateFor = await testChooser()
  const handle = () => {}
  const listeners = createListeners({ host: '127.0.0.1', port, tlsPort, handle, certificateFor, log: silent })
  await assert.rejects(listeners.listen(), { code: 'EADDRINUSE' })
  await assert.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })
})

test('several listeners can share one port', async (t) => {
  const first = await start(t, { reusePort: true })
  const second = await start(t, { reusePort: true, port: first.port })
  assert.equal(second.port, first.port)
})

test('without certificates there is no start', async () => {
  await testAuthority()
  const certificateFor = () => Promise.reject(new Error('no authority'))
  const options = { host: '127.0.0.1', port: 0, tlsPort: 'any', handle: () => {}, certificateFor } as const
  await assert.rejects(createListeners({ ...options, log: silent }).listen(), /no authority/)
})

test('of requests that come in one piece some are dealt with at a time, and all are answered in order', async (t) => {
  const held: { readonly url: string; readonly res: AnyResponse }[] = []
  const server = await start(t, {
    handle: (req, res) => void held.push({ url: req.url ?? '', res }),
  })
  const count = 200
  const get = (n: number) =>
    `GET /${n} HTTP/1.1\r\nHost: a.localhost\r\n${n === count ? 'Connection: close\r\n' : ''}\r\n`
  const answers = rawExchange(server.port, Array.from({ length: count }, (_, n) => get(n + 1)).join(''))
  for (let n = 0; n < count; n++) {
    while (held.length <= n) await new Promise(setImmediate)
    assert.ok(held.length <= n + 8, `${held.length} are dealt with, and ${n} were answered`)
    const { url, res } = held[n] as (typeof held)[number]
    reply(res, url)
  }
  const bodies = parseResponses(await answers).map(({ body }) => body)
  assert.deepEqual(
    bodies,
    Array.from({ length: count }, (_, n) => `/${n + 1}`),
  )
})

test('whoever leaves is known to be gone by all who make answers for them', async (t) => {
  const held: AnyResponse[] = []
  let closed = 0
  const server = await start(t, {
    handle(_req, res) {
      held.push(res)
      ;(res as EventEmitter).once('close', () => closed++)
    },
  })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n'.repeat(20))
  while (held.length < 8) await new Promise(setImmediate)
  socket.resetAndDestroy()
  while (closed < 8) await new Promise(setImmediate)
  assert.equal(held.length, 8, 'and nothing more is begun for them')
})

for (const [how, end] of Object.entries({
  'says that it ends the connection': (res: AnyResponse) =>
    (res as ServerResponse).writeHead(503, { connection: 'close' }).end('full'),
  'ends it by itself': (res: AnyResponse) => {
    const answer = res as ServerResponse
    answer.shouldKeepAlive = false
    answer.writeHead(503).end('full')
  },
}))
  test(`an answer that ${how} before the body was read is not lost to whoever is still sending`, async (t) => {
    const { port } = await start(t, { handle: (_req, res) => void end(res) })
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    t.after(() => client.destroy())
    client.write('POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 9000000\r\n\r\n')
    let heard = ''
    client.setEncoding('utf8').on('data', (text) => {
      heard += text
    })
    await once(client, 'end')
    for (let i = 0; i < 16; i++)
      await new Promise<void>((resolve, reject) =>
        client.write(Buffer.alloc(65_536), (error) => (error ? reject(error) : resolve())),
      )
    client.end()
    const [hadError] = await once(client, 'close')
    assert.equal(hadError, false)
    assert.match(heard, /^HTTP\/1\.1 503 [\s\S]*full/)
  })

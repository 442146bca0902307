import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import type { AnyResponse } from '#core/http-message.ts'
import {
  parseResponses,
  rawExchange,
  readAll,
  readUntil,
  reply,
  start,
} from '../../test/support/http/listener.ts'

const HOST = 'Host: a.localhost\r\n'
const GOOD = `GET /good HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`

function begin(res: AnyResponse): void {
  if ('flushHeaders' in res) res.flushHeaders()
}

/** The one answer to bytes that are no request: a 400 that says so, and the end of the connection. */
async function refused(port: number, bytes: string | Uint8Array): Promise<string> {
  const [response, ...more] = parseResponses(await rawExchange(port, bytes))
  assert.ok(response, 'the connection was cut without an answer')
  assert.equal(more.length, 0)
  assert.equal(response.status, 400)
  assert.equal(response.headers.get('connection'), 'close')
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  const { error } = JSON.parse(response.body) as { error: { code: string; message: string } }
  assert.deepEqual(Object.keys(error), ['code', 'message'])
  assert.equal(error.code, 'bad_request')
  assert.match(error.message, /^Invalid request: /)
  return error.message
}

const MALFORMED: Record<string, string> = {
  'a header line without a colon': `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`,
  'a space before the colon': `GET / HTTP/1.1\r\n${HOST}Name : value\r\n\r\n`,
  'a folded header': `GET / HTTP/1.1\r\n${HOST}Name: a\r\n b\r\n\r\n`,
  'two lengths': `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  'the same length twice': `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`,
  'a length that is no number': `POST / HTTP/1.1\r\n${HOST}Content-Length: +1\r\n\r\na`,
  'a length and an encoding': `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunked not last': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
  'an encoding nobody knows': `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n`,
  'an encoding nobody knows, with a body': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'an encoding before chunked': `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'no encoding, said so': `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: identity\r\n\r\n`,
  'an empty encoding': `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding:\r\n\r\n`,
  'a NUL in a header': `GET / HTTP/1.1\r\n${HOST}Name: a\0b\r\n\r\n`,
  'a NUL in the target': `GET /a\0b HTTP/1.1\r\n${HOST}\r\n`,
  'bare line feeds': 'GET / HTTP/1.1\nHost: a\n\n',
  'a bare carriage return': `GET / HTTP/1.1\r\n${HOST}Name: a\rb\r\n\r\n`,
  'HTTP/0.9': 'GET /\r\n\r\n',
  'HTTP/2 without TLS': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/2 in the request line': `GET / HTTP/2.0\r\n${HOST}\r\n`,
  'HTTP/3 in the request line': `GET / HTTP/3.0\r\n${HOST}\r\n`,
  'a method nobody knows': `FROB / HTTP/1.1\r\n${HOST}\r\n`,
  'a method in lower case': `get / HTTP/1.1\r\n${HOST}\r\n`,
  'a space in the target': `GET /a b HTTP/1.1\r\n${HOST}\r\n`,
  'a target that is no path': `GET a/b HTTP/1.1\r\n${HOST}\r\n`,
  'a star for another method than OPTIONS': `GET * HTTP/1.1\r\n${HOST}\r\n`,
  'a target of another scheme': `GET ftp://a.localhost/ HTTP/1.1\r\n${HOST}\r\n`,
  'a target with a user name': `GET http://user@a.localhost/ HTTP/1.1\r\n${HOST}\r\n`,
  'no Host': 'GET / HTTP/1.1\r\n\r\n',
  'two Hosts': `GET / HTTP/1.1\r\n${HOST}host: b.localhost\r\n\r\n`,
  'a Host with a path': 'GET / HTTP/1.1\r\nHost: a.localhost/b\r\n\r\n',
  'a Host with a user name': 'GET / HTTP/1.1\r\nHost: user@a.localhost\r\n\r\n',
  'a Host with a space': 'GET / HTTP/1.1\r\nHost: a localhost\r\n\r\n',
  'a Host with a port that is none': 'GET / HTTP/1.1\r\nHost: a.localhost:http\r\n\r\n',
  CONNECT: 'CONNECT a.localhost:443 HTTP/1.1\r\nHost: a.localhost:443\r\n\r\n',
  'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
}

for (const [what, bytes] of Object.entries(MALFORMED))
  test(`refused with a 400: ${what}`, async (t) => {
    const { port } = await start(t, { handle: () => assert.fail('the handler was called') })
    await refused(port, Buffer.from(bytes, 'latin1'))
  })

test('the same is refused over TLS', async (t) => {
  const { tlsPort } = await start(t, {
    tlsPort: 'any',
    handle: () => assert.fail('the handler was called'),
  })
  const { 'a TLS hello': _, 'HTTP/2 without TLS': __, ...all } = MALFORMED
  for (const [what, bytes] of Object.entries(all)) {
    const socket = connectTls({ port: tlsPort, servername: 'a.localhost', rejectUnauthorized: false })
    socket.on('error', () => {})
    socket.write(Buffer.from(bytes, 'latin1'))
    const [response] = parseResponses(await readAll(socket))
    assert.deepEqual([what, response?.status], [what, 400])
  }
})

test('headers that are too large are refused', async (t) => {
  const { port } = await start(t, {})
  const large = 'a'.repeat(64 << 10)
  assert.match(
    await refused(port, `GET / HTTP/1.1\r\n${HOST}Large: ${large}\r\n\r\n`),
    /headers are too large/,
  )
  assert.match(await refused(port, `GET /${large} HTTP/1.1\r\n${HOST}\r\n`), /too large/)
  const allowed = `GET / HTTP/1.1\r\n${HOST}Connection: close\r\nLarge: ${'a'.repeat(31 << 10)}\r\n\r\n`
  assert.equal(parseResponses(await rawExchange(port, allowed))[0]?.status, 200)
})

test('a refused peer that is still sending is not reset, so that the answer reaches it', async (t) => {
  const { port } = await start(t, {})
  const socket = connect(port, '127.0.0.1')
  const all = readAll(socket)
  const failed = new Promise((_, reject) => socket.on('error', reject))
  socket.write(`GET / HTTP/1.1\r\n${HOST}Large: ${'a'.repeat(8 << 20)}`)
  assert.equal(parseResponses((await Promise.race([all, failed])) as string)[0]?.status, 400)
})

test('too many headers are refused, not silently dropped', async (t) => {
  const { port } = await start(t, { limits: { maxHeaders: 20 } })
  const request = (count: number) =>
    `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n${'a: b\r\n'.repeat(count - 2)}\r\n`
  assert.match(await refused(port, request(21)), /more than 20 headers/)
  assert.match(await refused(port, request(500)), /20 headers/)
  assert.equal(parseResponses(await rawExchange(port, request(20)))[0]?.status, 200)
})

test('a request that ends with the connection is refused', async (t) => {
  const { port } = await start(t, {})
  const [response] = parseResponses(await rawExchange(port, 'GET / HT', true))
  assert.equal(response?.status, 400)
})

test('headers that do not come in time are answered with a 408', async (t) => {
  const { port } = await start(t, { limits: { headersTimeoutMs: 100 } })
  const [response] = parseResponses(await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a'))
  assert.equal(response?.status, 408)
  assert.match(response?.body ?? '', /took too long/)
})

test('a body that does not come in time is answered with a 408 unless its answer has begun', async (t) => {
  const { port } = await start(t, {
    limits: { headersTimeoutMs: 100, requestTimeoutMs: 100 },
    handle: (req, res) => {
      if (req.url === '/early') begin(res)
    },
  })
  const request = (path: string) => `POST ${path} HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`
  const [response] = parseResponses(await rawExchange(port, request('/late')))
  assert.equal(response?.status, 408)
  const early = await rawExchange(port, request('/early'))
  assert.doesNotMatch(early, /408/)
})

for (const [what, bytes] of [
  ['nonsense', 'NONSENSE\r\n\r\n'],
  ['CONNECT', `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`],
] as const)
  test(`${what} after a request under way is refused only when that one is answered`, async (t) => {
    const asked = Promise.withResolvers<AnyResponse>()
    const { port } = await start(t, { handle: (_req, res) => asked.resolve(res) })
    const all = rawExchange(port, `GET / HTTP/1.1\r\n${HOST}\r\n${bytes}`)
    reply(await asked.promise, 'first')
    const answers = parseResponses(await all)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400],
    )
  })

test('a malformed body is refused when its answer has not begun, and cut when it has', async (t) => {
  const { port } = await start(t, {
    handle: (req, res) => {
      if (req.url === '/begun') begin(res)
      req.on('error', () => {}).resume()
    },
  })
  const body = `Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`
  const late = connect(port, '127.0.0.1')
  const all = readAll(late)
  late.write(`POST /late HTTP/1.1\r\n${HOST}${body}nonsense\r\n`)
  assert.deepEqual(
    parseResponses(await all).map(({ status }) => status),
    [400],
  )
  const begun = connect(port, '127.0.0.1')
  begun.write(`POST /begun HTTP/1.1\r\n${HOST}${body}`)
  await readUntil(begun, /200 OK/)
  const rest = readAll(begun)
  begun.write('nonsense\r\n')
  assert.equal(await rest, '')
})

test('a peer that stops sending its body is cut; one whose handler is slow is not', async (t) => {
  let answer = () => {}
  const { port } = await start(t, {
    limits: { stallMs: 100 },
    handle: (req, res) => {
      req.resume()
      if (req.url === '/slow') answer = () => reply(res, 'at last')
    },
  })
  const slow = connect(port, '127.0.0.1')
  slow.write(`GET /slow HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
  for (const _ of [1, 2])
    assert.equal(await rawExchange(port, `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`), '')
  answer()
  assert.match(await readAll(slow), /at last$/)
})

test('a peer whose body is not read yet is not cut, however long its request waits', async (t) => {
  let answer = () => {}
  const { port } = await start(t, {
    limits: { stallMs: 100 },
    handle: (req, res) => {
      if (req.url !== '/waits') return void req.resume()
      answer = () => {
        let bytes = 0
        req.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        req.once('end', () => reply(res, `${bytes} at last`))
      }
    },
  })
  const body = 'a'.repeat(1 << 20)
  for (const length of [10, body.length]) {
    const waiting = connect(port, '127.0.0.1').on('error', () => {})
    const head = `POST /waits HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: ${length}\r\n\r\n`
    waiting.write(head + body.slice(0, length - 1))
    for (const _ of [1, 2])
      assert.equal(await rawExchange(port, `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`), '')
    waiting.write('a')
    answer()
    assert.match(await readAll(waiting), new RegExp(`${length} at last$`))
  }
})

test('a peer that does not take its answer is cut', async (t) => {
  const closed = Promise.withResolvers<void>()
  const { port } = await start(t, {
    limits: { stallMs: 100 },
    handle: (_req, res) => {
      res.on('close', () => closed.resolve())
      reply(res, 'a'.repeat(64 << 20))
    },
  })
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`)
  await closed.promise
  socket.destroy()
})

test('an idle connection is closed after its keep-alive time', async (t) => {
  const { port } = await start(t, { limits: { keepAliveMs: 50 } })
  const text = await rawExchange(port, `GET / HTTP/1.1\r\n${HOST}\r\n`)
  assert.equal(parseResponses(text)[0]?.headers.get('connection'), 'keep-alive')
})

test('whatever bytes come, the answer is well-formed HTTP or none, and the next connection is served', async (t) => {
  const { port } = await start(t, {})
  const token = fc.constantFrom(
    'GET ',
    'POST ',
    'CONNECT a:1 ',
    '/',
    '*',
    'http://a/',
    ' HTTP/1.1',
    ' HTTP/1.0',
    ' HTTP/2.0',
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    ':',
    'Host: a',
    'Content-Length: 3',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Expect: x',
    'Upgrade: x',
    'Connection: upgrade',
    'Connection: close',
    '3\r\nabc\r\n',
    '0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM',
    'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    fc.array(token, { maxLength: 20 }).map((parts) => Buffer.from(parts.join(''), 'latin1')),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (input) => {
      parseResponses(await rawExchange(port, input, true))
      const [next] = parseResponses(await rawExchange(port, GOOD))
      assert.equal(next?.status, 200)
    }),
    { numRuns: 300 },
  )
})

test('who is refused while still sending reads why, and most of what they send is not read', async (t) => {
  let read = 0
  const { port } = await start(t, {
    handle(req, res) {
      req.socket.once('close', () => {
        read = req.socket.bytesRead
      })
      if (!('stream' in res)) res.writeHead(401, { connection: 'close', 'content-length': 2 }).end('no')
    },
  })
  const socket = connect(port, '127.0.0.1')
  const length = 500_000_000
  socket.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\n`)
  const chunk = Buffer.alloc(1_000_000)
  let left = length
  const send = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length
      if (!socket.write(chunk)) return
    }
  }
  socket.on('drain', send)
  send()
  let text = ''
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1')
  })
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  assert.match(text, /^HTTP\/1.1 401 [\s\S]*no$/)
  while (read === 0) await new Promise(setImmediate)
  assert.ok(read < 100_000_000, `${read} bytes were read`)
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import { mirror, reply, start, testAuthority } from '../../test/support/http/listener.ts'

async function dial(t: TestContext, tlsPort: number, settings = {}): Promise<ClientHttp2Session> {
  const { certPem } = await testAuthority()
  const session = connect(`https://localhost:${tlsPort}`, { ca: certPem, settings })
  session.on('error', () => {})
  t.after(() => session.destroy())
  // Until these have come the client does not know how many streams it may open.
  await once(session, 'remoteSettings')
  return session
}

interface Answer {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader
  readonly body: string
}

async function answerTo(stream: ClientHttp2Stream): Promise<Answer> {
  const [headers] = (await once(stream, 'response')) as [Answer['headers']]
  let body = ''
  for await (const chunk of stream.setEncoding('utf8')) body += chunk
  return { headers, body }
}

const ask = (session: ClientHttp2Session, headers: OutgoingHttpHeaders = {}) =>
  answerTo(session.request({ ':path': '/', ...headers }))

const failureOf = (stream: ClientHttp2Stream) =>
  once(stream, 'response').then(() => assert.fail('answered'), String)

test('a handler finds the host in the same place as over HTTP/1.1', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', handle: mirror })
  const session = await dial(t, tlsPort)
  const { body } = await ask(session, { ':authority': 'site.localhost:1' })
  const { host, authority, httpVersion } = JSON.parse(body)
  assert.deepEqual([host, authority, httpVersion], ['site.localhost:1', 'site.localhost:1', '2.0'])
})

test('a malformed host, a contradictory one and CONNECT are refused with a 400 and the connection goes on', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  const session = await dial(t, tlsPort)
  for (const headers of [
    { ':authority': 'a.localhost:http' },
    { ':authority': 'a.localhost', host: 'b.localhost' },
  ]) {
    const { headers: answered, body } = await ask(session, headers)
    assert.equal(answered[':status'], 400)
    assert.equal(answered['content-length'], String(Buffer.byteLength(body)))
    assert.equal(JSON.parse(body).error.code, 'bad_request')
  }
  const tunnel = session.request({ ':method': 'CONNECT', ':authority': 'a.localhost:443' })
  assert.equal((await answerTo(tunnel)).headers[':status'], 400)
  assert.equal((await ask(session)).headers[':status'], 200)
})

test('expectations: 100-continue is met, another is a 417', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  const session = await dial(t, tlsPort)
  const stream = session.request({ ':path': '/', ':method': 'POST', expect: '100-continue' })
  const answer = answerTo(stream)
  await once(stream, 'continue')
  stream.end('body')
  assert.equal((await answer).headers[':status'], 200)
  const { headers, body } = await ask(session, { expect: 'a-miracle' })
  assert.equal(headers[':status'], 417)
  assert.equal(JSON.parse(body).error.code, 'bad_request')
})

test('a handler that throws is a 500', async (t) => {
  const handle = () => {
    throw new Error('secret')
  }
  const { tlsPort } = await start(t, { tlsPort: 'any', handle })
  const { headers, body } = await ask(await dial(t, tlsPort))
  assert.equal(headers[':status'], 500)
  assert.equal(JSON.parse(body).error.code, 'internal_server_error')
})

test('too many or too large headers fail their stream alone', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', limits: { maxHeaders: 20, maxHeaderBytes: 8192 } })
  const session = await dial(t, tlsPort)
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x-${i}`, 'a']))
  await failureOf(session.request({ ':path': '/', ...many }))
  await failureOf(session.request({ ':path': '/', large: 'a'.repeat(12_000) }))
  assert.equal((await ask(session)).headers[':status'], 200)
})

test('headers are limited for a peer who does not say that it has heard of the limit, too', async (t) => {
  let served = 0
  const handle = (_req: AnyRequest, res: AnyResponse) => {
    served++
    reply(res, 'ok')
  }
  const { tlsPort } = await start(t, { tlsPort: 'any', limits: { maxHeaderBytes: 8192 }, handle })
  const { certPem } = await testAuthority()
  const session = connect(`https://localhost:${tlsPort}`, { ca: certPem })
  t.after(() => session.destroy())
  // At once, before anything of the server has come.
  const [large, small] = [{ large: 'a'.repeat(12_000) }, { small: 'a'.repeat(6_000) }].map((headers) =>
    session.request({ ':path': '/', ...headers }),
  ) as [ClientHttp2Stream, ClientHttp2Stream]
  large.on('error', () => {})
  await Promise.all([once(small, 'response'), new Promise((resolve) => large.once('close', resolve))])
  assert.equal(large.rstCode, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  assert.equal(served, 1)
})

test('streams past the limit wait for the ones before', async (t) => {
  let most = 0
  const waiting: (() => void)[] = []
  const { tlsPort } = await start(t, {
    tlsPort: 'any',
    limits: { maxStreams: 4 },
    handle: (_req, res) => {
      most = Math.max(
        most,
        waiting.push(() => reply(res, 'ok')),
      )
      setImmediate(() => waiting.shift()?.())
    },
  })
  const session = await dial(t, tlsPort)
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(session)))
  assert.ok(answers.every(({ headers }) => headers[':status'] === 200))
  assert.ok(most <= 4)
  assert.equal(session.remoteSettings.maxConcurrentStreams, 4)
})

test('a peer that opens streams only to reset them is cut off', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', limits: { maxStreams: 8 }, handle: () => {} })
  const session = await dial(t, tlsPort)
  const closed = assert.rejects(once(session, 'close'), { code: 'ERR_HTTP2_SESSION_ERROR' })
  const flood = () => {
    if (session.closed || session.destroyed) return
    const stream = session.request({ ':path': '/' }).on('error', () => {})
    setImmediate(() => {
      stream.close(constants.NGHTTP2_CANCEL)
      setImmediate(flood)
    })
  }
  flood()
  await closed
})

test('a stream whose peer stops sending is reset; one whose handler is slow is not', async (t) => {
  let answer = () => {}
  const { tlsPort } = await start(t, {
    tlsPort: 'any',
    limits: { stallMs: 100 },
    handle: (req, res) => {
      req.resume()
      if (req.url === '/slow') answer = () => reply(res, 'at last')
    },
  })
  const session = await dial(t, tlsPort)
  const slow = ask(session, { ':path': '/slow' })
  for (const _ of [1, 2]) {
    const stalled = session.request({ ':path': '/', ':method': 'POST' })
    stalled.write('a')
    await once(
      stalled.on('error', () => {}),
      'close',
    )
    assert.equal(stalled.rstCode, constants.NGHTTP2_CANCEL)
  }
  answer()
  assert.equal((await slow).body, 'at last')
})

test('an idle connection is closed after its keep-alive time', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', limits: { keepAliveMs: 50 } })
  const session = await dial(t, tlsPort)
  const closed = once(session, 'close')
  assert.equal((await ask(session)).headers[':status'], 200)
  await closed
})

test('a peer that ends the connection is let go at once', async (t) => {
  const asked = Promise.withResolvers<AnyRequest>()
  const { tlsPort } = await start(t, { tlsPort: 'any', handle: (req) => asked.resolve(req) })
  const { certPem } = await testAuthority()
  const options = {
    port: tlsPort,
    host: '127.0.0.1',
    ca: certPem,
    ALPNProtocols: ['h2'],
    allowHalfOpen: true,
  }
  const socket = connectTls(options)
  await once(socket, 'secureConnect')
  const session = connect('https://localhost', { createConnection: () => socket })
  session.on('error', () => {})
  session.request({ ':path': '/' }).on('error', () => {})
  const gone = once(await asked.promise, 'close')
  socket.end()
  await gone
  session.destroy()
})

test('what is not HTTP/2 on a connection that has agreed on it is cut, and the next one is served', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  const { certPem } = await testAuthority()
  const socket = connectTls({ port: tlsPort, host: '127.0.0.1', ca: certPem, ALPNProtocols: ['h2'] })
  socket.on('error', () => {}).resume()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'close')
  assert.equal((await ask(await dial(t, tlsPort))).headers[':status'], 200)
})

const MB = 1024 * 1024
/** What every peer may send before it hears of anything else. */
const LEAST = 65_535

/** How much a peer that has begun to send a body may send before any of it is read. */
async function mayAhead(session: ClientHttp2Session): Promise<number | undefined> {
  const stream = session.request({ ':path': '/', ':method': 'POST' })
  stream.on('error', () => {})
  await once(stream, 'response')
  return session.state.remoteWindowSize
}

for (const [whose, limits, most] of [
  ['an address', { maxAhead: 64 * MB, maxAheadOfSource: 2 * MB }, 2],
  ['all', { maxAhead: 3 * MB, maxAheadOfSource: 64 * MB }, 3],
] as const)
  test(`what is sent ahead of its reader is bounded for ${whose}, and every connection goes on`, async (t) => {
    const { tlsPort } = await start(t, {
      ...{ tlsPort: 'any', limits },
      handle: (_req, res) => ('stream' in res ? res.stream.respond({ ':status': 200 }) : undefined),
    })
    const session = await dial(t, tlsPort)
    assert.equal(session.state.remoteWindowSize, LEAST, 'there is no body yet')
    const sessions = [session]
    while (sessions.length < 6) sessions.push(await dial(t, tlsPort))
    const may: unknown[] = []
    for (const each of sessions) may.push(await mayAhead(each))
    assert.deepEqual(may, [...Array(most).fill(MB), ...Array(6 - most).fill(LEAST)])
    // A second body of the same connection takes nothing more.
    assert.equal(await mayAhead(session), MB)
    assert.equal(await mayAhead(sessions[5] as ClientHttp2Session), LEAST)
    // With the end of a connection its share is free again.
    session.destroy()
    while ((await mayAhead(await dial(t, tlsPort))) !== MB) await new Promise(setImmediate)
  })

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createEdgeWorld, serveHttp2, serveSlow, settleForms } from '#test/support/http/edge.ts'

const world = createEdgeWorld()
const page = 'home '.repeat(200)
world.addSite('site.test', {
  'index.html': page,
  'video.mp4': Buffer.alloc(2_000_000, 'v'),
  'medium.bin': Buffer.alloc(900_000),
  'a.bin': '0123456789',
})
world.addSite('gone.test', {}, { status: 'deleted' })
const http1 = await serveSlow(world.edge)
await settleForms(http1.port)
await http1.close()
const fast = await serveHttp2(world.edge)
const slow = await serveHttp2(world.edge, false)
const sessions = [fast, slow].map(({ port }) => connect(`http://127.0.0.1:${port}`)) as [
  ClientHttp2Session,
  ClientHttp2Session,
]
after(async () => {
  for (const session of sessions) session.destroy()
  await Promise.all([fast.close(), slow.close()])
  await world.edge.close()
})

async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string) {
  const stream = session.request({ ':authority': 'site.test', ...headers }, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return { headers: answer, body: Buffer.concat(chunks) }
}

const QUESTIONS: Readonly<Record<string, OutgoingHttpHeaders>> = {
  'a page': { ':path': '/' },
  'a page with a query': { ':path': '/?a=b' },
  'a compressed page': { ':path': '/', 'accept-encoding': 'br' },
  'the head of a page': { ':path': '/', ':method': 'HEAD' },
  'a part': { ':path': '/a.bin', range: 'bytes=2-3' },
  'a copy in hand': { ':path': '/a.bin', 'if-none-match': '*' },
  'a failed precondition': { ':path': '/a.bin', 'if-match': '"x"' },
  'a large file': { ':path': '/video.mp4' },
  'a post': { ':path': '/', ':method': 'POST' },
  'nothing there': { ':path': '/nope' },
  'a bad path': { ':path': '/%' },
  'a deleted site': { ':path': '/', ':authority': 'gone.test' },
  'an unknown site': { ':path': '/', ':authority': 'unknown.test' },
  'a host with a port': { ':path': '/', ':authority': 'SITE.test:443' },
}

for (const [name, headers] of Object.entries(QUESTIONS))
  test(`${name} is answered over HTTP/2 alike with and without the fast way`, async () => {
    // Twice, because the first visit is what makes an answer hot.
    for (let round = 0; round < 2; round++) {
      const [a, b] = await Promise.all([ask(sessions[0], headers), ask(sessions[1], headers)])
      for (const { headers: answer } of [a, b]) {
        assert.ok(answer['x-platform-id'])
        assert.equal(answer['x-vercel-id'], answer['x-platform-id'])
        answer['x-platform-id'] = 'id'
        answer['x-vercel-id'] = 'id'
        answer.date = 'date'
      }
      const idless = (body: Buffer) => body.toString('latin1').replace(/iad1::[0-9a-z-]+/, 'id')
      assert.deepEqual({ ...a.headers }, { ...b.headers })
      assert.equal(idless(a.body), idless(b.body))
    }
  })

test('a connection that begins with a hot page is answered here, and only its other streams by node:http2', () => {
  assert.deepEqual(fast.handedOver, { whole: 0, relayed: 1 })
})

test('a page over HTTP/2 has no headers of connections', async () => {
  const { headers, body } = await ask(sessions[0], { ':path': '/' })
  assert.equal(headers[':status'], 200)
  assert.equal(body.toString(), page)
  assert.equal(headers.connection, undefined)
  assert.equal(headers['keep-alive'], undefined)
})

test('visits over HTTP/2 are recorded, hot ones too', async () => {
  world.visits.length = 0
  const answers = [await ask(sessions[0], { ':path': '/' }), await ask(sessions[1], { ':path': '/' })]
  while (world.visits.length < 2) await new Promise(setImmediate)
  for (const { headers } of answers) {
    const visit = world.visits.find(({ id }) => id === headers['x-platform-id'])
    assert.deepEqual(
      [visit?.protocol, visit?.status, visit?.bytes, visit?.ip],
      ['HTTP/2', 200, page.length, '127.0.0.1'],
    )
  }
})

test('many streams of one connection are answered side by side', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => ask(sessions[0], { ':path': i % 3 === 0 ? '/video.mp4' : '/' })),
  )
  for (const [i, { body }] of answers.entries())
    assert.equal(body.length, i % 3 === 0 ? 2_000_000 : page.length)
})

test('a client that resets a stream in the middle disturbs nobody', async () => {
  await ask(sessions[0], { ':path': '/medium.bin' })
  for (const session of sessions) {
    const stream = session.request({ ':authority': 'site.test', ':path': '/medium.bin' })
    stream.on('error', () => {})
    await once(stream, 'data')
    stream.close(constants.NGHTTP2_PROTOCOL_ERROR)
    await new Promise((resolve) => stream.once('close', resolve))
    assert.equal((await ask(session, { ':path': '/' })).headers[':status'], 200)
  }
})

test('an answer that HTTP/2 has no words for becomes an error', async () => {
  world.addSite('odd.test', {}, { routes: [{ src: '/', status: 999 }] })
  const { headers } = await ask(sessions[0], { ':path': '/', ':authority': 'odd.test' })
  assert.equal(headers[':status'], 500)
  assert.equal(headers['x-platform-error'], 'INTERNAL_ERROR')
})

test('an answer that says something twice arrives over HTTP/2 as it does over HTTP/1.1', async (t) => {
  const upstream = createServer((_, res) =>
    res
      .writeHead(200, [
        ...['content-type', 'text/plain', 'content-type', 'text/html', 'etag', '"a"', 'etag', '"a"'],
        ...['x-content-type-options', 'nosniff', 'x-content-type-options', 'nosniff'],
        ...['access-control-allow-credentials', 'true', 'access-control-allow-credentials', 'true'],
        ...[
          'retry-after',
          '1',
          'retry-after',
          '2',
          'age',
          '1',
          'age',
          '2',
          'location',
          '/a',
          'location',
          '/b',
        ],
        ...['content-language', 'de', 'content-language', 'en', 'x-other', '1', 'x-other', '2'],
      ])
      .end('there'),
  ).listen(0)
  t.after(() => upstream.close())
  await once(upstream, 'listening')
  const dest = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
  world.addSite('twice.test', {}, { routes: [{ src: '/.*', dest }] })
  for (const session of sessions) {
    const { headers, body } = await ask(session, { ':path': '/', ':authority': 'twice.test' })
    assert.deepEqual([headers[':status'], String(body)], [200, 'there'])
    assert.partialDeepStrictEqual(headers, {
      ...{ 'content-type': 'text/plain', etag: '"a"', 'x-content-type-options': 'nosniff' },
      ...{ 'access-control-allow-credentials': 'true', 'retry-after': '1', age: '1', location: '/a' },
      ...{ 'content-language': 'de, en', 'x-other': '1, 2' },
    })
  }
})

test('no name that node:http2 wants once keeps an answer from being sent', async (t) => {
  const names = Object.entries(constants)
    .filter(([key]) => key.startsWith('HTTP2_HEADER_'))
    .map(([, name]) => String(name))
    .filter((name) => !name.startsWith(':') && !NOT_TO_BE_SENT.test(name))
  const upstream = createServer((req, res) => {
    const name = req.url?.slice(1) ?? ''
    res.writeHead(200, [name, '1', name, '1']).end()
  }).listen(0)
  t.after(() => upstream.close())
  await once(upstream, 'listening')
  const dest = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/$1`
  world.addSite('names.test', {}, { routes: [{ src: '/(.*)', dest }] })
  for (const name of names) {
    const { headers } = await ask(sessions[1], { ':path': `/${name}`, ':authority': 'names.test' })
    assert.equal(headers[':status'], 200, name)
  }
})

/** They are of one connection, or say how the message is framed. */
const NOT_TO_BE_SENT =
  /^(?:connection|content-length|http2-settings|keep-alive|proxy-connection|te|transfer-encoding|upgrade)$/

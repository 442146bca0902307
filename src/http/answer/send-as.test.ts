import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, connect as openSession } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import fastify from 'fastify'
import { sendAs } from './send-as.ts'

/** An answer without an end, for which somebody waits until `answer` is called. */
async function setUp(t: TestContext, version: '1.1' | '2') {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  const body = new Readable({
    read() {
      setImmediate(() => this.push(Buffer.alloc(1024)))
    },
  })
  const app = fastify()
  app.get('/', async (_request, reply) => {
    reply.raw.once('close', left.resolve)
    asked.resolve()
    await mayAnswer.promise
    return sendAs('raw', reply, { type: 'text/plain', body })
  })
  await app.ready()
  const respond = (req: unknown, res: unknown) => app.routing(req as IncomingMessage, res as ServerResponse)
  const server = version === '2' ? (createHttp2Server(respond) as unknown as Server) : createServer(respond)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { asked: asked.promise, left: left.promise, answer: mayAnswer.resolve, body, port }
}

/** Asks, and answers how to leave. */
function ask(port: number, version: '1.1' | '2') {
  if (version === '1.1') {
    const asked = request({ host: '127.0.0.1', port, agent: false })
    asked.on('error', () => {}).end()
    return { begun: once(asked, 'response'), leave: () => asked.destroy() }
  }
  const session = openSession(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  const stream = session.request({ ':path': '/' })
  stream.on('error', () => {}).end()
  return { begun: once(stream, 'response'), leave: () => session.destroy() }
}

for (const version of ['1.1', '2'] as const) {
  test(`HTTP/${version}: what would have been sent is let go where whoever asked left before`, async (t) => {
    const { asked, left, answer, body, port } = await setUp(t, version)
    const { begun, leave } = ask(port, version)
    begun.catch(() => {})
    await asked
    leave()
    await left
    const closed = once(body, 'close')
    answer()
    await closed
  })

  test(`HTTP/${version}: what is being sent is let go where whoever asked leaves`, async (t) => {
    const { asked, answer, body, port } = await setUp(t, version)
    const { begun, leave } = ask(port, version)
    await asked
    answer()
    await begun
    const closed = once(body, 'close')
    leave()
    await closed
    assert.ok(body.destroyed)
  })
}

test('HTTP/2: HEAD is told the length of what is not sent', async (t) => {
  const app = fastify()
  app.get('/', (_request, reply) =>
    sendAs('raw', reply, {
      type: 'text/plain',
      body: Readable.from(['five!']),
      headers: { 'content-length': '5' },
    }),
  )
  await app.ready()
  const server = createHttp2Server((req, res) =>
    app.routing(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const session = openSession(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.after(() => session.close())
  const stream = session.request({ ':method': 'HEAD' }).setEncoding('utf8')
  const [headers] = await once(stream, 'response')
  assert.deepEqual([headers[':status'], headers['content-length']], [200, '5'])
  assert.deepEqual(await stream.toArray(), [])
})

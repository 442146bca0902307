/** HTTP/2 by the listener and the edge together: what is answered here and what node:http2 answers share a connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ask as askHttp1, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'
import { start, testAuthority } from '#test/support/http/listener.ts'
import { fastLaneOf } from './build-handler.ts'

async function serve(t: TestContext) {
  const world = createEdgeWorld()
  world.addSite('site.test', { 'index.html': 'home', 'large.bin': Buffer.alloc(5_000_000) })
  const plain = await serveSlow(world.edge)
  await askHttp1(plain.port, '/', { host: 'site.test' })
  await plain.close()
  const peers: unknown[][] = []
  const listeners = await start(t, {
    tlsPort: 'any',
    fastLane: fastLaneOf(world.edge),
    handle(req, res) {
      const { remoteAddress, localPort, encrypted } = req.socket as Socket & { encrypted?: boolean }
      peers.push([remoteAddress, localPort, encrypted])
      return world.edge.handle(req, res)
    },
  })
  t.after(() => world.edge.close())
  const { certPem } = await testAuthority()
  const session = connect(`https://localhost:${listeners.tlsPort}`, { ca: certPem })
  session.on('error', () => {})
  t.after(() => session.destroy())
  return { listeners, session, peers }
}

async function ask(session: ClientHttp2Session, path: string) {
  const stream = session.request({ ':path': path, ':authority': 'site.test' })
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  let bytes = 0
  for await (const chunk of stream) bytes += (chunk as Buffer).length
  return { status: headers[':status'] as unknown as number, bytes }
}

test('a stream that node:http2 answers knows who has come, although hot ones are answered beside it', async (t) => {
  const { listeners, session, peers } = await serve(t)
  assert.deepEqual(await ask(session, '/'), { status: 200, bytes: 4 })
  assert.equal(peers.length, 0)
  assert.deepEqual(await ask(session, '/nope'), { status: 404, bytes: (await ask(session, '/nope')).bytes })
  assert.deepEqual(await ask(session, '/'), { status: 200, bytes: 4 })
  for (const peer of peers) assert.deepEqual(peer.slice(1), [listeners.tlsPort, true])
  assert.match(String(peers[0]?.[0]), /127\.0\.0\.1|::1/)
  assert.equal(peers.length, 2)
})

test('what is asked side by side during a drain is answered, and then the connection ends', async (t) => {
  const { listeners, session } = await serve(t)
  await ask(session, '/')
  const answers = Promise.all(['/large.bin', '/', '/nope', '/'].map((path) => ask(session, path)))
  const goAway = once(session, 'goaway')
  const closed = once(session, 'close')
  const drained = listeners.drain(20_000)
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200, 404, 200],
  )
  assert.equal((await goAway)[0], 0)
  await Promise.all([drained, closed])
})

test('a connection of hot requests alone ends in a drain as well', async (t) => {
  const { listeners, session } = await serve(t)
  await ask(session, '/')
  const closed = once(session, 'close')
  await Promise.all([listeners.drain(20_000), closed])
})

test('a visitor who leaves in the middle of all this takes nobody along', async (t) => {
  const { listeners, session } = await serve(t)
  await ask(session, '/')
  const stream = session.request({ ':path': '/large.bin', ':authority': 'site.test' })
  stream.on('error', () => {})
  await once(stream, 'response')
  session.destroy()
  const { certPem } = await testAuthority()
  const other = connect(`https://localhost:${listeners.tlsPort}`, { ca: certPem })
  other.on('error', () => {})
  t.after(() => other.destroy())
  assert.deepEqual(await ask(other, '/'), { status: 200, bytes: 4 })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createEdgeWorld, serveHttp2 } from '#test/support/http/edge.ts'
import { frame, headerFrames, PREFACE, TYPE, windowUpdate } from './http2/frames.ts'
import { encodeHeaders } from './http2/header-encoder.ts'
import { Unsent } from './unsent.ts'

const MB = 1024 * 1024
const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

test('what was not taken is counted for an address and for all; small answers always go out', () => {
  const unsent = new Unsent({ all: 3 * MB, source: 2 * MB })
  const taken = [unsent.add('2001:db8::1', MB), unsent.add('2001:db8::2', MB)]
  assert.equal(unsent.hasRoom('2001:db8::3', MB), false, 'it is the same stranger')
  assert.equal(unsent.hasRoom('192.0.2.1', MB), true)
  assert.equal(unsent.hasRoom('192.0.2.1', 2 * MB), false, 'it is too much for all')
  assert.equal(unsent.hasRoom('2001:db8::3', 1000), true)
  for (const one of [...taken, ...taken]) one()
  assert.equal(unsent.size, 0)
  assert.equal(unsent.hasRoom('2001:db8::3', 2 * MB), true)
})

const MOST = 2 ** 31 - 1
const request = (stream: number): Buffer =>
  headerFrames(
    stream,
    true,
    encodeHeaders([
      ...[':method', 'GET', ':scheme', 'http'],
      ...[':path', '/large.bin', ':authority', 'site.test'],
    ]),
  )

/** A visitor who would take any amount, asks so often for the same, and reads nothing. */
function deaf(port: number, times: number): Socket {
  const settings = Buffer.alloc(6)
  settings.writeUInt16BE(4, 0)
  settings.writeUInt32BE(MOST, 2)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  closing.push(() => socket.destroy())
  socket.write(
    Buffer.concat([
      ...[PREFACE, frame(TYPE.settings, 0, 0, settings), windowUpdate(MOST - 65_535)],
      ...Array.from({ length: times }, (_, n) => request(2 * n + 1)),
    ]),
  )
  return socket
}

test('visitors over HTTP/2 who read nothing are sent pieces once they have had enough', async () => {
  const world = createEdgeWorld({ unsentLimits: { all: 64 * MB, source: 3 * MB } })
  world.addSite('site.test', { 'large.bin': Buffer.alloc(MB - 1) })
  const server = await serveHttp2(world.edge)
  closing.push(() => world.edge.close(), server.close)
  const { handedOver } = server
  // The content comes into memory with the first who asks.
  const first = deaf(server.port, 1)
  await new Promise((resolve) => first.once('data', resolve))
  first.destroy()
  const deafs: Socket[] = []
  // As much as the kernel takes is nobody's here.
  while (handedOver.relayed === 0) {
    deafs.push(deaf(server.port, 40))
    for (let n = 0; n < 50; n++) await new Promise(setImmediate)
  }
  assert.ok(deafs.length < 40, `${deafs.length} visitors had everything at once`)
  for (const socket of deafs) socket.destroy()
  // With them goes what they did not take.
  for (;;) {
    const before = handedOver.relayed
    const next = deaf(server.port, 1)
    await new Promise((resolve) => next.once('data', resolve))
    next.destroy()
    if (handedOver.relayed === before) break
  }
})

test('long heads over HTTP/2 are read by others, who remember nothing of them', async (t) => {
  const world = createEdgeWorld()
  world.addSite('site.test', { 'a.txt': 'a' })
  const server = await serveHttp2(world.edge)
  closing.push(() => world.edge.close(), server.close)
  const ask = async (more: Record<string, string>) => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`)
    t.after(() => session.destroy())
    const stream = session.request({ ':path': '/a.txt', ':authority': 'site.test', ...more })
    const [{ ':status': status }] = await once(stream, 'response')
    stream.resume()
    await once(stream, 'end')
    return [status, server.handedOver.whole + server.handedOver.relayed]
  }
  // It comes into memory with the first, whoever reads it.
  await ask({})
  const [, before] = await ask({ 'x-some': 'x'.repeat(4000) })
  assert.deepEqual(await ask({ 'x-some': 'x'.repeat(4000) }), [200, before])
  assert.deepEqual(await ask({ 'x-some': 'x'.repeat(10_000) }), [200, before + 1])
})

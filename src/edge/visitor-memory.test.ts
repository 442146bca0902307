import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createEdgeWorld, serveFast, serveHttp2, serveSlow } from '#test/support/http/edge.ts'
import { frame, headerFrames, PREFACE, TYPE } from './fast/http2/frames.ts'
import { encodeHeaders } from './fast/http2/header-encoder.ts'
import { VisitorMemory } from './visitor-memory.ts'

const MB = 1024 * 1024
const NOT_LIMITED = { all: 1024 * MB, source: 1024 * MB }
const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

test('a body that a source is sent several times is in memory once, until the last has it', () => {
  const memory = new VisitorMemory({ bodies: { all: 8 * MB, source: 3 * MB }, streams: NOT_LIMITED })
  const [first, second] = [Buffer.alloc(2 * MB), Buffer.alloc(2 * MB)]
  const taken = [memory.hold('192.0.2.1', first, false), memory.hold('192.0.2.1', first.subarray(1), false)]
  assert.equal(memory.size, 2 * MB)
  assert.equal(memory.hold('192.0.2.1', second, false), undefined)
  assert.equal(memory.hold('192.0.2.1', second.subarray(0, 10), false), undefined, 'all of it would stay')
  assert.ok(memory.hold('192.0.2.1', Buffer.from('small'), false))
  assert.ok(memory.hold('192.0.2.2', second, false))
  for (let n = 0; n < 3; n++) taken[0]?.()
  assert.equal(memory.hold('192.0.2.1', second, false), undefined)
  taken[1]?.()
  assert.ok(memory.hold('192.0.2.1', second, false))
})

test('on streams small bodies count as well, and what is refused holds nothing', () => {
  const memory = new VisitorMemory({
    bodies: NOT_LIMITED,
    streams: { all: MB, source: 100_000, least: 1000 },
  })
  const small = Buffer.alloc(50_000)
  const taken = [1, 2].map(() => memory.hold('192.0.2.1', small, true))
  assert.equal(memory.hold('192.0.2.1', small, true), undefined)
  assert.equal(memory.hold('192.0.2.1', Buffer.alloc(MB), true), undefined)
  assert.equal(memory.size, 100_000)
  for (const one of [...taken, ...taken]) one?.()
  assert.equal(memory.size, 0)
})

const FILES = 24
const nameOf = (n: number): string => `${n % FILES}.bin`
/** As large as can be in memory. */
const largeFiles = Object.fromEntries(
  Array.from({ length: FILES }, (_, n) => [nameOf(n), Buffer.alloc(MB, n + 1)]),
)
const inTurn = async (): Promise<void> => {
  for (let n = 0; n < 50; n++) await new Promise(setImmediate)
}

/** A visitor who reads nothing. */
function deaf(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}).pause()
  closing.push(() => socket.destroy())
  return socket
}

const requestOf = (n: number, headers = ''): string =>
  `GET /${nameOf(n)} HTTP/1.1\r\nHost: site.test\r\n${headers}\r\n`

/** One who asks for all files at once, beginning at one of them: what the kernel takes is nobody's here. */
function greedy(port: number, from: number, headers = ''): Socket {
  const socket = deaf(port)
  for (let n = 0; n < FILES; n++) socket.write(requestOf(from + n, headers))
  return socket
}

/** Of a visitor at another address of this machine. */
async function get(
  port: number,
  path: string,
  localAddress: string,
  more: Readonly<Record<string, string>> = {},
): Promise<[number | undefined, Buffer]> {
  // A connection of its own, which could be used again.
  const agent = new Agent({ keepAlive: true })
  const headers = { host: 'site.test', ...more }
  const asked = request({ agent, port, host: '127.0.0.1', localAddress, path, headers }).end()
  const [answer] = await once(asked, 'response')
  const body = await buffer(answer)
  agent.destroy()
  return [answer.statusCode, body]
}

test('who holds too much of what is in memory gets files from where they are stored', async () => {
  const world = createEdgeWorld({
    budgetBytes: 128 * MB,
    visitorLimits: { bodies: { all: 64 * MB, source: 4 * MB } },
  })
  world.addSite('site.test', largeFiles)
  const { port, close } = await serveSlow(world.edge)
  closing.push(() => world.edge.close(), close)
  const deafs: Socket[] = []
  while (world.asked.opens === 0 && deafs.length < 40) {
    deafs.push(greedy(port, 5 * deafs.length))
    await inTurn()
  }
  assert.ok(world.asked.opens > 0, 'everything was sent out of memory')
  let answer = await get(port, '/3.bin', '127.0.0.1')
  // Others of theirs may take the last room while it is brought into memory.
  while (answer[0] === 503) answer = await get(port, '/3.bin', '127.0.0.1')
  assert.deepEqual([answer[0], answer[1].equals(largeFiles['3.bin'] as Buffer)], [200, true])
  for (const socket of deafs) socket.destroy()
  // With them goes what they held.
  for (;;) {
    const before = world.asked.opens
    await get(port, '/3.bin', '127.0.0.1')
    if (world.asked.opens === before) break
  }
})

test('what the fast path has sent in the clear and nobody takes is counted as well', async () => {
  const world = createEdgeWorld({ budgetBytes: 128 * MB, unsentLimits: { all: 64 * MB, source: 3 * MB } })
  world.addSite('site.test', largeFiles)
  const { port, close, handedOver } = await serveFast(world.edge)
  closing.push(() => world.edge.close(), close)
  const isFast = async (localAddress: string): Promise<boolean> => {
    const before = handedOver()
    assert.equal((await get(port, '/3.bin', localAddress))[0], 200)
    return handedOver() === before
  }
  /** Not only for the moment in which the kernel takes something. */
  const isFull = async (): Promise<boolean> => {
    for (let n = 0; n < 5; n++) {
      if (await isFast('127.0.0.1')) return false
      await inTurn()
    }
    return true
  }
  await get(port, '/3.bin', '127.0.0.2')
  const deafs: Socket[] = []
  while (!(await isFull()) && deafs.length < 40) {
    const [socket, before] = [deaf(port), handedOver()]
    deafs.push(socket)
    // With something still to go, the next request is left to others.
    for (let n = 0; n < 100 && handedOver() === before; n++) {
      const { length } = world.visits
      socket.write(requestOf(3))
      while (world.visits.length === length && handedOver() === before) await inTurn()
      await inTurn()
    }
  }
  assert.equal(await isFull(), true)
  assert.equal(await isFast('127.0.0.2'), true, 'others do not notice')
  for (const socket of deafs) socket.destroy()
  while (!(await isFast('127.0.0.1'))) await inTurn()
})

/** More than kernels take for one connection. */
const ENDLESS = { 'endless.bin': Buffer.alloc(32 * MB, 7) }

test('who reads ahead too much of large files is read a little at a time', async () => {
  const world = createEdgeWorld({ visitorLimits: { files: { all: 64 * MB, source: 2 * MB } } })
  world.addSite('site.test', ENDLESS)
  const { port, close } = await serveSlow(world.edge)
  closing.push(() => world.edge.close(), close)
  /** How often the file was opened for a part of it. */
  const opensFor = async (localAddress: string): Promise<number> => {
    const before = world.asked.opens
    const [status, body] = await get(port, '/endless.bin', localAddress, { range: 'bytes=0-999999' })
    assert.deepEqual([status, body.equals(Buffer.alloc(1_000_000, 7))], [206, true])
    return world.asked.opens - before
  }
  assert.equal(await opensFor('127.0.0.1'), 1)
  // Its end is recorded when nothing is held for it any more.
  while (world.visits.length === 0) await inTurn()
  const asked = 'GET /endless.bin HTTP/1.1\r\nHost: site.test\r\n\r\n'
  // One after the other on a connection counts as well.
  const deafs = [deaf(port), deaf(port)]
  for (const socket of deafs) socket.write(asked.repeat(2))
  while (world.asked.opens < 5) await inTurn()
  assert.equal(await opensFor('127.0.0.1'), Math.ceil(1_000_000 / (64 * 1024)))
  assert.equal(await opensFor('127.0.0.2'), 1, 'others do not notice')
  for (const socket of deafs) socket.destroy()
  // With them goes what they held.
  while ((await opensFor('127.0.0.1')) > 1) await inTurn()
})

test('a small part of a file holds no more than itself, and several parts hold nothing', async () => {
  const world = createEdgeWorld({
    budgetBytes: 128 * MB,
    visitorLimits: { bodies: { all: 64 * MB, source: 2 * MB } },
  })
  world.addSite('site.test', largeFiles)
  const { port, close } = await serveSlow(world.edge)
  closing.push(() => world.edge.close(), close)
  for (const range of ['1-60000', '0-9,20-1000000'])
    for (let n = 0; n < 6; n++) greedy(port, 5 * n, `Range: bytes=${range}\r\n`)
  await inTurn()
  assert.equal(world.asked.opens, 0)
})

/** A visitor over HTTP/2 who asks so often for the same and lets nothing of a body be sent: not even the kernel has it. */
function deafStreams(port: number, path: string, times: number): Socket {
  const settings = Buffer.alloc(6)
  settings.writeUInt16BE(4, 0)
  const block = (method: string) =>
    encodeHeaders([...[':method', method, ':scheme', 'http'], ...[':path', path, ':authority', 'site.test']])
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  closing.push(() => socket.destroy())
  socket.write(
    Buffer.concat([
      ...[PREFACE, frame(TYPE.settings, 0, 0, settings)],
      // A connection that begins like this is left to node:http2.
      headerFrames(1, true, block('HEAD')),
      ...Array.from({ length: times }, (_, n) => headerFrames(2 * n + 3, true, block('GET'))),
    ]),
  )
  return socket
}

/** The status of an answer and how much of it came. */
async function ask(port: number, path: string, localAddress: string): Promise<[unknown, number]> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  const session = connectHttp2(`http://127.0.0.1:${port}`, { createConnection: () => socket })
  session.on('error', () => {})
  // With a condition, it is left to node:http2.
  const stream = session.request({ ':path': path, ':authority': 'site.test', 'if-match': '*' })
  stream.on('error', () => {})
  let [status, bytes]: [unknown, number] = [undefined, 0]
  stream.on('response', (headers) => {
    status = headers[':status']
  })
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await new Promise((resolve) => stream.once('close', resolve))
  session.destroy()
  return [status, bytes]
}

const SMALL_BYTES = 60_000
const LARGE_BYTES = 3 * MB
const onStreams = {
  'a small file': { path: '/small.bin', whole: [200, SMALL_BYTES] },
  'a file that is streamed': { path: '/large.bin', whole: [200, LARGE_BYTES] },
} as const

for (const isFast of [true, false])
  for (const [what, { path, whole }] of Object.entries(onStreams))
    test(`streams of node:http2 that nobody reads have an end, of ${what}, ${isFast ? 'after' : 'without'} the fast path`, async () => {
      const world = createEdgeWorld({ visitorLimits: { streams: { all: 64 * MB, source: 2 * MB } } })
      world.addSite('site.test', {
        'small.bin': Buffer.alloc(SMALL_BYTES, 1),
        'large.bin': Buffer.alloc(LARGE_BYTES, 2),
      })
      const { port, close } = await serveHttp2(world.edge, isFast)
      closing.push(() => world.edge.close(), close)
      const isCut = async () => (await ask(port, path, '127.0.0.1'))[1] < whole[1]
      assert.equal(await isCut(), false)
      const deafs = [1, 2].map(() => deafStreams(port, path, 60))
      for (let n = 0; n < 100 && !(await isCut()); n++) await inTurn()
      assert.equal(await isCut(), true, 'everybody had everything')
      assert.deepEqual(await ask(port, path, '127.0.0.2'), whole, 'others do not notice')
      for (const socket of deafs) socket.destroy()
      while (await isCut()) await inTurn()
    })

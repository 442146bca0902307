/** The same requests on a connection of ours and on one of node:http2: the same answers must come back. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { clockOf, createTestClock } from '#test/support/clock.ts'
import {
  ask,
  createEdgeWorld,
  createInstances,
  MAX_HEADER_BYTES,
  serveHttp2,
  serveSlow,
  settleForms,
  siteFunctions,
} from '#test/support/http/edge.ts'
import { ERROR, FLAG, frame, HEAD_BYTES, PREFACE, readHead, TYPE } from './frames.ts'
import { HeaderDecoder } from './header-decoder.ts'
import { encodeHeaders } from './header-encoder.ts'

// Time stands still, so that what is in memory stays there and both sides find the same.
const now = Date.now()
const instances = await createInstances()
await instances.start('kept', (_, res) => {
  res.writeHead(200, { 'cache-control': 's-maxage=60', 'content-type': 'text/plain', etag: '"kept"' })
  res.end('kept '.repeat(400))
})
await instances.start('echo', (req, res) => {
  const parts: Buffer[] = []
  req.on('data', (part) => parts.push(part))
  req.on('end', () => {
    const body = Buffer.concat(parts)
    res.end(`${req.method} ${req.headers['x-forwarded-for']} ${req.headers.cookie} ${body.length} ${body}`)
  })
})
const LARGE = Buffer.alloc(300_000, 'l')
const world = createEdgeWorld({ clock: clockOf(() => now), runner: instances.runner })
world.addSite(
  'site.test',
  {
    'index.html': 'home '.repeat(100),
    'a.txt': 'a',
    'none.txt': '',
    'medium.bin': Buffer.alloc(50_000, 'm'),
    'large.bin': LARGE,
  },
  {
    functions: siteFunctions({ kept: {}, echo: {} }),
    routes: [
      { src: '/a.txt', headers: { 'x-route': 'yes', 'set-cookie': 'a=b' }, continue: true },
      { src: '/old', status: 308, headers: { location: '/new' } },
      { handle: 'filesystem' },
    ],
  },
)
const http1 = await serveSlow(world.edge)
await settleForms(http1.port)
// What is kept is kept for each way in which the host is written.
for (const host of ['site.test', 'SITE.test:80'])
  for (const path of ['/a.txt', '/none.txt', '/medium.bin', '/large.bin', '/kept', '/kept?a=b', '/echo'])
    await ask(http1.port, path, { host })
await http1.close()
const ours = await serveHttp2(world.edge)
const theirs = await serveHttp2(world.edge, false)
after(async () => {
  await Promise.all([ours.close(), theirs.close()])
  await world.edge.close()
  await instances.close()
})

interface Request {
  readonly headers: OutgoingHttpHeaders
  readonly body: string | undefined
}

const request: fc.Arbitrary<Request> = fc
  .record({
    path: fc.constantFrom(
      ...['/', '/', '/a.txt', '/none.txt', '/medium.bin', '/large.bin', '/kept', '/kept?a=b', '/echo'],
      ...['/old', '/nope', '/a.txt?a=b', '/a%2etxt', '/%'],
    ),
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS'),
    authority: fc.constantFrom('site.test', 'site.test', 'SITE.test:80', 'other.test'),
    more: fc.subarray([
      ['user-agent', 'fuzz/1'],
      ['accept-encoding', 'gzip, br'],
      ['cookie', 'a=b; c=d'],
      ['if-none-match', '*'],
      ['range', 'bytes=1-3'],
      ['x-long', 'x'.repeat(300)],
      ['te', 'trailers'],
    ] as const),
    body: fc.constantFrom('', 'body', 'b'.repeat(100_000)),
  })
  .map(({ path, method, authority, more, body }) => ({
    headers: { ':path': path, ':method': method, ':authority': authority, ...Object.fromEntries(more) },
    body: method === 'POST' ? body : undefined,
  }))

/** What comes back for each, all asked at once on one connection. */
async function answersOf(port: number, requests: readonly Request[], window: number): Promise<unknown[]> {
  const session = connectHttp2(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: window } })
  session.on('error', () => {})
  const answers = await Promise.all(
    requests.map(
      ({ headers, body }) =>
        new Promise((resolve) => {
          const stream = session.request(headers, { endStream: body === undefined })
          const chunks: Buffer[] = []
          let answer: Record<string, unknown> = {}
          stream.on('response', (got) => {
            answer = { ...got }
          })
          stream.on('data', (chunk) => chunks.push(chunk))
          stream.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
          stream.on('end', () => {
            for (const name of ['x-platform-id', 'x-vercel-id', 'date']) delete answer[name]
            resolve([
              answer,
              Buffer.concat(chunks)
                .toString('latin1')
                .replace(/iad1::[0-9a-z-]+/g, 'id'),
            ])
          })
          if (body !== undefined) stream.end(body)
        }),
    ),
  )
  // Not closed: a body that nobody wants to read would have to go out first.
  session.destroy()
  return answers
}

test('a client of node:http2 gets the same from both, whatever it asks side by side', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(0x7fff_ffff, 65_535, 1000),
      async (requests, window) => {
        // The first decides whose the connection is.
        const first = { headers: { ':path': '/', ':authority': 'site.test' }, body: undefined }
        const [mine, other] = await Promise.all(
          [ours, theirs].map(({ port }) => answersOf(port, [first, ...requests], window)),
        )
        assert.deepEqual(mine, other)
      },
    ),
    { numRuns: 60 },
  )
  assert.ok(ours.handedOver.relayed > 0)
  assert.equal(ours.handedOver.whole, 0)
})

test('visits that a relay carries are the same connection to those who count them', async () => {
  const relayed = ours.handedOver.relayed
  const [first, ...rest] = (await answersOf(
    ours.port,
    [{ headers: { ':path': '/', ':authority': 'site.test' }, body: undefined }],
    65_535,
  )) as [[Record<string, unknown>, string]]
  assert.equal(first[0][':status'], 200)
  assert.equal(rest.length, 0)
  assert.equal(ours.handedOver.relayed, relayed, 'nothing but hot requests needs no relay')
})

/** A conversation of frames, in pieces, and what came of it, once so many streams were answered. A number among the pieces waits as well. */
async function talk(
  port: number,
  pieces: Iterable<Buffer | number> | AsyncIterable<Buffer>,
  streams = 0,
): Promise<Talk> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const talk: Talk = { statuses: new Map(), bodies: new Map(), pings: 0, error: undefined, isOpen: true }
  const decoder = new HeaderDecoder()
  let bytes = Buffer.alloc(0)
  const ended = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  let onAnswer = () => {}
  const answers = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onAnswer = () => (talk.statuses.size >= count ? resolve() : undefined)
      onAnswer()
    })
  socket.on('error', () => {})
  socket.on('close', ended.resolve)
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    let at = 0
    while (bytes.length - at >= HEAD_BYTES) {
      const { length, type, flags, stream } = readHead(bytes, at)
      const end = at + HEAD_BYTES + length
      if (end > bytes.length) break
      const payload = bytes.subarray(at + HEAD_BYTES, end)
      if (type === TYPE.headers)
        talk.statuses.set(stream, decoder.decode(payload)?.[0]?.value ?? 'unreadable')
      if (type === TYPE.reset) talk.statuses.set(stream, `reset ${payload.readUInt32BE(0)}`)
      if (type === TYPE.data) talk.bodies.set(stream, (talk.bodies.get(stream) ?? 0) + length)
      if (type === TYPE.data && stream === 1 && (flags & FLAG.endStream) !== 0) opened.resolve()
      if (type === TYPE.goAway) talk.error = payload.readUInt32BE(4)
      if (type === TYPE.ping && (flags & FLAG.ack) !== 0) talk.pings++
      if (type === TYPE.ping && payload.equals(LAST)) answered.resolve()
      onAnswer()
      at = end
    }
    bytes = bytes.subarray(at)
  })
  for await (const piece of pieces) {
    if (typeof piece === 'number') {
      await Promise.race([ended.promise, answers(piece)])
      continue
    }
    socket.write(piece)
    if (piece === OPENING || piece === OPENING_LONG) await Promise.race([ended.promise, opened.promise])
    else await new Promise(setImmediate)
  }
  socket.write(frame(TYPE.ping, 0, 0, LAST))
  await Promise.race([ended.promise, Promise.all([answered.promise, answers(streams)])])
  talk.isOpen = !socket.destroyed
  socket.destroy()
  return talk
}

interface Talk {
  /** Of each stream; for one that was reset, the reason. */
  readonly statuses: Map<number, string>
  readonly bodies: Map<number, number>
  pings: number
  error: number | undefined
  isOpen: boolean
}

const LAST = Buffer.from('the last')

const hot = (path = '/'): string[] => [
  ...[':method', 'GET', ':scheme', 'http', ':path', path, ':authority', 'site.test'],
]
const get = (stream: number, path = '/'): Buffer =>
  frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, stream, encodeHeaders(hot(path)))
const OPENING = Buffer.concat([PREFACE, frame(TYPE.settings, 0, 0, Buffer.alloc(0)), get(1)])
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

test('answers stand in the frames that the protocol wants', async () => {
  const { statuses, bodies, isOpen } = await talk(ours.port, [
    OPENING,
    Buffer.concat([get(3, '/medium.bin'), get(5, '/none.txt'), get(7, '/a.txt')]),
  ])
  assert.deepEqual(
    [...statuses],
    [1, 3, 5, 7].map((stream) => [stream, '200']),
  )
  assert.deepEqual(
    [...bodies],
    [
      [1, 500],
      [3, 50_000],
      [7, 1],
    ],
  )
  assert.equal(isOpen, true)
})

test('more than the peer has room for is never sent, whoever sends it', async () => {
  // 65,535 bytes in all: once from memory, and then what is left of it by the relay.
  const { bodies } = await talk(ours.port, [OPENING, get(3, '/medium.bin'), get(5, '/medium.bin')])
  let sum = 0
  for (const bytes of bodies.values()) sum += bytes
  assert.ok(sum <= 65_535, String(sum))
  assert.equal(bodies.get(3), 50_000)
})

test('who asks for much in few bytes and does not read gets only as much as is on its way', async () => {
  const count = 2000
  const wide = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])
  const requests = Array.from({ length: count }, (_, i) => get(3 + 2 * i, '/large.bin'))
  const before = world.visits.length
  const socket = connect({ port: ours.port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  socket.pause()
  socket.write(OPENING)
  socket.write(
    Buffer.concat([
      frame(TYPE.settings, 0, 0, wide),
      frame(TYPE.windowUpdate, 0, 0, number(2 ** 31 - 1 - 65_535)),
      ...requests,
    ]),
  )
  const held = () => world.visits.length - before
  for (let last = -1; last !== held() || last < 1; await pause(200)) last = held()
  assert.ok(held() < count / 4, String(held()))
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  while (bytes < count * 300_000) await pause(20)
  assert.equal(held(), count + 1)
  socket.destroy()
})

test('who sends much while the content of the first request is brought into memory is left to others', async () => {
  const read = Promise.withResolvers<void>()
  let isRead = true
  const cold = createEdgeWorld({
    clock: clockOf(() => now),
    blobs: {
      async read(sha256) {
        if (!isRead) await read.promise
        return cold.blobs.get(sha256)
      },
      open: async () => undefined,
    },
  })
  cold.addSite('site.test', { 'index.html': 'home', 'a.txt': 'a' })
  const [slow, own] = [await serveSlow(cold.edge), await serveHttp2(cold.edge)]
  const settle = async () => {
    for (let i = 0; i < 3; i++) await ask(slow.port, '/a.txt')
  }
  await settle()
  isRead = false
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(OPENING)
    await settle()
    assert.deepEqual(own.handedOver, { whole: 0, relayed: 0 })
    const next = get(3, '/a.txt')
    const unknown = [16_384, 16_384, 16_384, 16_287].map((size) => frame(0x50, 0, 0, Buffer.alloc(size)))
    yield Buffer.concat([...unknown, next.subarray(0, 5)])
    await settle()
    assert.deepEqual(own.handedOver, { whole: 1, relayed: 0 })
    read.resolve()
    await settle()
    yield next.subarray(5)
  }
  const { isOpen, error } = await talk(own.port, pieces())
  assert.deepEqual([isOpen, error], [true, undefined])
  assert.deepEqual(own.handedOver, { whole: 1, relayed: 0 })
  await Promise.all([slow.close(), own.close()])
  await cold.edge.close()
})

test('a connection that is ended before its first request is nobody else’s', async () => {
  const early = createEdgeWorld()
  let isGiven = false
  const socket = new Duplex({
    read() {},
    write: (_chunk, _encoding, done) => done(),
    // It takes its time to close.
    final() {},
  })
  const errors: Error[] = []
  socket.on('error', (error) => errors.push(error))
  early.edge.fastPath.takeHttp2(socket as Socket, {
    settings: Buffer.alloc(0),
    maxHeaderBytes: MAX_HEADER_BYTES,
    handOver: () => {
      isGiven = true
    },
  })
  socket.push(PREFACE)
  socket.push(null)
  await once(socket, 'end')
  early.edge.fastPath.release(false)
  await new Promise(setImmediate)
  assert.deepEqual([isGiven, errors], [false, []])
  socket.destroy()
  await early.edge.close()
})

const BROKEN: Readonly<Record<string, readonly [Buffer, number]>> = {
  'a frame that is too long': [frame(TYPE.data, 0, 1, Buffer.alloc(16_385)), ERROR.frameSize],
  'a stream of even number': [get(2), ERROR.protocol],
  'a stream that is over': [get(1), ERROR.streamClosed],
  'content of a stream that is over': [frame(TYPE.data, 0, 1, Buffer.alloc(1)), ERROR.streamClosed],
  'content of no stream': [frame(TYPE.data, 0, 9, Buffer.alloc(1)), ERROR.protocol],
  'a reset of no stream': [frame(TYPE.reset, 0, 9, number(8)), ERROR.protocol],
  'a reset that is too short': [frame(TYPE.reset, 0, 1, Buffer.alloc(3)), ERROR.frameSize],
  'a header block that cannot be read': [
    frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, 3, Buffer.from([0x80])),
    ERROR.compression,
  ],
  'more padding than there is': [
    frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream | FLAG.padded, 3, Buffer.from([200, 0x82])),
    ERROR.protocol,
  ],
  'a continuation of nothing': [
    frame(TYPE.continuation, FLAG.endHeaders, 1, Buffer.alloc(0)),
    ERROR.protocol,
  ],
  'something between headers and their end': [
    Buffer.concat([frame(TYPE.headers, FLAG.endStream, 3, Buffer.from([0x82])), get(5)]),
    ERROR.protocol,
  ],
  'headers without an end': [
    Buffer.concat([
      frame(TYPE.headers, FLAG.endStream, 3, Buffer.from([0x82])),
      ...Array.from({ length: 20 }, () => frame(TYPE.continuation, 0, 3, Buffer.alloc(0))),
    ]),
    ERROR.enhanceYourCalm,
  ],
  'a push': [frame(TYPE.push, FLAG.endHeaders, 1, number(2)), ERROR.protocol],
  'a ping that is too short': [frame(TYPE.ping, 0, 0, Buffer.alloc(7)), ERROR.frameSize],
  'a ping of a stream': [frame(TYPE.ping, 0, 1, Buffer.alloc(8)), ERROR.protocol],
  'half a setting': [frame(TYPE.settings, 0, 0, Buffer.alloc(5)), ERROR.frameSize],
  'settings of a stream': [frame(TYPE.settings, 0, 1, Buffer.alloc(6)), ERROR.protocol],
  'an acknowledgement with something in it': [
    frame(TYPE.settings, FLAG.ack, 0, Buffer.alloc(6)),
    ERROR.frameSize,
  ],
  'a window that is too wide': [
    frame(TYPE.settings, 0, 0, Buffer.from([0, 4, 0xff, 0xff, 0xff, 0xff])),
    ERROR.flowControl,
  ],
  'a window that grows by nothing': [frame(TYPE.windowUpdate, 0, 0, number(0)), ERROR.protocol],
  'a window that grows too wide': [frame(TYPE.windowUpdate, 0, 0, number(0x7fff_ffff)), ERROR.flowControl],
  'a window of no stream': [frame(TYPE.windowUpdate, 0, 9, number(1)), ERROR.protocol],
}

for (const [name, [bytes, error]] of Object.entries(BROKEN))
  test(`${name} ends the connection with a reason, after the answers before it`, async () => {
    const got = await talk(ours.port, [OPENING, bytes])
    assert.equal(got.error, error)
    assert.equal(got.isOpen, false)
    assert.equal(got.bodies.get(1), 500)
  })

const UNUSUAL: Readonly<Record<string, Buffer>> = {
  'a priority': frame(TYPE.priority, 0, 3, Buffer.from([0, 0, 0, 0, 16])),
  'a frame of an unknown kind': frame(0x42, 0xff, 7, Buffer.alloc(30)),
  'a reset of a stream that is over': frame(TYPE.reset, 0, 1, number(8)),
  'a window of a stream that is over': frame(TYPE.windowUpdate, 0, 1, number(100)),
  'headers with padding and a priority': frame(
    TYPE.headers,
    FLAG.endHeaders | FLAG.endStream | FLAG.padded | FLAG.priority,
    3,
    Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 16]), encodeHeaders(hot()), Buffer.alloc(2)]),
  ),
  'headers in two frames': Buffer.concat([
    frame(TYPE.headers, FLAG.endStream, 3, encodeHeaders(hot()).subarray(0, 5)),
    frame(TYPE.continuation, FLAG.endHeaders, 3, encodeHeaders(hot()).subarray(5)),
  ]),
}

for (const [name, bytes] of Object.entries(UNUSUAL))
  test(`${name} is taken as node:http2 takes it`, async () => {
    const pieces = [OPENING, bytes, get(5)]
    const [mine, other] = await Promise.all([ours, theirs].map(({ port }) => talk(port, pieces)))
    assert.deepEqual(mine?.statuses, other?.statuses)
    assert.deepEqual(mine?.bodies, other?.bodies)
    assert.equal(mine?.isOpen, true)
  })

/** Index 62 of a connection that begins with it: a header that counts as 4035 bytes. */
const LONG = encodeHeaders(['x-a', 'a'.repeat(4000)])
LONG[0] = 0x40
const OPENING_LONG = Buffer.concat([
  PREFACE,
  frame(TYPE.settings, 0, 0, Buffer.alloc(0)),
  frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, 1, Buffer.concat([encodeHeaders(hot()), LONG])),
])
const ACK = frame(TYPE.settings, FLAG.ack, 0, Buffer.alloc(0))
const long = (stream: number, count: number, { path = '/', flags = FLAG.endStream as number } = {}): Buffer =>
  frame(
    TYPE.headers,
    FLAG.endHeaders | flags,
    stream,
    Buffer.concat([encodeHeaders(hot(path)), Buffer.alloc(count, 0xbe)]),
  )

const LISTS: Readonly<Record<string, readonly Buffer[]>> = {
  'under the limit': [long(3, 8), get(5)],
  'above the limit': [long(3, 9), long(5, 9, { path: '/echo' }), get(7)],
  'far above the limit': [long(3, 60), long(5, 10_000), get(7)],
  'above the limit, before content': [
    long(3, 9, { flags: 0 }),
    frame(TYPE.data, FLAG.endStream, 3, Buffer.alloc(5000)),
    get(5),
  ],
  'above the limit after content': [
    frame(TYPE.headers, FLAG.endHeaders, 3, encodeHeaders(hot('/echo'))),
    frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, 3, Buffer.alloc(9, 0xbe)),
    get(5),
  ],
  'above the limit by their number': [
    frame(
      TYPE.headers,
      FLAG.endHeaders | FLAG.endStream,
      3,
      Buffer.concat([encodeHeaders(hot()), Buffer.alloc(600, 0x90)]),
    ),
    get(5),
  ],
}

for (const [name, frames] of Object.entries(LISTS))
  test(`headers that are in few bytes what is ${name} are taken as node:http2 takes them`, async () => {
    const streams = 1 + new Set(frames.map((each) => readHead(each, 0).stream)).size
    const [mine, other] = await Promise.all(
      [ours, theirs].map(({ port }) => talk(port, [OPENING_LONG, ACK, Buffer.concat(frames)], streams)),
    )
    assert.deepEqual(mine?.statuses, other?.statuses)
    assert.deepEqual([mine?.error, mine?.isOpen], [undefined, true])
  })

test('what node:http2 does not read is not made from a few bytes, and all of it comes once it does', async () => {
  const given = Promise.withResolvers<Duplex>()
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  world.edge.fastPath.takeHttp2(socket as Socket, {
    settings: Buffer.alloc(0),
    maxHeaderBytes: MAX_HEADER_BYTES,
    handOver: given.resolve,
  })
  const count = 400
  socket.push(OPENING_LONG)
  socket.push(Buffer.concat(Array.from({ length: count }, (_, i) => long(3 + 2 * i, 8, { path: '/echo' }))))
  const relay = await given.promise
  // As a connection by TLS does it, whose last bytes and end come together.
  socket.emit('end')
  for (let i = 0; i < 10; i++) await new Promise(setImmediate)
  assert.ok(relay.readableLength < 200_000, String(relay.readableLength))
  const streams: number[] = []
  let bytes = Buffer.alloc(0)
  relay.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    let at = bytes.indexOf(PREFACE) === 0 ? PREFACE.length : 0
    for (;;) {
      if (bytes.length - at < HEAD_BYTES) break
      const { length, type, stream } = readHead(bytes, at)
      if (bytes.length - at < HEAD_BYTES + length) break
      if (type === TYPE.headers) streams.push(stream)
      at += HEAD_BYTES + length
    }
    bytes = bytes.subarray(at)
  })
  await once(relay, 'end')
  assert.deepEqual(
    streams,
    Array.from({ length: count }, (_, i) => 3 + 2 * i),
  )
  relay.destroy()
  socket.destroy()
})

const post = (stream: number): Buffer =>
  frame(TYPE.headers, FLAG.endHeaders, stream, encodeHeaders([':method', 'POST', ...hot('/echo').slice(2)]))
const widen = (stream: number, by: number): Buffer => frame(TYPE.windowUpdate, 0, stream, number(by))
/** After these, the relay has to wait until more may be sent. */
const EXHAUSTING = [OPENING, get(3, '/medium.bin'), Buffer.concat([post(5), get(7, '/large.bin')]), 3]
const content = (size: number, flags = 0): Buffer => frame(TYPE.data, flags, 5, Buffer.alloc(size, 'x'))

test('the window is widened by a peer whose content fills all that may be sent before', async () => {
  const filler = frame(0x50, 0, 0, Buffer.alloc(16_384))
  const pieces = [
    ...EXHAUSTING,
    ...[content(16_384), content(16_384), content(16_384), content(16_383, FLAG.endStream)],
    // Nothing that the relay has to hear of, so that it comes later than what fills it.
    ...Array.from({ length: 20 }, () => filler),
    Buffer.concat([widen(0, 1_000_000), widen(7, 1_000_000)]),
  ]
  const { statuses, bodies, isOpen } = await talk(ours.port, pieces, 4)
  assert.deepEqual([statuses.get(5), statuses.get(7), isOpen], ['200', '200', true])
  assert.equal(bodies.get(3), 50_000)
})

for (const [name, flood, error] of [
  [
    'more headers',
    Buffer.concat(Array.from({ length: 30 }, (_, i) => long(9 + 2 * i, 8, { path: '/echo' }))),
    ERROR.enhanceYourCalm,
  ],
  ['more content', Buffer.concat(Array.from({ length: 5 }, () => content(16_384))), ERROR.flowControl],
] as const)
  test(`a peer who lets nothing be sent and sends ${name} than may be sent ahead is not listened to any more`, async () => {
    const [, ...rest] = EXHAUSTING
    const got = await talk(ours.port, [OPENING_LONG, ...rest, flood], 99)
    assert.deepEqual([got.error, got.isOpen], [error, false])
  })

test('a peer who lets nothing be sent for as long as an idle connection is kept is let go', async () => {
  const clock = createTestClock()
  const keepAliveMs = 1000
  const idle = createEdgeWorld({ clock, keepAliveMs })
  idle.addSite('site.test', { 'index.html': 'home', 'medium.bin': Buffer.alloc(50_000), 'large.bin': LARGE })
  const [slow, own] = [await serveSlow(idle.edge), await serveHttp2(idle.edge)]
  for (const path of ['/', '/medium.bin', '/large.bin']) await ask(slow.port, path)
  await slow.close()
  let isOver = false
  const talking = talk(own.port, EXHAUSTING, 99).finally(() => {
    isOver = true
  })
  while (!isOver) {
    if (own.handedOver.relayed > 0) clock.advance(keepAliveMs)
    await pause(20)
  }
  const { error, isOpen, statuses } = await talking
  assert.deepEqual([error, isOpen, statuses.get(7)], [ERROR.none, false, '200'])
  await own.close()
  await idle.edge.close()
})

test('whatever frames come, the process goes on and others are answered', async () => {
  const anyFrame = fc
    .record({
      type: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 255 })),
      flags: fc.oneof(fc.constantFrom(0, 1, 4, 5), fc.integer({ min: 0, max: 255 })),
      stream: fc.oneof(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 0x7fff_ffff })),
      payload: fc.oneof(
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
        fc.constantFrom(encodeHeaders(hot()), encodeHeaders(hot('/echo')), encodeHeaders(hot('/large.bin'))),
        fc.constantFrom(LONG, Buffer.alloc(31, 0xbe)),
      ),
    })
    .map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload))
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFrame, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(400), { maxLength: 6 }),
      async (frames, cuts) => {
        const bytes = Buffer.concat([OPENING, ...frames])
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
        await talk(ours.port, pieces)
        const { statuses } = await talk(ours.port, [OPENING])
        assert.equal(statuses.get(1), '200')
      },
    ),
    { numRuns: 150 },
  )
})

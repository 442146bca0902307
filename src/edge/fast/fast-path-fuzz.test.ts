/** The same bytes on a connection of the fast path and on one of node:http: the same bytes must come back. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { type ImageConfig, readImageConfig } from '#core/output/image-config.ts'
import { clockOf } from '#test/support/clock.ts'
import {
  ask,
  createEdgeWorld,
  createInstances,
  serveFast,
  serveSlow,
  settleForms,
  siteFunctions,
} from '#test/support/http/edge.ts'

// Time stands still, so that what is in memory stays there and both sides find the same.
const now = Date.now()
const instances = await createInstances()
await instances.start('kept', (_, res) => {
  res.writeHead(200, { 'cache-control': 's-maxage=60', 'content-type': 'text/plain', etag: '"kept"' })
  res.end('kept '.repeat(400))
})
await instances.start('echo', ({ headers }, res) => {
  const ids = ['x-aloft-request-id', 'x-vercel-id', 'x-invocation-id'].map((name) => headers[name])
  res.end(`asked as ${ids.join(' ')}`)
})
const world = createEdgeWorld({
  clock: clockOf(() => now),
  runner: instances.runner,
  images: { convert: async () => Buffer.alloc(300, 'i'), close: async () => {} },
})
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(100)])
const site = world.addSite(
  'site.test',
  {
    'index.html': 'home '.repeat(100),
    'a.txt': 'a',
    'docs/index.html': 'docs',
    'medium.bin': Buffer.alloc(50_000, 'm'),
    'a b': 'a name with a space',
    'i.png': PNG,
  },
  {
    functions: siteFunctions({ kept: {}, echo: {} }),
    images: readImageConfig({ sizes: [64], formats: ['image/webp'], minimumCacheTTL: 60 }) as ImageConfig,
    routes: [
      { src: '/a.txt', headers: { 'x-route': 'yes' }, continue: true },
      { src: '/old', status: 308, headers: { location: '/new' } },
      { handle: 'filesystem' },
      { src: '/app/.*', dest: '/index.html' },
    ],
  },
)
world.addSite('paused.test', { 'index.html': 'home' }, { status: 'paused' })
const fast = await serveFast(world.edge)
const slow = await serveSlow(world.edge)
await settleForms(slow.port)
for (const path of ['/a.txt', '/docs', '/medium.bin']) await ask(slow.port, path)
for (const host of ['paused.test', 'other', 'site.tes']) await ask(slow.port, '/', { host })
after(async () => {
  await Promise.all([fast.close(), slow.close()])
  await world.edge.close()
  await instances.close()
})

const tags = [...site.files.values()].map(({ sha256 }) => `"${sha256}"`)

type Field = readonly [name: string, value: string]

/** A request line, headers and a body, as they are written down. */
interface Message {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly fields: readonly Field[]
  readonly separator: string
  readonly trailing: string
  readonly newline: string
  readonly body: string
}

const usualField = fc.constantFrom<Field>(
  ['Accept', '*/*'],
  ['Accept', 'image/webp'],
  ['User-Agent', 'fuzz/1'],
  ['user-agent', ''],
  ['Accept-Encoding', 'gzip, br'],
  ['ACCEPT-ENCODING', 'gzip;q=0.5, *;q=0'],
  ['accept-encoding', ''],
  ['Connection', 'keep-alive'],
  ['connection', 'Keep-Alive'],
  ['Cookie', 'a=b; c=d'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['X-Forwarded-For', '1.2.3.4'],
  ['Cache-Control', 'no-cache'],
  ['If-Modified-Since', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ...[
    ...tags,
    '"kept"',
    'W/"kept"',
    '*',
    '"other"',
    `W/${tags[0]}`,
    tags.join(', '),
    'x',
    '',
    `${tags[0]} x`,
  ].map((tag): Field => ['If-None-Match', tag]),
)
const usualHost = fc.constantFrom<Field>(
  ['Host', 'site.test'],
  ['HOST', 'SITE.test'],
  ['host', 'site.test:80'],
)

const usual: fc.Arbitrary<Message> = fc
  .record({
    target: fc.constantFrom(
      '/',
      '/a.txt',
      '/docs',
      '/docs/',
      '/medium.bin',
      '/app/x',
      '/kept',
      '/kept?a=b',
      '/echo',
      '/echo?a=b',
      '/_vercel/image?url=%2Fi.png&w=64',
      '/a.txt?a=b&c',
      '/?%41',
    ),
    host: usualHost,
    fields: fc.uniqueArray(usualField, { maxLength: 4, selector: ([name]) => name.toLowerCase() }),
    at: fc.nat(4),
    separator: fc.constantFrom(': ', ':', ':  ', ':\t'),
    trailing: fc.constantFrom('', '', ' ', '\t'),
  })
  .map(({ host, at, fields, ...rest }) => ({
    method: 'GET',
    version: 'HTTP/1.1',
    newline: '\r\n',
    body: '',
    fields: fields.toSpliced(at, 0, host),
    ...rest,
  }))

const oddField = fc.constantFrom<Field>(
  ['Range', 'bytes=0-1'],
  ['If-Match', '*'],
  ['If-Match', '"x"'],
  ['If-Range', '"x"'],
  ['Connection', 'close'],
  ['Connection', 'keep-alive, close'],
  ['Connection', 'upgrade'],
  ['Connection', ''],
  ['Upgrade', 'websocket'],
  ['Proxy-Connection', 'close'],
  ['Expect', '100-continue'],
  ['Expect', 'nonsense'],
  ['Content-Length', '0'],
  ['Content-Length', '3'],
  ['Content-Length', 'x'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'identity'],
  ['TE', 'trailers'],
  ['Trailer', 'x'],
  ['Keep-Alive', '1'],
  ['Unknown', 'x'],
  ['', 'x'],
  ['Host', 'site.test'],
  ['Host', 'paused.test'],
  ['User-Agent', 'fuzz/2'],
  ['Accept-Encoding', 'zstd'],
  ['If-None-Match', '*'],
  ...['a\0b', 'a\x01b', 'a\x7fb', 'a\xe9b', 'a\rb', 'a\nb', 'a\r\n b', 'a\r\n\tb'].map(
    (value): Field => ['X-Bad', value],
  ),
  ['X Bad', 'a'],
  ['X-Bad ', 'a'],
  ['Cookie\t', 'a'],
  ['X-B\0d', 'a'],
  ['X-Bäd', 'a'],
  ['X-Long', 'x'.repeat(9000)],
)
const oddTarget = fc.oneof(
  fc.constantFrom(
    '/nope',
    '/old',
    '/%61.txt',
    '//a.txt',
    '/./a.txt',
    '/a b',
    '/a.txt?a b',
    '*',
    '',
    '/a.txt#x',
  ),
  fc.constantFrom(
    'http://site.test/',
    'http://paused.test/',
    '/a.txt?x#y',
    '/a.txt?"',
    '/é',
    '/%',
    '/\0',
    '/a.txt?\xe9',
  ),
  fc.string({ maxLength: 8 }).map((text) => `/${text}`),
)
const oddHosts = fc.constantFrom<readonly string[]>(
  ...[
    [],
    ['paused.test'],
    ['other'],
    ['site.test:x'],
    ['site.test:123456'],
    [''],
    ['site.test.'],
    ['site.test, x'],
  ],
)

type Change = (message: Message) => Message

const change =
  (make: (message: Message) => Partial<Message>): Change =>
  (message) => ({ ...message, ...make(message) })

const addField = ([field, at]: readonly [Field, number]): Change =>
  change(({ fields }) => ({ fields: fields.toSpliced(at, 0, field) }))

const replaceHost = (hosts: readonly string[]): Change =>
  change(({ fields }) => ({
    fields: [
      ...fields.filter(([name]) => name.toLowerCase() !== 'host'),
      ...hosts.map((host): Field => ['Host', host]),
    ],
  }))

const oneOf = (key: keyof Message, ...values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => change(() => ({ [key]: value })))

/** One thing about a message that is not as usual. */
const oddity = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(oddField, fc.nat(5)).map(addField) },
  { weight: 3, arbitrary: oddTarget.map((target) => change(() => ({ target }))) },
  { weight: 2, arbitrary: oddHosts.map(replaceHost) },
  { weight: 1, arbitrary: oneOf('method', 'HEAD', 'POST', 'get', 'OPTIONS', 'G\tT', 'GETT', '') },
  { weight: 1, arbitrary: oneOf('version', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', '') },
  { weight: 1, arbitrary: oneOf('separator', ' : ', ' :', '\t:', '', '::') },
  { weight: 1, arbitrary: oneOf('newline', '\n', '\r', '\r\r\n', '\n\r') },
  { weight: 1, arbitrary: oneOf('body', 'abc', '3\r\nabc\r\n0\r\n\r\n', '0\r\n\r\n', '\r\n') },
)
const message = fc
  .tuple(
    usual,
    fc.oneof(
      fc.constant([]),
      fc.array(oddity, { minLength: 1, maxLength: 1 }),
      fc.array(oddity, { maxLength: 3 }),
    ),
  )
  .map(([plain, oddities]) => oddities.reduce((changed, apply) => apply(changed), plain))
  .map(({ method, target, version, fields, separator, trailing, newline, body }) => {
    const lines = fields.map(([name, value]) => `${name}${separator}${value}${trailing}`)
    return [`${method} ${target} ${version}`, ...lines, '', body].join(newline)
  })

/** Changes to single bytes, as far as there are that many. */
const damage = fc.array(
  fc.record({ at: fc.nat(), kind: fc.constantFrom('change', 'insert', 'drop'), byte: fc.nat(255) }),
  {
    maxLength: 1,
  },
)
const input = fc.record({
  /** What was asked before on the same connection is answered by what is known of it. */
  messages: fc
    .tuple(fc.array(message, { minLength: 1, maxLength: 3 }), fc.constantFrom(1, 1, 2, 3))
    .map(([messages, times]) => Array.from({ length: times }, () => messages).flat()),
  /** Whether the messages are sent one after the other, or all at once. */
  isPipelined: fc.boolean(),
  damage: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: damage }),
  cuts: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.nat(), { maxLength: 3 }) },
  ),
})

type Input = typeof input extends fc.Arbitrary<infer T> ? T : never

function chunksOf({ messages, isPipelined, damage, cuts }: Input): readonly Buffer[] {
  const parts = messages.map((text) => Buffer.from(text, 'latin1'))
  let bytes: Buffer = Buffer.concat(parts)
  const ends = new Set<number>()
  let end = 0
  for (const { length } of isPipelined ? [] : parts) {
    end += length
    ends.add(end)
  }
  for (const { at, kind, byte } of damage) {
    const place = at % (bytes.length + 1)
    const rest = bytes.subarray(kind === 'insert' ? place : place + 1)
    bytes = Buffer.concat([
      bytes.subarray(0, place),
      kind === 'drop' ? Buffer.alloc(0) : Buffer.from([byte]),
      rest,
    ])
  }
  for (const cut of cuts) ends.add(cut % (bytes.length + 1))
  const places = [0, ...[...ends].sort((a, b) => a - b), bytes.length]
  return places
    .slice(1)
    .map((place, i) => bytes.subarray(places[i], place))
    .filter(({ length }) => length > 0)
}

/** Sends chunks one by one, ends its side, and gives back all that comes until the other side ends. */
async function talk(port: number, chunks: readonly Buffer[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  const received: Buffer[] = []
  const over = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('close', () => resolve())
    socket.on('end', () => socket.destroy())
    // A peer that refuses what it reads may reset the connection; what it said before is what counts.
    socket.on('error', () => socket.destroy())
  })
  for (const chunk of chunks) {
    socket.write(chunk)
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  }
  socket.end()
  await over
  return Buffer.concat(received).toString('latin1')
}

const stampless = (text: string): string =>
  text
    // A visitor who has ended their side may be asked whether they are still there.
    .replaceAll('HTTP/1.1 100 Continue\r\n\r\n', '')
    .replaceAll(/^date: .*$/gim, 'date')
    .replaceAll(/iad1::[0-9a-f]{12}-[0-9a-z]{9}/g, 'id')

const ID = 'iad1::[0-9a-f]{12}-[0-9a-z]{9}'
const STAMPED = new RegExp(
  `^x-vercel-id: (${ID})\\r\\nx-platform-id: (${ID})$|asked as (${ID}) (${ID}) (${ID})`,
  'gm',
)

/** Every answer has an id of its own, and a function was asked under the one of its answer. */
function checkIds(text: string): void {
  const seen = new Set<string>()
  let id: string | undefined
  for (const [, own, ...others] of text.matchAll(STAMPED)) {
    if (own !== undefined) {
      assert.ok(!seen.has(own), `${own} is the id of two answers`)
      seen.add(own)
      id = own
    }
    for (const other of others) if (other !== undefined) assert.equal(other, id)
  }
}

const RUNS = 800

test('whatever a connection says, the fast path answers as node:http does', {
  timeout: 120_000,
}, async () => {
  let kept = 0
  await fc.assert(
    fc.asyncProperty(input, async (given) => {
      const chunks = chunksOf(given)
      // Once in vain: what is asked for the first time takes longer, and whoever waits may be overtaken.
      await talk(slow.port, chunks)
      const before = fast.handedOver()
      const quick = await talk(fast.port, chunks)
      if (fast.handedOver() === before) kept++
      const plain = await talk(slow.port, chunks)
      // What has to be waited for is overtaken by the refusal of what is malformed and comes after it.
      const isOvertaken = [quick, plain].some((text) => text.includes(' 400 Bad Request\r\nConnection'))
      checkIds(quick)
      if (isOvertaken && /\/(?:kept|echo|_vercel)/.test(String(chunks))) return
      assert.equal(stampless(quick), stampless(plain))
    }),
    { numRuns: RUNS },
  )
  assert.ok(kept > RUNS / 20, `only ${kept} of ${RUNS} connections stayed on the fast path`)
})

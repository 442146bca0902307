import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { ask, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'

const PRIVATE_FILES = [
  '.env',
  '.env.production',
  '.ENV',
  'docs/.env.local',
  '.env%',
  '.git/config',
  'lib/.git',
  '.aloft/project.json',
]
const world = createEdgeWorld()
const page = `<!doctype html><title>home</title>${'<p>the quick brown fox</p>'.repeat(200)}`
const large = Buffer.alloc(3 * 1024 * 1024, 'large files are streamed. ')
const noise = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * i * 2654435761) >>> 24))
const site = world.addSite('site.test', {
  'index.html': page,
  'about.html': '<p>about</p>',
  'docs/index.html': '<p>docs</p>',
  'app.js': 'console.log("hello");'.repeat(100),
  'photo.jpg': noise,
  'noise.txt': noise,
  'video.mp4': large,
  'bundle.js': large,
  'empty.txt': '',
  'ten.bin': '0123456789',
  'é 100%.txt': 'special',
  'a\\b.txt': 'backslash',
  'a%2Fb.txt': 'escaped slash',
  '.well-known/security.txt': 'Contact: mailto:security@site.test',
  '.github/funding.yml': 'github: site',
  'environment.txt': 'no secret',
  ...Object.fromEntries(PRIVATE_FILES.map((name) => [name, 'TOKEN=secret'])),
})
world.addSite('preview.test', { 'index.html': page }, { environment: 'preview' })
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
})
const get = (path: string, headers = {}, method = 'GET') => ask(server.port, path, { headers, method })
const shaOf = (path: string) => site.files.get(path)?.sha256

test('a file is served with its type, tag, length and a caching rule that asks again each time', async () => {
  const { status, headers, text } = await get('/about.html')
  assert.equal(status, 200)
  assert.equal(text, '<p>about</p>')
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['content-length'], '12')
  assert.equal(headers.etag, `"${shaOf('about.html')}"`)
  assert.equal(headers['cache-control'], 'public, max-age=0, must-revalidate')
  assert.equal(headers['accept-ranges'], 'bytes')
  assert.equal(headers.vary, 'accept-encoding')
  assert.match(headers['x-platform-id'] as string, /^iad1::[0-9a-z-]+$/)
  assert.ok(Math.abs(Date.parse(headers.date as string) - Date.now()) < 10_000)
  assert.equal(headers['x-robots-tag'], undefined)
})

test('every answer has an id of its own', async () => {
  const [a, b] = await Promise.all([get('/about.html'), get('/about.html')])
  assert.notEqual(a.headers['x-platform-id'], b.headers['x-platform-id'])
  for (const { headers } of [a, b]) assert.equal(headers['x-vercel-id'], headers['x-platform-id'])
})

const LOOKUPS: readonly (readonly [string, number, string])[] = [
  ['/', 200, page],
  ['/index.html', 200, page],
  ['/docs', 200, '<p>docs</p>'],
  ['/docs/', 200, '<p>docs</p>'],
  ['/docs/index.html', 200, '<p>docs</p>'],
  ['/./docs/../about.html', 200, '<p>about</p>'],
  ['/../../about.html', 200, '<p>about</p>'],
  ['//about.html', 200, '<p>about</p>'],
  ['/%61bout.html', 200, '<p>about</p>'],
  ['/about.html?x=1', 200, '<p>about</p>'],
  ['/%C3%A9%20100%25.txt', 200, 'special'],
  ['/a%5Cb.txt', 200, 'backslash'],
  ['/a\\b.txt', 200, 'backslash'],
  ['/a%252Fb.txt', 200, 'escaped slash'],
  ['/empty.txt', 200, ''],
  ['/.well-known/security.txt', 200, 'Contact: mailto:security@site.test'],
  ['/.github/funding.yml', 200, 'github: site'],
  ['/environment.txt', 200, 'no secret'],
]
for (const [path, status, text] of LOOKUPS)
  test(`${path} is answered with ${status} ${JSON.stringify(text.slice(0, 20))}`, async () => {
    const answer = await get(path)
    assert.equal(answer.status, status)
    assert.equal(answer.text, text)
  })

for (const path of ['/nope', '/about.html/', '/about', '/a%2Fb.txt', '/docs/nope', '/Docs', '/%FF'])
  test(`${path} is not found`, async () => {
    const { status, headers } = await get(path)
    assert.equal(status, 404)
    assert.equal(headers['x-platform-error'], 'NOT_FOUND')
  })

for (const name of PRIVATE_FILES)
  test(`${name} is kept from visitors, however they spell it`, async () => {
    const path = encodeURI(name)
    for (const spelling of [`/${path}`, `//${path}`, `/docs/../${path}`, `/${path.replace('.', '%2e')}`])
      assert.equal((await get(spelling)).status, 404, spelling)
  })

for (const path of ['/%', '/%zz', '/a%00b'])
  test(`${path} is a bad request`, async () => {
    const { status, headers } = await get(path)
    assert.equal(status, 400)
    assert.equal(headers['x-platform-error'], 'BAD_REQUEST')
  })

test('HEAD is answered like GET, without the body', async () => {
  for (const path of ['/about.html', '/video.mp4', '/nope']) {
    const [head, whole] = await Promise.all([get(path, {}, 'HEAD'), get(path)])
    assert.equal(head.status, whole.status)
    assert.equal(head.body.length, 0)
    for (const name of ['content-type', 'content-length', 'etag'])
      assert.equal(head.headers[name], whole.headers[name])
  }
})

for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
  test(`${method} on a file is not allowed, and says what is`, async () => {
    const { status, headers } = await ask(server.port, '/about.html', { method, body: 'x' })
    assert.equal(status, 405)
    assert.equal(headers.allow, 'GET, HEAD')
    assert.equal(headers['x-platform-error'], 'INVALID_REQUEST_METHOD')
  })

const DECODE = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}
for (const [encoding, decode] of Object.entries(DECODE))
  test(`a file that shrinks is sent as ${encoding} to who accepts it, with a tag of its own`, async () => {
    const { headers, body } = await get('/', { 'accept-encoding': encoding })
    assert.equal(headers['content-encoding'], encoding)
    assert.equal(headers.vary, 'accept-encoding')
    assert.equal(headers['content-length'], String(body.length))
    assert.equal(decode(body).toString(), page)
    assert.ok(body.length < page.length)
    assert.notEqual(headers.etag, `"${shaOf('index.html')}"`)
  })

test('of several encodings the client chooses by weight', async () => {
  const { headers } = await get('/', { 'accept-encoding': 'br;q=0.2, gzip;q=0.8' })
  assert.equal(headers['content-encoding'], 'gzip')
})

for (const path of ['/photo.jpg', '/noise.txt', '/about.html', '/empty.txt'])
  test(`${path}, which would not shrink, is sent as it is`, async () => {
    const { headers, body } = await get(path, { 'accept-encoding': 'br, gzip, zstd' })
    assert.equal(headers['content-encoding'], undefined)
    assert.deepEqual(body, world.blobs.get(shaOf(path.slice(1)) ?? ''))
  })

test('a type that is compressed by itself does not vary with the encoding', async () => {
  assert.equal((await get('/photo.jpg')).headers.vary, undefined)
})

test('a copy that is still right is not sent again, whichever form of it the client has', async () => {
  for (const encoding of ['identity', 'br', 'gzip']) {
    const first = await get('/', { 'accept-encoding': encoding })
    const again = await get('/', { 'accept-encoding': 'br, gzip', 'if-none-match': first.headers.etag })
    assert.equal(again.status, 304)
    assert.equal(again.body.length, 0)
    assert.equal(again.headers.etag, first.headers.etag)
    assert.equal(again.headers['cache-control'], first.headers['cache-control'])
    assert.equal(again.headers.vary, first.headers.vary)
    assert.equal(again.headers['content-type'], undefined)
    assert.equal(again.headers['content-length'], undefined)
    assert.ok(again.headers['x-platform-id'])
  }
})

test('a copy of something else is replaced', async () => {
  const { status, text } = await get('/about.html', { 'if-none-match': '"other", W/"another"' })
  assert.equal(status, 200)
  assert.equal(text, '<p>about</p>')
})

test('a compressed copy is no good to a client that no longer accepts it', async () => {
  const first = await get('/', { 'accept-encoding': 'br' })
  assert.equal((await get('/', { 'if-none-match': first.headers.etag })).status, 200)
})

test('If-Match with another tag fails, with the right one it does not', async () => {
  const failed = await get('/about.html', { 'if-match': '"other"' })
  assert.equal(failed.status, 412)
  assert.equal(failed.headers['x-platform-error'], 'PRECONDITION_FAILED')
  assert.equal((await get('/about.html', { 'if-match': `"${shaOf('about.html')}"` })).status, 200)
})

const RANGES: readonly (readonly [string, string, string])[] = [
  ['bytes=0-3', 'bytes 0-3/10', '0123'],
  ['bytes=8-', 'bytes 8-9/10', '89'],
  ['bytes=-1', 'bytes 9-9/10', '9'],
]
for (const [range, contentRange, text] of RANGES)
  test(`Range ${range} of a file in memory is answered with ${contentRange}`, async () => {
    const answer = await get('/ten.bin', { range })
    assert.equal(answer.status, 206)
    assert.equal(answer.headers['content-range'], contentRange)
    assert.equal(answer.headers['content-length'], String(text.length))
    assert.equal(answer.headers.etag, `"${shaOf('ten.bin')}"`)
    assert.equal(answer.text, text)
  })

test('parts are of the content as it is, even for who accepts it compressed', async () => {
  const answer = await get('/', { range: 'bytes=0-8', 'accept-encoding': 'br' })
  assert.equal(answer.status, 206)
  assert.equal(answer.headers['content-encoding'], undefined)
  assert.equal(answer.text, '<!doctype')
})

test('a range outside the content is refused with its size', async () => {
  const { status, headers } = await get('/ten.bin', { range: 'bytes=10-' })
  assert.equal(status, 416)
  assert.equal(headers['content-range'], 'bytes */10')
})

test('a range that makes no sense is ignored', async () => {
  for (const range of ['bytes=5-1', 'lines=1-2', 'bytes=0-9,0-9,0-9'])
    assert.equal((await get('/ten.bin', { range })).status, 200)
})

test('HEAD knows no ranges', async () => {
  const { status, headers } = await get('/ten.bin', { range: 'bytes=0-1' }, 'HEAD')
  assert.equal(status, 200)
  assert.equal(headers['content-length'], '10')
})

test('If-Range sends the part of the content that the client began, and the whole of another one', async () => {
  const range = 'bytes=1-2'
  const same = await get('/ten.bin', { range, 'if-range': `"${shaOf('ten.bin')}"` })
  assert.equal(same.status, 206)
  for (const other of ['"other"', `W/"${shaOf('ten.bin')}"`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
    const whole = await get('/ten.bin', { range, 'if-range': other })
    assert.equal(whole.status, 200)
    assert.equal(whole.text, '0123456789')
  }
})

for (const [name, path] of [
  ['in memory', '/ten.bin'],
  ['that is streamed', '/video.mp4'],
] as const)
  test(`several ranges of a file ${name} come as parts of one message`, async () => {
    const content = world.blobs.get(shaOf(path.slice(1)) ?? '') ?? Buffer.alloc(0)
    const { status, headers, body } = await get(path, { range: 'bytes=0-1,4-6,-2' })
    assert.equal(status, 206)
    assert.equal(headers['content-range'], undefined)
    assert.equal(headers['content-length'], String(body.length))
    const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(headers['content-type'] ?? '')?.[1]
    const parts = body.toString('latin1').split(`--${boundary}`)
    assert.equal(parts.length, 5)
    assert.equal(parts.at(0), '')
    assert.equal(parts.at(-1), '--\r\n')
    const size = content.length
    const spans = [
      [0, 1],
      [4, 6],
      [size - 2, size - 1],
    ] as const
    for (const [index, [first, last]] of spans.entries()) {
      const [head, rest] = (parts[index + 1] as string).split('\r\n\r\n')
      assert.ok(head?.includes(`content-range: bytes ${first}-${last}/${size}`))
      assert.equal(rest, `${content.subarray(first, last + 1).toString('latin1')}\r\n`)
    }
  })

test('a large file is streamed whole, and in parts', async () => {
  const whole = await get('/video.mp4')
  assert.ok(whole.body.equals(large))
  assert.equal(whole.headers['content-length'], String(large.length))
  const part = await get('/video.mp4', { range: 'bytes=1000000-2999999' })
  assert.equal(part.status, 206)
  assert.ok(part.body.equals(large.subarray(1_000_000, 3_000_000)))
})

test('a large file that shrinks is compressed in the background and then sent so', async () => {
  const encodings = new Set<string | undefined>()
  while (!encodings.has('gzip')) {
    const { headers, body } = await get('/bundle.js', { 'accept-encoding': 'gzip' })
    const content = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    assert.ok(content.equals(large))
    encodings.add(headers['content-encoding'])
  }
  assert.deepEqual([...encodings], [undefined, 'gzip'])
})

test('answers of previews are kept from search engines', async () => {
  for (const path of ['/', '/nope']) {
    const { headers } = await ask(server.port, path, { host: 'preview.test' })
    assert.equal(headers['x-robots-tag'], 'noindex')
  }
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'

const world = createEdgeWorld()
world.addSite(
  'site.test',
  {
    'index.html': 'home',
    'app.html': 'app',
    'assets/a.css': 'a{}',
    'assets/sub/b.css': 'b{}',
    'assets/<b>&.txt': 'odd',
    'assets/.env': 'TOKEN=secret',
    'assets/.git/config': 'secret',
    'gone.html': 'gone page',
    'page.txt': 'text '.repeat(500),
    'packed.js': 'already packed',
  },
  {
    directoryListing: true,
    routes: [
      { src: '/old', status: 301, headers: { Location: '/new' } },
      { src: '/moved/(.*)', status: 308, headers: { Location: 'https://other.test/$1' } },
      { src: '/teapot', status: 418 },
      { src: '/variables', dest: '/assets/.env' },
      { src: '/nothing', status: 204 },
      { src: '/gone', dest: '/gone.html', status: 410 },
      {
        src: '/assets/(.*)',
        headers: { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Asset': '$1' },
        continue: true,
      },
      {
        src: '/page.txt',
        headers: { vary: 'cookie', etag: '"mine"', 'x-platform-id': 'mine', date: 'mine' },
        continue: true,
      },
      { src: '/packed.js', headers: { 'content-encoding': 'br' }, continue: true },
      { src: '/only-post', methods: ['POST'], status: 202 },
      { src: '/any/(.*)', headers: { 'x-any': '1' }, continue: true },
      { handle: 'filesystem' },
      { src: '/app/.*', dest: '/app.html' },
      { src: '/broken/(.*)', dest: '/$1/$1' },
    ],
  },
)
world.addSite('closed.test', { 'assets/a.css': 'a{}' }, { environment: 'preview' })
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
})
const get = (path: string, headers = {}, method = 'GET', host = 'site.test') =>
  ask(server.port, path, { headers, method, host })

test('a status with a location redirects', async () => {
  const old = await get('/old')
  assert.equal(old.status, 301)
  assert.equal(old.headers.location, '/new')
  const moved = await get('/moved/a/b', {}, 'POST')
  assert.equal(moved.status, 308)
  assert.equal(moved.headers.location, 'https://other.test/a/b')
  assert.equal((await get('/old', {}, 'HEAD')).body.length, 0)
})

test('a status alone is an empty answer', async () => {
  const teapot = await get('/teapot')
  assert.equal(teapot.status, 418)
  assert.equal(teapot.text, '')
  assert.equal(teapot.headers['content-length'], '0')
  const nothing = await get('/nothing')
  assert.equal(nothing.status, 204)
  assert.equal(nothing.headers['content-length'], undefined)
})

test('a destination is served with the status of its route, without conditions and ranges', async () => {
  const { status, text, headers } = await get('/gone', { range: 'bytes=0-1', 'if-none-match': '*' })
  assert.equal(status, 410)
  assert.equal(text, 'gone page')
  assert.equal(headers.etag, undefined)
})

test('headers of routes come with the file, and over our caching rule', async () => {
  const { headers } = await get('/assets/a.css')
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(headers['x-asset'], 'a.css')
})

test('a route cannot change what only we know: the tag, the id and the date', async () => {
  const { headers } = await get('/page.txt')
  assert.match(headers.etag ?? '', /^"[0-9a-f]{64}"$/)
  assert.match(headers['x-platform-id'] as string, /^iad1::/)
  assert.ok(Date.parse(headers.date ?? '') > 0)
  assert.equal(headers.vary, 'accept-encoding, cookie')
})

test('what a route declares to be compressed is not compressed again', async () => {
  const { headers, text } = await get('/packed.js', { 'accept-encoding': 'gzip' })
  assert.equal(headers['content-encoding'], 'br')
  assert.equal(text, 'already packed')
})

test('a route for other methods is passed by', async () => {
  assert.equal((await get('/only-post', {}, 'POST')).status, 202)
  assert.equal((await get('/only-post')).status, 404)
})

test('routes behind the files see what no file answers', async () => {
  for (const path of ['/app/any/where', '/app/x?y=1']) assert.equal((await get(path)).text, 'app')
})

test('headers of routes come with an error too, but do not change its own', async () => {
  const { status, headers } = await get('/any/thing')
  assert.equal(status, 404)
  assert.equal(headers['x-any'], '1')
  assert.equal(headers['cache-control'], 'no-store')
})

test('a path that leads out of its destination is refused', async () => {
  const { status, headers } = await get('/broken/%252e%252e')
  assert.equal(status, 400)
  assert.equal(headers['x-platform-error'], 'BAD_REQUEST')
})

test('a folder without an index lists its files where the site allows it', async () => {
  for (const path of ['/assets', '/assets/']) {
    const { status, headers, text } = await get(path)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(text, /Index of \/assets\//)
    assert.match(
      text,
      /href="\/assets\/sub\/">sub\/<\/a>.*href="\/assets\/%3Cb%3E%26.txt">&lt;b&gt;&amp;.txt<\/a>.*href="\/assets\/a.css"/s,
    )
    assert.match(text, /href="\/">\.\.\//)
  }
  assert.equal((await get('/assets/', {}, 'HEAD')).body.length, 0)
  assert.equal((await get('/assets/', {}, 'POST')).status, 405)
  assert.equal((await get('/assets/nope/')).status, 404)
  assert.equal((await get('/assets/', {}, 'GET', 'closed.test')).status, 404)
})

test('files that are kept from visitors are in no listing, and no rule leads to them', async () => {
  assert.doesNotMatch((await get('/assets/')).text, /\.env|\.git/)
  for (const path of ['/assets/.env', '/assets/.git/', '/variables'])
    assert.equal((await get(path)).status, 404, path)
})

test('the links of a listing lead to its files', async () => {
  const { text } = await get('/assets')
  for (const [, link] of text.matchAll(/href="(\/assets\/[^"]+)"/g))
    assert.equal((await get(link as string)).status, 200, link)
})

test('a site whose stored routes cannot be read answers with an error, not with its files', async () => {
  world.addSite('bad.test', { 'index.html': 'home' }, { routes: [{ src: '(' }] })
  assert.equal((await get('/', {}, 'GET', 'bad.test')).status, 500)
})

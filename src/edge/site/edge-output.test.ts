import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { Route } from '#core/routing/route.ts'
import { ask, createEdgeWorld, createInstances, serveFast, siteFunctions } from '#test/support/http/edge.ts'

const instances = await createInstances()
const world = createEdgeWorld({ runner: instances.runner })
const server = await serveFast(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
  await instances.close()
})

type Handler = (req: IncomingMessage, res: ServerResponse) => void
let hosts = 0

/** A site that a build left behind, each function answered as the test says. */
async function output(
  routes: readonly Route[],
  functions: Record<string, Handler>,
  files: Record<string, string> = {},
) {
  const host = `o${hosts++}.test`
  const given: Record<string, { program: string }> = {}
  for (const [path, handler] of Object.entries(functions)) {
    given[path] = { program: `${host}/${path}` }
    await instances.start(`${host}/${path}`, handler)
  }
  world.addSite(host, files, { routes, routesFrom: 'output', functions: siteFunctions(given) })
  const get = (path: string, options: Parameters<typeof ask>[2] = {}) =>
    ask(server.port, path, { host, ...options, headers: { connection: 'keep-alive', ...options.headers } })
  return { host, get }
}

const echo: Handler = (req, res) => void res.end(JSON.stringify({ url: req.url, headers: req.headers }))
const filesystem = { handle: 'filesystem' } as const

test('a dynamic route leads to its function, with the query that the route made', async () => {
  const { get } = await output(
    [filesystem, { src: '^/blog/(?<slug>[^/]+)$', dest: '/blog/[slug]?slug=$slug' }],
    { 'blog/[slug]': echo },
  )
  const { url, headers } = JSON.parse((await get('/blog/hello?a=b')).text)
  assert.equal(url, '/blog/hello?a=b&slug=hello')
  assert.equal(headers['x-matched-path'], '/blog/[slug]')
  // Next.js takes it for the sign that the answer is for everyone, and then refuses to look at cookies or headers.
  assert.equal(headers['x-now-route-matches'], undefined)
})

test('routes see what the platform says of a visitor, and not what visitors say in its place', async () => {
  const only = (key: string, value: string) => ({ type: 'header', key, value }) as const
  const { host, get } = await output(
    [
      { src: '^/admin$', missing: [only('x-real-ip', '203.0.113.7')], status: 403 },
      { src: '^/admin$', has: [only('x-forwarded-for', '127.0.0.1')], dest: '/mine' },
      { src: '^/plain$', has: [only('x-forwarded-proto', 'http')], dest: '/mine' },
      { src: '^/where$', has: [only('x-vercel-ip-country', 'CH')], dest: '/mine' },
      { src: '^/named$', has: [only('x-forwarded-host', 'o.*\\.test')], dest: '/mine' },
      { src: '^/own$', has: [only('x-own', 'yes')], dest: '/mine' },
      filesystem,
    ],
    {},
    { mine: 'mine' },
  )
  const lies = { 'x-real-ip': '203.0.113.7', 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'https' }
  for (const headers of [{}, lies, { ...lies, 'x-vercel-ip-country': 'CH', 'x-forwarded-host': 'evil' }]) {
    assert.equal((await get('/admin', { headers })).status, 403)
    assert.equal((await get('/plain', { headers })).text, 'mine', host)
    assert.equal((await get('/named', { headers })).text, 'mine')
    assert.equal((await get('/where', { headers })).status, 404)
  }
  assert.equal((await get('/own', { headers: { 'x-own': 'yes' } })).text, 'mine')
})

test('a page that a build names index is the front page, whether there are functions or not', async () => {
  const pages = { index: 'front', about: 'about', 'docs/index': 'docs' }
  for (const functions of [{}, { fn: echo }]) {
    const { get } = await output([filesystem], functions, pages)
    assert.equal((await get('/')).text, 'front')
    assert.equal((await get('/about')).text, 'about')
    assert.equal((await get('/docs')).text, 'docs')
    assert.equal((await get('/none')).status, 404)
  }
})

test('a condition on a header or the query decides for this request alone', async () => {
  const { get } = await output(
    [
      { src: '^/page$', has: [{ type: 'header', key: 'rsc' }], dest: '/page.rsc' },
      { src: '^/page$', has: [{ type: 'query', key: 'old' }], dest: '/old' },
      filesystem,
    ],
    {},
    { page: 'page', 'page.rsc': 'rsc', old: 'old' },
  )
  for (let i = 0; i < 3; i++) {
    assert.equal((await get('/page')).text, 'page')
    assert.equal((await get('/page', { headers: { RSC: '1' } })).text, 'rsc')
    assert.equal((await get('/page?old')).text, 'old')
  }
})

test('an output has pages of its own for what is not there, and for functions that fail', async () => {
  const routes: Route[] = [
    filesystem,
    { handle: 'error' },
    { src: '/.*', dest: '/404.html', status: 404 },
    { src: '/.*', dest: '/oops', status: 500 },
  ]
  const crash: Handler = (req) => void req.socket.destroy()
  const { get } = await output(
    routes,
    { crash, oops: (req, res) => res.end(`sorry ${req.method}`) },
    { '404.html': 'no such page' },
  )
  const missing = await get('/nothing')
  assert.deepEqual([missing.status, missing.text], [404, 'no such page'])
  assert.equal((await get('/nothing', { method: 'POST', body: 'x' })).status, 404)
  const failed = await get('/crash', { method: 'POST', body: 'x' })
  assert.equal(failed.status, 500)
  assert.equal(failed.headers['x-platform-error'], 'FUNCTION_INVOCATION_FAILED')
})

test('what a function failed to answer is told of that request alone, whatever the visitor got for it', async () => {
  let calls = 0
  const pause = Promise.withResolvers<() => void>()
  const { host, get: getOnce } = await output(
    [filesystem, { handle: 'error' }, { src: '/.*', dest: '/oops', status: 500 }],
    {
      oops: (_, res) => void res.end('sorry'),
      async fn(req, res) {
        calls++
        if (calls > 1) return void res.end('well')
        ;(await pause.promise)()
        req.socket.destroy()
      },
    },
    { 'a.txt': 'a' },
  )
  const site = world.sites.get(host)
  assert.ok(site)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const get = (path: string) => ask(server.port, path, { host, agent })
  // The site is looked up by the first connection, which somebody else has to answer.
  for (const first of [getOnce, get]) assert.equal((await first('/a.txt')).text, 'a')
  pause.resolve(() => {
    world.sites.set(host, { ...site, status: 'paused' })
    world.edge.invalidate(host)
  })
  assert.equal(
    (await get('/fn')).status,
    503,
    'it was paused before it could be said that the function failed',
  )
  world.sites.set(host, site)
  world.edge.invalidate(host)
  assert.deepEqual([(await get('/fn')).text, calls], ['well', 2])
  agent.destroy()
})

test('a page for failures that fails as well leaves the platform its own', async () => {
  const crash: Handler = (req) => void req.socket.destroy()
  const { get } = await output(
    [filesystem, { handle: 'error' }, { src: '/.*', dest: '/oops', status: 500 }],
    { crash, oops: crash },
  )
  const { status, headers } = await get('/crash')
  assert.deepEqual([status, headers['x-platform-error']], [500, 'FUNCTION_INVOCATION_FAILED'])
})

const middleware = (src = '/.*'): Route => ({ src, middlewarePath: '_middleware', continue: true })

test('a middleware lets requests pass, and can set headers and cookies of the answer', async () => {
  const { get } = await output(
    [middleware(), filesystem],
    {
      _middleware: (req, res) => {
        res.writeHead(200, [
          'x-middleware-next',
          '1',
          'x-from',
          `${req.method} ${req.url}`,
          'set-cookie',
          'a=1',
          'set-cookie',
          'b=2',
        ])
        res.end()
      },
      api: (_, res) => {
        res.setHeader('set-cookie', 'own=1')
        res.end('function')
      },
    },
    { 'a.txt': 'file' },
  )
  for (let i = 0; i < 2; i++) {
    const file = await get('/a.txt?x=y')
    assert.deepEqual([file.status, file.text, file.headers['x-from']], [200, 'file', 'GET /a.txt?x=y'])
    assert.deepEqual(file.headers['set-cookie'], ['a=1', 'b=2'])
  }
  const api = await get('/api', { method: 'POST', body: 'x' })
  assert.deepEqual([api.text, api.headers['x-from']], ['function', 'POST /api'])
  assert.deepEqual(api.headers['set-cookie'], ['own=1', 'a=1', 'b=2'])
  assert.equal(api.headers['x-middleware-next'], undefined)
})

test('a middleware rewrites, redirects or answers by itself', async () => {
  const { host, get } = await output(
    [middleware(), filesystem],
    {
      _middleware: (req, res) => {
        if (req.url === '/rewrite')
          res.setHeader('x-middleware-rewrite', `http://${host}/api?from=middleware`)
        else if (req.url === '/redirect') res.writeHead(307, { location: '/elsewhere' })
        else if (req.url === '/refuse') res.writeHead(401)
        else res.setHeader('x-middleware-next', '1')
        res.end(req.url === '/refuse' ? 'who are you?' : undefined)
      },
      api: echo,
    },
    { 'a.txt': 'file' },
  )
  const rewritten = JSON.parse((await get('/rewrite')).text)
  assert.equal(rewritten.url, '/rewrite?from=middleware')
  assert.equal(rewritten.headers['x-matched-path'], '/api')
  const redirected = await get('/redirect')
  assert.deepEqual([redirected.status, redirected.headers.location], [307, '/elsewhere'])
  const refused = await get('/refuse')
  assert.deepEqual([refused.status, refused.text], [401, 'who are you?'])
  assert.equal((await get('/a.txt')).text, 'file')
})

test('what rules say of how long a path may be kept is not for errors in its place', async (t) => {
  const upstream = createServer((_, res) => res.writeHead(404).end('none'))
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  t.after(() => upstream.close())
  const { port } = upstream.address() as AddressInfo
  const forever = 'public, max-age=31536000, immutable'
  const headers = { 'cache-control': forever, 'content-encoding': 'br', 'x-rule': '1' }
  const { get } = await output(
    [
      { src: '/(?:assets|own)/.*', headers, continue: true },
      { src: '/functions/.*', headers: { 'cache-control': forever }, continue: true },
      { src: '/elsewhere/.*', headers: { 'cache-control': forever }, continue: true },
      filesystem,
      { src: '/assets/blocked', status: 404 },
      { src: '/own/.*', status: 410, headers: { 'cache-control': 'max-age=60' } },
      { src: '/elsewhere/.*', dest: `http://127.0.0.1:${port}/` },
      { src: '/functions/(.*)', dest: '/fn' },
    ],
    {
      fn: (req, res) => {
        const says = req.url?.endsWith('says') ? { 'cache-control': 'max-age=5' } : {}
        res.writeHead(req.url?.endsWith('good') ? 200 : 404, says).end()
      },
    },
    { '404.html': 'no such page', 'assets/there': 'file' },
  )
  const caching = async (path: string) => {
    const { status, headers: said } = await get(path)
    return [status, said['cache-control'], said['content-encoding'], said['x-rule']]
  }
  const asked = 'public, max-age=0, must-revalidate'
  assert.deepEqual(await caching('/assets/there'), [200, forever, 'br', '1'])
  assert.deepEqual(await caching('/assets/gone'), [404, asked, undefined, '1'])
  assert.deepEqual(await caching('/assets/blocked'), [404, asked, 'br', '1'])
  assert.deepEqual((await caching('/own/page')).slice(0, 2), [410, 'max-age=60'])
  assert.deepEqual((await caching('/functions/good')).slice(0, 2), [200, forever])
  assert.deepEqual((await caching('/functions/none')).slice(0, 2), [404, undefined])
  assert.deepEqual((await caching('/functions/says')).slice(0, 2), [404, 'max-age=5'])
  assert.deepEqual((await caching('/elsewhere/none')).slice(0, 2), [404, undefined])
})

test('what was said before a middleware that answers by itself goes out with its answer', async () => {
  const { get } = await output(
    [
      { src: '/.*', headers: { 'x-frame-options': 'DENY', 'x-by': 'rule' }, continue: true },
      middleware(),
      { src: '/.*', middlewarePath: 'second', continue: true },
      filesystem,
    ],
    {
      _middleware: (_, res) => {
        res.setHeader('x-middleware-next', '1').setHeader('set-cookie', 'first=1').setHeader('x-first', '1')
        res.end()
      },
      second: (_, res) => {
        res.writeHead(401, { 'x-by': 'middleware', 'set-cookie': 'second=1' }).end()
      },
    },
    {},
  )
  const { status, headers } = await get('/')
  assert.deepEqual(
    [status, headers['x-frame-options'], headers['x-by'], headers['x-first']],
    [401, 'DENY', 'middleware', '1'],
  )
  assert.deepEqual(headers['set-cookie'], ['second=1', 'first=1'])
})

test('a middleware changes what the function sees of the request', async () => {
  const { get } = await output([middleware(), filesystem], {
    _middleware: (_, res) => {
      res.setHeader('x-middleware-next', '1')
      res.setHeader('x-middleware-override-headers', 'x-kept,x-added,x-real-ip')
      res.setHeader('x-middleware-request-x-kept', 'changed')
      res.setHeader('x-middleware-request-x-added', 'new')
      res.setHeader('x-middleware-request-x-real-ip', '6.6.6.6')
      res.end()
    },
    api: echo,
  })
  const { headers } = JSON.parse((await get('/api', { headers: { 'x-kept': '1', 'x-dropped': '2' } })).text)
  assert.deepEqual(
    [headers['x-kept'], headers['x-added'], headers['x-dropped'], headers['x-real-ip']],
    ['changed', 'new', undefined, '127.0.0.1'],
  )
})

/** Somebody else's server, which answers with the request that it got. */
async function elsewhere(t: TestContext, said: Record<string, string> = {}) {
  const upstream = createServer((req, res) => {
    for (const [name, value] of Object.entries(said)) res.setHeader(name, value)
    echo(req, res)
  }).listen(0)
  t.after(() => upstream.close().closeAllConnections())
  await once(upstream, 'listening')
  return `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
}

test('a middleware that rewrites to elsewhere changes what is sent there', async (t) => {
  const to = await elsewhere(t, { 'cache-control': 's-maxage=60' })
  const { get } = await output([middleware(), filesystem], {
    _middleware: (req, res) => {
      res.setHeader('x-middleware-rewrite', `${to}/there`)
      res.setHeader('x-middleware-override-headers', 'x-kept,x-added,x-forwarded-for,connection')
      res.setHeader('x-middleware-request-x-kept', 'ein Käse')
      res.setHeader('x-middleware-request-x-added', `for ${req.headers['x-who']}`)
      res.end()
    },
  })
  for (const who of ['a', 'b']) {
    const headers = { 'x-who': who, 'x-kept': '1', cookie: 'session=1', connection: 'close, x-added' }
    const seen = JSON.parse((await get('/api', { headers })).text)
    assert.deepEqual(
      [seen.url, seen.headers['x-added'], seen.headers.cookie, seen.headers['x-forwarded-for']],
      ['/there', `for ${who}`, undefined, '127.0.0.1'],
    )
    assert.equal(seen.headers['x-kept'], 'ein Käse')
  }
})

test('rules change the headers of requests to elsewhere and of all answers', async (t) => {
  const to = await elsewhere(t, { 'x-powered-by': 'somebody', 'x-kept': '1' })
  const change = (type: string, op: string, key: string, args?: string) => ({
    ...{ type, op, target: { key } },
    ...(args === undefined ? {} : { args }),
  })
  const { get } = await output(
    [
      {
        ...{ src: '/.*', continue: true },
        transforms: [
          change('request.headers', 'set', 'authorization', 'Bearer key'),
          change('request.headers', 'set', 'via', 'evil'),
          change('request.headers', 'delete', 'x-secret'),
          change('request.headers', 'append', 'cookie', 'tier=1'),
          change('request.headers', 'append', 'x-own', '2'),
          change('request.headers', 'append', 'x-none', '3'),
          change('response.headers', 'delete', 'x-powered-by'),
          change('response.headers', 'set', 'x-kept', '2'),
          change('response.headers', 'append', 'x-new', '3'),
        ],
      },
      filesystem,
      { src: '/away', dest: `${to}/there` },
    ] as Route[],
    { api: echo },
    { 'a.txt': 'file' },
  )
  for (const path of ['/away', '/api']) {
    const { text, headers } = await get(path, { headers: { 'x-secret': '1', 'x-own': '1', cookie: 'a=b' } })
    const seen = JSON.parse(text).headers
    assert.deepEqual([seen.authorization, seen['x-secret'], seen['x-none']], ['Bearer key', undefined, '3'])
    assert.deepEqual([seen['x-own'], seen.cookie], ['1, 2', 'a=b; tier=1'])
    if (path === '/away') assert.equal(seen.via, '1.1 aloft')
    assert.deepEqual([headers['x-powered-by'], headers['x-kept'], headers['x-new']], [undefined, '2', '3'])
  }
  const { 'x-kept': kept, 'x-new': added, etag } = (await get('/a.txt')).headers
  assert.deepEqual([kept, added], ['2', '3'])
  const again = await get('/a.txt', { headers: { 'if-none-match': String(etag) } })
  assert.deepEqual([again.status, again.headers['x-new']], [304, '3'])
})

test('routes that take long to compile are compiled for the first who asks, also behind a middleware', async () => {
  const languages = Array.from({ length: 50 }, (_, i) => String.fromCharCode(97 + (i % 26)).repeat(5)).join(
    '|',
  )
  const table = (name: string) =>
    Array.from({ length: 220 }, (_, i) => ({
      src: `^[/]?(?<lang>${languages})?/${name}${i}/([^/]+?)(?:/)?$`,
      dest: '/none',
      check: true,
    }))
  const pages = { index: 'front' }
  const plain = await output([...table('a'), filesystem, { src: '/.*', dest: '/index' }], {}, pages)
  assert.equal((await plain.get('/x/y')).text, 'front')
  const guarded = await output(
    [middleware(), ...table('b'), filesystem, { src: '/.*', dest: '/index' }],
    { _middleware: (_, res) => void res.setHeader('x-middleware-next', '1').end() },
    pages,
  )
  assert.equal((await guarded.get('/x/y')).text, 'front')
})

test('a middleware that fails lets nobody pass', async () => {
  const { get } = await output(
    [middleware(), filesystem],
    { _middleware: (req) => void req.socket.destroy() },
    { 'a.txt': 'file' },
  )
  assert.equal((await get('/a.txt')).status, 500)
})

test('images that a framework asks for in some size are served as they are', async () => {
  const { get } = await output([filesystem], { og: (_, res) => res.end('made') }, { 'a.png': 'image' })
  const image = await get('/_vercel/image?url=%2Fa.png&w=640&q=75')
  assert.deepEqual([image.status, image.text, image.headers['content-type']], [200, 'image', 'image/png'])
  assert.equal((await get('/_vercel/image?url=%2Fog&w=640&q=75')).text, 'made')
  assert.equal((await get('/_vercel/image?url=%2Fnone.png&w=640&q=75')).status, 404)
  assert.equal((await get('/_vercel/image?url=https%3A%2F%2Fexample.com%2Fa.png&w=640&q=75')).status, 400)
})

import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, type TestContext, test } from 'node:test'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { Prerender } from '#core/output/output.ts'
import type { Site } from '#core/site/site.ts'
import { clockOf } from '#test/support/clock.ts'
import { createGapBus } from '#test/support/gap-bus.ts'
import { ask, createEdgeWorld, createInstances, serveSlow, siteFunctions } from '#test/support/http/edge.ts'
import { createTestPrerenders } from '#test/support/prerenders.ts'
import { silentLog } from '#test/support/silent-log.ts'

const instances = await createInstances()
const time = { now: 1_700_000_000_000 }
const clock = clockOf(() => time.now)
const { prerenders, written, remove } = await createTestPrerenders(clock)
const bus = createMemoryBus({ log: silentLog })
const createWorld = () => createEdgeWorld({ runner: instances.runner, prerenders, clock, bus })
const world = createWorld()
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
  await instances.close()
  await remove()
})

type Handler = (req: IncomingMessage, res: ServerResponse, count: number) => void
let hosts = 0

/** A site with a page whose answers are kept. */
async function page(
  prerender: Partial<Prerender> = {},
  handler: Handler = (_, res, count) => res.end(`made ${count}`),
  rest: Partial<Site> = {},
) {
  const host = `p${hosts++}.test`
  const asked: IncomingMessage[] = []
  await instances.start(host, (req, res) => {
    asked.push(req)
    handler(req, res, asked.length)
  })
  const functions = siteFunctions({
    page: { program: host, prerender: { expiration: 60, passQuery: false, ...prerender } },
  })
  const site = world.addSite(host, {}, { functions, ...rest })
  const get = async (path = '/page', options: Parameters<typeof ask>[2] = {}) => {
    const { status, text, headers } = await ask(server.port, path, { host, ...options })
    return { status, text, headers, from: headers['x-vercel-cache'] }
  }
  /** Resolves when the function was asked so often and its answer is kept. */
  const renewed = async (count: number) => {
    while (asked.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return { host, site, asked, get, renewed }
}

/** Comes back until the answer is this one. */
async function until(get: () => Promise<{ text: string; from: unknown }>, text: string) {
  for (;;) {
    const answer = await get()
    if (answer.text === text) return answer
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

function content(text: string) {
  const bytes = Buffer.from(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  world.blobs.set(sha256, bytes)
  return { sha1: '', sha256, size: bytes.length }
}

test('an answer is made once, kept, and made anew in the background when it is old', async () => {
  const { get, asked } = await page()
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 1', 'MISS'])
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 1', 'HIT'])
  await written()
  time.now += 59_000
  assert.equal((await get()).from, 'HIT')
  assert.equal((await get()).headers.age, '59')
  await written()
  time.now += 2000
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 1', 'STALE'])
  assert.equal((await until(get, 'made 2')).from, 'HIT')
  assert.equal(asked.length, 2)
})

test('an answer made while the clock was ahead is made anew, rather than kept until then', async () => {
  const { get } = await page()
  await written()
  time.now += 86_400_000
  assert.equal((await get()).from, 'MISS')
  time.now -= 86_400_000
  assert.equal((await get()).from, 'STALE')
  assert.equal((await until(get, 'made 2')).from, 'HIT')
})

test('nothing of a visitor gets into an answer for everyone, and visitors are told to ask again', async () => {
  const { get, asked } = await page({ passQuery: true, allowQuery: ['a'] }, (_, res) => {
    res.setHeader('cache-control', 's-maxage=10, stale-while-revalidate')
    res.end('x')
  })
  const { headers } = await get('/page?b=2&a=1', {
    headers: { cookie: 'secret=1', authorization: 'x', 'x-own': '1' },
  })
  assert.equal(headers['cache-control'], 'public, max-age=0, must-revalidate')
  const [req] = asked
  assert.equal(req?.url, '/page?a=1')
  for (const name of ['cookie', 'authorization', 'x-own']) assert.equal(req?.headers[name], undefined)
  assert.equal(req?.headers['x-real-ip'], '127.0.0.1')
  assert.equal(req?.headers['x-matched-path'], '/page')
  // The function said ten seconds.
  await written()
  time.now += 11_000
  assert.equal((await get('/page?a=1')).from, 'STALE')
})

test('an answer for everyone is made at the canonical address, whoever comes first and by whatever name', async (t) => {
  const own = createEdgeWorld({
    runner: instances.runner,
    clock,
    address: { scheme: 'https', port: 8443 },
  })
  const asked: IncomingMessage[] = []
  await instances.start('canonical', (req, res) => {
    asked.push(req)
    res.end(`made for ${req.headers.host}`)
  })
  const prerender = { expiration: 60, passQuery: false }
  const functions = siteFunctions({ page: { program: 'canonical', prerender } })
  own.addSite(
    'sibling.test',
    {},
    {
      ...{ functions, deploymentHost: 'own.test', canonicalHost: 'example.test' },
      routes: [
        {
          src: '/page',
          has: [{ type: 'header', key: 'x-who', value: '(?<who>.*)' }],
          transforms: [{ type: 'request.headers', op: 'set', target: { key: 'x-seen' }, args: '$who' }],
          continue: true,
        },
      ] as never,
      routesFrom: 'output',
    },
  )
  const ownServer = await serveSlow(own.edge)
  t.after(async () => {
    await ownServer.close()
    await own.edge.close()
  })
  const { text } = await ask(ownServer.port, '/page', {
    host: 'SIBLING.test:1234',
    headers: { 'x-who': 'stranger' },
  })
  assert.equal(text, 'made for example.test:8443')
  const [req] = asked
  const { host, forwarded, ...sent } = req?.headers ?? {}
  assert.equal(host, 'example.test:8443')
  assert.equal(forwarded, 'for=127.0.0.1;host="example.test:8443";proto=https')
  assert.equal(sent['x-forwarded-host'], 'example.test:8443')
  assert.equal(sent['x-forwarded-proto'], 'https')
  assert.equal(sent['x-forwarded-port'], '8443')
  assert.equal(sent['x-vercel-deployment-url'], 'own.test')
  assert.equal(sent['x-seen'], undefined)
})

test('the function learns what the route captured when the answer is for everyone, and only then', async () => {
  const { get, asked } = await page({ bypassToken: 'secret' }, undefined, {
    routes: [{ src: '^/p/(?<name>.+)$', dest: '/page' }],
    routesFrom: 'output',
  })
  await get('/p/ada')
  assert.equal(asked[0]?.headers['x-now-route-matches'], '1=ada&name=ada')
  await get('/p/ada', { headers: { cookie: '__prerender_bypass=secret' } })
  await get('/p/ada', { method: 'POST' })
  assert.deepEqual(
    asked.slice(1).map(({ headers }) => headers['x-now-route-matches']),
    [undefined, undefined],
  )
})

test('the allowed parameters alone tell answers apart, in whatever order', async () => {
  const { get, asked } = await page({ allowQuery: ['a', 'b'] })
  await get('/page?a=1&b=2')
  assert.equal((await get('/page?b=2&a=1&c=3')).from, 'HIT')
  assert.equal((await get('/page?a=2&b=2')).from, 'MISS')
  assert.equal(asked[0]?.url, '/page')
})

test('visitors who come at once share one answer', async () => {
  let answer = () => {}
  const { get, asked } = await page({}, (_, res, count) => {
    answer = () => void res.end(`made ${count}`)
  })
  const visits = Promise.all(Array.from({ length: 10 }, () => get()))
  const tick = setInterval(() => answer(), 20)
  const texts = (await visits).map(({ text }) => text)
  clearInterval(tick)
  assert.deepEqual(new Set(texts), new Set(['made 1']))
  assert.equal(asked.length, 1)
})

test('what the build left is served first, with its own status and headers', async () => {
  const { get, asked } = await page({
    fallback: { ...content('from the build'), contentType: 'text/html; charset=utf-8' },
    initialStatus: 203,
    initialHeaders: { 'X-Own': 'yes', 'x-next-cache-tags': 'internal' },
  })
  const first = await get()
  assert.deepEqual([first.status, first.text, first.from], [203, 'from the build', 'PRERENDER'])
  assert.equal(first.headers['x-own'], 'yes')
  assert.equal(first.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(first.headers['x-next-cache-tags'], undefined)
  assert.equal((await until(get, 'made 1')).from, 'HIT')
  assert.equal(asked.length, 1)
})

test('a page of the build is not made anew while it is fresh, and is once it is old', async () => {
  const { get, asked } = await page({ fallback: content('from the build') }, undefined, {
    builtAt: time.now - 30_000,
  })
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['from the build', 'PRERENDER'])
    await written()
    time.now += 9000
  }
  assert.equal(asked.length, 0)
  await written()
  time.now += 4000
  assert.equal((await get()).text, 'from the build')
  assert.equal((await until(get, 'made 1')).from, 'HIT')
})

test('a page that stands in for many is made anew for each that is asked for, however new the build', async () => {
  const { get, asked } = await page(
    { fallback: content('any person'), allowQuery: ['id'], passQuery: true },
    (req, res) => res.end(`made ${req.url}`),
    { builtAt: time.now },
  )
  assert.equal((await get('/page?id=5')).text, 'any person')
  assert.equal((await until(() => get('/page?id=5'), 'made /page?id=5')).from, 'HIT')
  assert.equal(asked.length, 1)
})

test('a page of the build that was revalidated is made anew, however new it is', async () => {
  const { get, act } = await tagged(
    { fallback: content('from the build'), initialHeaders: { 'x-next-cache-tags': 'stamps' } },
    { builtAt: time.now },
  )
  assert.equal((await get()).text, 'from the build')
  await act('tag=stamps')
  time.now += 5
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 2', 'REVALIDATED'])
})

test('an answer for good is never made anew by itself', async () => {
  const { get, asked } = await page({ expiration: false, fallback: content('for good') })
  time.now += 1e12
  for (let i = 0; i < 3; i++) assert.equal((await get()).text, 'for good')
  assert.equal(asked.length, 0)
})

test('the token makes an answer anew at once, for everyone', async () => {
  const { get, asked } = await page({ expiration: false, bypassToken: 'secret', fallback: content('old') })
  assert.equal((await get()).text, 'old')
  assert.equal((await get('/page', { headers: { 'x-prerender-revalidate': 'guess' } })).text, 'old')
  const renewed = await get('/page', { method: 'HEAD', headers: { 'x-prerender-revalidate': 'secret' } })
  assert.deepEqual([renewed.status, renewed.from], [200, 'REVALIDATED'])
  assert.equal(asked[0]?.headers['x-prerender-revalidate'], 'secret')
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 1', 'HIT'])
})

test('what the token could not make anew, for want of room in memory, is made anew once there is some', async () => {
  const MB = 1024 * 1024
  const { get } = await page({ expiration: false, bypassToken: 'secret' }, (_, res, count) => {
    if (count === 1) return res.end('old')
    res.write('new'.padEnd(4 * MB))
    return setImmediate(() => res.end())
  })
  assert.equal((await get()).text, 'old')
  const begun: ServerResponse[] = []
  const fill = async () => {
    const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>()
    const other = await page({}, (_, res) => {
      begun.push(res.once('close', begin))
      res.write(Buffer.alloc(7 * MB), () => begin())
    })
    return { isBegun, answer: other.get() }
  }
  const others = await Promise.all(Array.from({ length: 10 }, fill))
  await Promise.all(others.map(({ isBegun }) => isBegun))
  const { status } = await get('/page', { headers: { 'x-prerender-revalidate': 'secret' } })
  assert.equal(status, 200)
  for (const res of begun) res.end()
  await Promise.all(others.map(({ answer }) => answer))
  assert.equal((await get()).from, 'STALE')
  assert.equal((await until(get, 'new'.padEnd(4 * MB))).from, 'HIT')
})

test('the cookie shows one visitor what is not for everyone', async () => {
  const { get } = await page({ bypassToken: 'secret' }, (req, res, count) => {
    res.setHeader('cache-control', 'private')
    res.end(`${req.headers.cookie ?? 'nobody'} ${count}`)
  })
  const draft = await get('/page', { headers: { cookie: 'a=1; __prerender_bypass=secret' } })
  assert.deepEqual([draft.text, draft.from], ['a=1; __prerender_bypass=secret 1', 'BYPASS'])
})

for (const [what, name, value] of [
  ['sets a cookie', 'set-cookie', 'a=1'],
  ['is private', 'cache-control', 'private, max-age=0'],
  ['must not be stored', 'cache-control', 'no-store'],
  ['is private by a second header', 'cache-control', ['max-age=60', 'private']],
] as const)
  test(`an answer that ${what} is not kept, and each visitor gets his own`, async () => {
    const { get } = await page({}, (req, res) => {
      res.setHeader(name, value)
      res.end(req.headers.cookie ?? 'nobody')
    })
    assert.equal((await get('/page', { headers: { cookie: 'one' } })).text, 'one')
    assert.equal((await get('/page', { headers: { cookie: 'two' } })).text, 'two')
  })

test('failures are not kept, and an old answer outlives them', async () => {
  let status = 500
  const { get, asked, renewed } = await page({}, (_, res, count) => {
    res.statusCode = status
    res.end(`made ${count}`)
  })
  assert.equal((await get()).status, 500)
  assert.equal((await get()).text, 'made 2')
  status = 200
  assert.equal((await get()).text, 'made 3')
  status = 503
  await written()
  time.now += 61_000
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 3', 'STALE'])
  await renewed(4)
  assert.equal((await get()).text, 'made 3')
  assert.equal(asked.length, 4, 'it is left alone for a while')
})

test('answers that belong together grow old together', async () => {
  const { host, site, get } = await page({ group: 1, bypassToken: 'secret', expiration: false })
  const data = { expiration: false, passQuery: false, group: 1, fallback: content('old data') } as const
  const functions = siteFunctions({ 'page.json': { program: host, prerender: data } })
  world.sites.set(host, { ...site, functions: new Map([...site.functions, ...functions]) } satisfies Site)
  world.edge.invalidate(host)
  assert.equal((await get('/page.json')).text, 'old data')
  await get('/page', { headers: { 'x-prerender-revalidate': 'secret' } })
  assert.deepEqual(await get('/page.json').then(({ text, from }) => [text, from]), ['old data', 'STALE'])
  await until(() => get('/page.json'), 'made 2')
})

/** Asks another process for the page of a site. */
async function another(t: TestContext, host: string, site: Site, { edge, sites } = createWorld()) {
  sites.set(host, site)
  const { port, close } = await serveSlow(edge)
  t.after(async () => {
    await close()
    await edge.close()
  })
  return () => ask(port, '/page', { host })
}

test('what one process made another one serves', async (t) => {
  const { host, site, get, asked } = await page()
  await get()
  const there = await another(t, host, site)
  assert.equal((await there()).headers['x-vercel-cache'], 'HIT')
  assert.equal(asked.length, 1)
})

test('a client that has the answer already is told so', async () => {
  const { get } = await page()
  const { headers } = await get()
  const again = await get('/page', { headers: { 'if-none-match': headers.etag as string } })
  assert.deepEqual([again.status, again.text, again.headers['content-length']], [304, '', undefined])
})

test('other methods go to the function as they are', async () => {
  const { get, asked } = await page({}, (req, res) => void res.end(req.method))
  await get()
  const posted = await get('/page?a=1', { method: 'POST', body: 'x', headers: { cookie: 'mine' } })
  assert.deepEqual([posted.text, posted.from], ['POST', undefined])
  assert.equal(asked[1]?.headers.cookie, 'mine')
})

/** A page with tags, and a function of the same program that revalidates what its path names. */
async function tagged(prerender: Partial<Prerender> = {}, rest: Partial<Site> = {}) {
  const handler: Handler = (req, res, count) => {
    const said = req.url?.startsWith('/act?') ? req.url.slice('/act?'.length) : undefined
    if (said !== undefined) res.setHeader('x-aloft-revalidate', said)
    else res.setHeader('x-next-cache-tags', 'stamps,_N_T_/page')
    res.end(`made ${count}`)
  }
  const made = await page(prerender, handler, rest)
  const act = siteFunctions({ act: { program: made.host } }).get('act')
  assert.ok(act)
  const site = { ...made.site, functions: new Map([...made.site.functions, ['act', act]]) }
  world.sites.set(made.host, site)
  return { ...made, site, act: (said: string) => made.get(`/act?${said}`, { method: 'POST' }) }
}

test('a tag that a function revalidates makes the next visitor wait for a new answer, and other tags do not', async () => {
  const { get, act, asked } = await tagged({ expiration: false })
  assert.equal((await get()).text, 'made 1')
  time.now += 5
  const answer = await act('tag=others')
  assert.equal(answer.headers['x-aloft-revalidate'], undefined)
  assert.equal((await get()).from, 'HIT')
  time.now += 5
  await act('tag=x&tag=stamps')
  time.now += 5
  assert.deepEqual(
    await get().then(({ text, from, headers }) => [text, from, headers['x-next-cache-tags']]),
    ['made 4', 'REVALIDATED', undefined],
  )
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 4', 'HIT'])
  // Instances learn of it with every request, so that none uses data that it has kept.
  assert.match(asked[3]?.headers['x-aloft-revalidated'] as string, /^others=\d+&x=\d+&stamps=\d+$/)
})

test('with time to expire, the old answer is given while the new one is made', async () => {
  const { get, act } = await tagged({ expiration: false })
  await get()
  time.now += 5
  await act('expire=60&tag=stamps')
  time.now += 5
  assert.deepEqual(await get().then(({ text, from }) => [text, from]), ['made 1', 'STALE'])
  assert.equal((await until(get, 'made 3')).from, 'HIT')
})

test('the page of the build is revalidated as well, and stays so for a process that comes later', async (t) => {
  const { host, site, get, act } = await tagged({
    expiration: false,
    fallback: { ...content('from the build'), contentType: 'text/html' },
    initialHeaders: { 'x-next-cache-tags': '_N_T_/page' },
  })
  assert.equal((await get()).text, 'from the build')
  await act('tag=_N_T_%2Fpage')
  time.now += 5
  assert.equal((await get()).text, 'made 2')
  const there = await another(t, host, site)
  assert.equal((await there()).text, 'made 2')
})

test('another process that had the answer in memory learns that it was revalidated', async (t) => {
  const { host, site, get, act } = await tagged({ expiration: false, bypassToken: 'secret' })
  const there = await another(t, host, site)
  await get()
  assert.equal((await there()).text, 'made 1')
  time.now += 5
  await act('tag=stamps')
  time.now += 5
  assert.equal((await there()).text, 'made 3')
  assert.equal((await get()).text, 'made 3')
  const { from } = await get('/page', { method: 'HEAD', headers: { 'x-prerender-revalidate': 'secret' } })
  assert.equal(from, 'REVALIDATED')
  assert.equal((await there()).text, 'made 4')
})

test('another process that missed the message of it learns it after the gap', async (t) => {
  const { host, site, get, act } = await tagged({ expiration: false })
  const { bus: deaf, announceGap } = createGapBus()
  const other = createEdgeWorld({ runner: instances.runner, prerenders, clock, bus: deaf })
  const there = await another(t, host, site, other)
  await get()
  assert.equal((await there()).text, 'made 1')
  time.now += 5
  await act('tag=stamps')
  time.now += 5
  assert.equal((await there()).text, 'made 1')
  announceGap()
  assert.equal((await there()).text, 'made 3')
})

test('where the new answer cannot be made, the old one is better than none', async () => {
  const { get, act } = await page({ expiration: false }, (req, res, count) => {
    if (req.url === '/page' && count > 1) res.statusCode = 500
    if (req.method === 'POST') res.setHeader('x-aloft-revalidate', 'tag=stamps')
    res.setHeader('x-next-cache-tags', 'stamps')
    res.end(`made ${count}`)
  }).then((made) => ({ ...made, act: () => made.get('/page', { method: 'POST' }) }))
  await get()
  time.now += 5
  await act()
  time.now += 5
  assert.deepEqual(await get().then(({ status, text, from }) => [status, text, from]), [
    200,
    'made 1',
    'STALE',
  ])
})

test('of a page that is kept in part, the rest is rendered for each visitor from the kept state', async () => {
  const state = 'the-state'
  const type = `application/x-nextjs-pre-render; state-length=${state.length}; origin="text/html; charset=utf-8"`
  const { get, asked } = await page(
    {
      expiration: false,
      fallback: content(`${state}<h1>shell</h1>`),
      initialHeaders: { 'content-type': type, etag: '"of-the-shell"' },
      chain: { path: 'page', headers: { 'next-resume': '1' } },
    },
    async (req, res) => {
      const sent = Buffer.concat(await req.toArray()).toString()
      res.end(`<p>${req.method} ${req.headers['next-resume']} ${sent} for ${req.headers['x-who']}</p>`)
    },
  )
  for (const who of ['ada', 'grace']) {
    const answer = await get('/page', { headers: { 'x-who': who } })
    assert.equal(answer.text, `<h1>shell</h1><p>POST 1 the-state for ${who}</p>`)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(String(answer.headers['cache-control']), /private.*no-store/)
    assert.equal(answer.headers.etag, undefined)
    assert.equal(answer.from, 'PRERENDER')
  }
  assert.equal(asked.length, 2)
  const { text } = await get('/page', { method: 'HEAD' })
  assert.deepEqual([text, asked.length], ['', 2])
})

test('a visitor cannot say from which state a function goes on', async () => {
  const { get } = await page({}, (req, res) => res.end(String(req.headers['next-resume'])))
  const { text } = await get('/page', { method: 'POST', headers: { 'next-resume': '1' }, body: 'forged' })
  assert.equal(text, 'undefined')
})

test('what one host of a deployment says of itself is not said at another', async () => {
  const { host, site, get } = await page()
  const preview = `preview-${host}`
  world.sites.set(preview, { ...site, host: preview, environment: 'preview' })
  const robots = async (at: string) => (await get('/page', { host: at })).headers['x-robots-tag']
  // Whichever of them is asked for first, also while it is made for both.
  assert.deepEqual(await Promise.all([robots(preview), robots(host)]), ['noindex', undefined])
  for (let n = 0; n < 2; n++) {
    assert.equal(await robots(preview), 'noindex')
    assert.equal(await robots(host), undefined)
  }
})

test('what routes say to one visitor is laid over the one form that all get, which is compressed once', async (t) => {
  const text = 'a line of text\n'.repeat(200)
  const routes: Site['routes'] = [
    {
      src: '/page',
      has: [{ type: 'header', key: 'x-id', value: '(?<id>.+)' }],
      headers: { 'x-id': '$id' },
      continue: true,
    },
    { handle: 'filesystem' },
  ]
  const handler: Handler = (_, res) => res.setHeader('content-type', 'text/plain').end(text)
  const { get } = await page({}, handler, { routes, routesFrom: 'output' })
  await get()
  let compressions = 0
  const hook = createHook({
    init: (_, type) => {
      if (type === 'ZLIB') compressions++
    },
  }).enable()
  t.after(() => hook.disable())
  for (const id of ['a', 'b', 'c']) {
    const { headers, from } = await get('/page', { headers: { 'x-id': id, 'accept-encoding': 'br' } })
    assert.deepEqual([headers['x-id'], headers['content-encoding'], from], [id, 'br', 'HIT'])
  }
  assert.equal(compressions, 1)
  const { headers } = await get('/page', { headers: { 'accept-encoding': 'br' } })
  assert.equal(headers['x-id'], undefined)
})

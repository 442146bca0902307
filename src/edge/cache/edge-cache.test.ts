import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { Route } from '#core/routing/route.ts'
import { REVALIDATIONS_TOPIC } from '#core/site/revalidation.ts'
import { SITES_TOPIC, type Site } from '#core/site/site.ts'
import { hashBearer } from '#core/token/token.ts'
import { clockOf } from '#test/support/clock.ts'
import {
  ask,
  createEdgeWorld,
  createInstances,
  serveFast,
  serveSlow,
  siteFunctions,
} from '#test/support/http/edge.ts'
import { createTestPrerenders } from '#test/support/prerenders.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { keyOf, markOf } from './cache-key.ts'
import { policyOf } from './cache-policy.ts'

const instances = await createInstances()
const time = { now: 1_700_000_000_000 }
const clock = clockOf(() => time.now)
const { prerenders, open, written, remove } = await createTestPrerenders(clock)
const bus = createMemoryBus({ log: silentLog })
const world = createEdgeWorld({
  ...{ runner: instances.runner, prerenders, clock, bus },
  proxy: { allows: () => true },
})
const server = await serveSlow(world.edge)
const fast = await serveFast(world.edge)
after(async () => {
  await Promise.all([server.close(), fast.close()])
  await world.edge.close()
  await instances.close()
  await remove()
})

type Handler = (req: IncomingMessage, res: ServerResponse, count: number) => void
let hosts = 0

/** A site with one function, and how visitors get on with it. */
async function site(handler: Handler, rest: Partial<Site> = {}) {
  const host = `c${hosts++}.test`
  const asked: IncomingMessage[] = []
  await instances.start(host, (req, res) => {
    asked.push(req)
    handler(req, res, asked.length)
  })
  const made = world.addSite(host, {}, { functions: siteFunctions({ fn: { program: host } }), ...rest })
  const get = async (
    path = '/fn',
    headers: Record<string, string> = {},
    method = 'GET',
    { port } = server,
  ) => {
    const answer = await ask(port, path, { host, headers, method })
    const from = answer.headers['x-vercel-cache']
    return { ...answer, from, seen: [answer.text, from] as const }
  }
  return { host, site: made, asked, get }
}

const sharing =
  (caching: string, more: Readonly<Record<string, string | readonly string[]>> = {}): Handler =>
  (_, res, count) => {
    res.setHeader('cache-control', caching)
    for (const [name, value] of Object.entries(more)) res.setHeader(name, value)
    res.end(`made ${count}`)
  }

/** Comes back until the answer is this one. */
async function until(get: () => Promise<{ readonly text: string; readonly from: unknown }>, text: string) {
  for (;;) {
    const answer = await get()
    if (answer.text === text) return answer
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

test('an answer with s-maxage is kept, grows stale, is made anew in the background, and is gone', async () => {
  const { get, asked } = await site(sharing('s-maxage=60, stale-while-revalidate=30'))
  assert.deepEqual((await get()).seen, ['made 1', 'MISS'])
  const hit = await get()
  assert.deepEqual(hit.seen, ['made 1', 'HIT'])
  assert.equal(hit.headers['cache-control'], 'public, max-age=0, must-revalidate')
  for (const list of [String(hit.headers.etag), `"x,y", W/${hit.headers.etag}`, '*'])
    assert.equal((await get('/fn', { 'if-none-match': list })).status, 304, list)
  assert.equal((await get('/fn', { 'if-none-match': '"x"' })).status, 200)
  assert.deepEqual((await get('/fn', {}, 'HEAD')).seen, ['', 'HIT'])
  await written()
  time.now += 61_000
  assert.deepEqual((await get()).seen, ['made 1', 'STALE'])
  assert.equal((await until(get, 'made 2')).from, 'HIT')
  await written()
  time.now += 91_000
  assert.deepEqual((await get()).seen, ['made 3', 'MISS'])
  assert.equal(asked.length, 3)
})

test('visitors who have an answer already do not keep it from being kept', async () => {
  const fixed: Handler = (req, res, count) => {
    res.setHeader('cache-control', 's-maxage=60')
    res.setHeader('etag', '"fixed"')
    if (req.headers['if-none-match'] === '"fixed"') res.writeHead(304).end()
    else res.end(`made ${count}`)
  }
  for (const by of [server, fast])
    for (const cookie of [undefined, 'own=1']) {
      const { get, asked } = await site(fixed)
      const again = async () => {
        const headers = { 'if-none-match': '"fixed"', ...(cookie !== undefined && { cookie }) }
        const { status, from, headers: said } = await get('/fn', headers, 'GET', by)
        assert.deepEqual([status, said.etag], [304, '"fixed"'])
        return from
      }
      while ((await again()) !== 'HIT') await new Promise((resolve) => setTimeout(resolve, 2))
      const before = asked.length
      assert.deepEqual((await get()).from, 'HIT')
      await written()
      time.now += 61_000
      assert.equal(await again(), 'MISS')
      while ((await again()) !== 'HIT') await new Promise((resolve) => setTimeout(resolve, 2))
      const made = asked.slice(before).filter(({ headers }) => headers['if-none-match'] === undefined)
      assert.equal(made.length, 1, 'once for all')
    }
})

test('headers for caches such as this one come before cache-control, and the query counts', async () => {
  const { get } = await site((req, res, count) => {
    res.setHeader('cache-control', 'max-age=5')
    res.setHeader('cdn-cache-control', 'max-age=600')
    if (req.url?.includes('never')) res.setHeader('vercel-cdn-cache-control', 'no-store')
    res.end(`made ${count}`)
  })
  assert.deepEqual((await get('/fn?a=1')).seen, ['made 1', 'MISS'])
  const hit = await get('/fn?a=1')
  assert.deepEqual([...hit.seen, hit.headers['cache-control']], ['made 1', 'HIT', 'max-age=5'])
  assert.deepEqual((await get('/fn?a=2')).seen, ['made 2', 'MISS'])
  await get('/fn?never')
  const { text, from, headers } = await get('/fn?never')
  assert.deepEqual([text, from, headers['vercel-cdn-cache-control']], ['made 4', 'MISS', 'no-store'])
})

test('vary keeps answers apart; encodings are made here', async () => {
  const { get } = await site((req, res, count) => {
    res.setHeader('cache-control', 's-maxage=60')
    res.setHeader('vary', 'Accept-Language, Accept-Encoding')
    res.setHeader('content-type', 'text/plain')
    res.end(`${req.headers['accept-language']} ${count} `.repeat(500))
  })
  const first = async (language: string, encoding = 'identity') => {
    const headers = { 'accept-language': language, 'accept-encoding': encoding }
    const answer = await get('/fn', headers)
    return [answer.text.slice(0, 4), answer.from, answer.headers['content-encoding']]
  }
  assert.deepEqual(await first('de'), ['de 1', 'MISS', undefined])
  assert.deepEqual(await first('fr'), ['fr 2', 'MISS', undefined])
  assert.deepEqual(await first('de'), ['de 1', 'HIT', undefined])
  assert.deepEqual((await first('fr', 'br')).slice(1), ['HIT', 'br'])
})

test('an answer that varies by what the platform says of a visitor is theirs alone; host and scheme are the same for all', async () => {
  const { get } = await site((req, res) => {
    const name = req.url?.slice('/fn?'.length) ?? ''
    res.setHeader('cache-control', 's-maxage=60')
    res.setHeader('vary', `Accept, ${name}`)
    res.end(String(req.headers[name.toLowerCase()]))
  })
  const kept = async (name: string) => {
    await get(`/fn?${name}`)
    await written()
    const { text, from } = await get(`/fn?${name}`)
    return [/127\.0\.0\.1/.test(text), from === 'HIT']
  }
  for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded'])
    assert.deepEqual(await kept(name), [true, false], name)
  for (const name of ['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Vercel-IP-Country'])
    assert.deepEqual(await kept(name), [false, true], name)
})

test('many who wait for the same answer ask once', async () => {
  const waiting: ServerResponse[] = []
  const { get, asked } = await site((req, res, count) => {
    res.setHeader('cache-control', 's-maxage=60')
    if (req.url === '/fn?slow') waiting.push(res)
    else res.end(`made ${count}`)
  })
  await get()
  const all = Array.from({ length: 20 }, () => get('/fn?slow'))
  while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  waiting[0]?.end('slow')
  assert.deepEqual(new Set((await Promise.all(all)).map(({ text }) => text)), new Set(['slow']))
  assert.equal(asked.filter(({ url }) => url === '/fn?slow').length, 1)
})

test('where the first of them leaves, one of the others asks for all', async () => {
  const waiting: ServerResponse[] = []
  const { host, get, asked } = await site((req, res, count) => {
    res.setHeader('cache-control', 's-maxage=60')
    if (req.url === '/fn?slow') waiting.push(res)
    else res.end(`made ${count}`)
  })
  const askedTimes = async (count: number) => {
    while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await get()
  const first = connect(server.port, '127.0.0.1').on('error', () => {})
  first.write(`GET /fn?slow HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  await askedTimes(1)
  const all = Array.from({ length: 20 }, () => get('/fn?slow'))
  await get('/fn?came-after-these')
  first.resetAndDestroy()
  await askedTimes(2)
  await get('/fn?came-after-those')
  for (const res of waiting) res.end('slow')
  assert.deepEqual(new Set((await Promise.all(all)).map(({ text }) => text)), new Set(['slow']))
  assert.equal(asked.filter(({ url }) => url === '/fn?slow').length, 2)
})

for (const [megabytes, times] of [
  [7, 1],
  [12, 2],
] as const)
  test(`nobody waits for a visitor who takes ${megabytes} MB slowly`, { timeout: 60_000 }, async () => {
    const bytes = Buffer.alloc(megabytes * 1_000_000, 'x')
    const { host, asked, get } = await site((_, res) => {
      res.setHeader('cache-control', 's-maxage=60')
      res.end(bytes)
    })
    const slow = connect(server.port, '127.0.0.1')
    slow.write(`GET /fn HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
    const [first] = (await once(slow, 'data')) as [Buffer]
    slow.pause()
    assert.ok((await get()).body.equals(bytes))
    assert.equal(asked.length, times)
    // What they are sent is whole all the same.
    let left = first.indexOf('\r\n\r\n') + 4 + bytes.length - first.length
    for await (const chunk of slow) {
      left -= chunk.length
      if (left === 0) break
    }
    slow.destroy()
  })

test('whoever takes nothing of many large answers does not keep those of others from being kept', async (t) => {
  const { host, get } = await site((req, res) => {
    res.setHeader('cache-control', 's-maxage=60')
    res.end(Buffer.alloc(req.url?.includes('slow') ? 7 << 20 : 512 << 10))
  })
  await get('/fn?first')
  for (let n = 0; n < 20; n++) {
    const slow = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.9' })
    t.after(() => slow.destroy())
    slow.write(`GET /fn?slow=${n} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
    await once(slow, 'readable')
    await get(`/fn?quick=${n}`)
    assert.equal((await get(`/fn?quick=${n}`)).from, 'HIT', `with ${n + 1} of them`)
  }
})

test('tags and paths are revalidated: the next visitor gets what is made then', async () => {
  const { get, site: made } = await site(sharing('s-maxage=600', { 'x-vercel-cache-tags': 'posts, post-1' }))
  await get()
  const { headers, seen } = await get()
  assert.deepEqual([...seen, headers['x-vercel-cache-tags']], ['made 1', 'HIT', undefined])
  const say = async (tag: string) => {
    time.now += 10
    await prerenders.revalidate(made.deploymentId, { tags: [tag], at: time.now })
    bus.publish(REVALIDATIONS_TOPIC, made.deploymentId)
    time.now += 10
  }
  await say('other')
  assert.deepEqual((await get()).seen, ['made 1', 'HIT'])
  await say('post-1')
  assert.deepEqual((await get()).seen, ['made 2', 'REVALIDATED'])
  assert.deepEqual((await get()).seen, ['made 2', 'HIT'])
  await say('path:/fn')
  assert.deepEqual((await get()).seen, ['made 3', 'REVALIDATED'])
})

test('what is purged while it is made is not kept, nor given to those who come after', async () => {
  const waiting: ServerResponse[] = []
  const { get, site: made } = await site((req, res, count) => {
    res.setHeader('cache-control', 's-maxage=600')
    if (req.url === '/fn?slow' && count < 5) waiting.push(res)
    else res.end(`made ${count}`)
  })
  const underWay = async (count: number) => {
    while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const purge = async () => {
    time.now += 10
    await prerenders.revalidate(made.deploymentId, { tags: ['path:/fn'], at: time.now })
    bus.publish(REVALIDATIONS_TOPIC, made.deploymentId)
    time.now += 10
  }
  // The first answer of a function, and then others, of which it is known that they are kept.
  const first = get('/fn?slow')
  await underWay(1)
  await purge()
  waiting[0]?.end('before 1')
  assert.equal((await first).text, 'before 1')
  const second = get('/fn?slow')
  await underWay(2)
  await purge()
  const late = get('/fn?slow')
  waiting[1]?.end('before 2')
  await underWay(3)
  waiting[2]?.end('after 2')
  assert.notEqual((await second).text, 'before 1')
  assert.equal((await late).text, 'after 2')
  assert.deepEqual((await get('/fn?slow')).seen, ['after 2', 'HIT'])
})

test('what was kept is given by a process that has just begun, unless it was revalidated meanwhile', async () => {
  const {
    get,
    host,
    site: made,
  } = await site((req, res, count) => {
    const isOwn = req.url === '/fn?own'
    res.setHeader('cache-control', isOwn ? 'private' : 's-maxage=600')
    res.end(`made ${count} ${req.headers.cookie ?? ''}`)
  })
  await get('/fn')
  await get('/fn?other')
  await get('/fn?own', { cookie: 'id=1' })
  const kept = ['/fn', '/fn?other'].map((url) =>
    keyOf({
      site: made,
      by: 'fn',
      url,
      scheme: 'http',
      authority: host,
      said: { headers: new Map() },
      question: { method: 'GET', headers: {} },
    }),
  )
  for (const key of [markOf(made, 'fn'), ...kept])
    while ((await open().get(key)) === undefined) await new Promise((resolve) => setTimeout(resolve, 2))

  const begun = async () => {
    const next = createEdgeWorld({ runner: instances.runner, prerenders: open(), clock })
    next.sites.set(host, made)
    const serving = await serveSlow(next.edge)
    const close = async () => {
      await serving.close()
      await next.edge.close()
    }
    const seen = async (path: string) => {
      const { text, headers } = await ask(serving.port, path, { host })
      return [text, headers['x-vercel-cache']]
    }
    return { seen, close }
  }
  const second = await begun()
  assert.deepEqual(await second.seen('/fn?other'), ['made 2 ', 'HIT'])
  assert.deepEqual(await second.seen('/fn'), ['made 1 ', 'HIT'])
  assert.deepEqual(await second.seen('/fn?own'), ['made 4 ', 'MISS'])
  await second.close()
  time.now += 10
  await open().revalidate(made.deploymentId, { tags: ['path:/fn'], at: time.now })
  time.now += 10
  const third = await begun()
  assert.deepEqual(await third.seen('/fn'), ['made 5 ', 'REVALIDATED'])
  await third.close()
})

test('who asks in a way of their own passes by what is kept', async () => {
  const { get, asked } = await site(sharing('s-maxage=600'))
  await get()
  assert.deepEqual((await get('/fn', { authorization: 'Bearer x' })).from, undefined)
  assert.deepEqual((await get('/fn', { cookie: '__prerender_bypass=x' })).from, 'BYPASS')
  assert.deepEqual((await get('/fn', {}, 'POST')).from, undefined)
  assert.equal(asked.length, 4)
  const off = await site(sharing('s-maxage=600'), { keepsAnswers: false })
  await off.get()
  assert.equal((await off.get()).text, 'made 2')
})

test('rewrites to elsewhere are kept as they say', async () => {
  let count = 0
  const upstream = createServer((req, res) => {
    res.setHeader('cache-control', req.url === '/kept' ? 's-maxage=60' : 'max-age=60')
    res.end(`made ${++count}`)
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const { port } = upstream.address() as AddressInfo
  const host = 'rewrites.test'
  world.addSite(host, {}, { routes: [{ src: '/(.*)', dest: `http://127.0.0.1:${port}/$1` }] })
  const get = async (path: string) => {
    const { text, headers } = await ask(server.port, path, { host })
    return [text, headers['x-vercel-cache']]
  }
  assert.deepEqual(await get('/own'), ['made 1', undefined])
  assert.deepEqual(await get('/kept'), ['made 2', 'MISS'])
  assert.deepEqual(await get('/kept'), ['made 2', 'HIT'])
  assert.deepEqual((await get('/own'))[0], 'made 3')
  upstream.close()
  upstream.closeAllConnections()
})

test('an answer to a body is for nobody else, and nobody waits for a body that does not come', async (t) => {
  const echo: Handler = async (req, res) => {
    res.setHeader('cache-control', 's-maxage=60')
    res.end(`sent ${Buffer.concat(await req.toArray().catch(() => []))}`)
  }
  const { host, get } = await site(echo)
  const upstream = createServer((req, res) => echo(req, res, 0)).listen(0)
  await once(upstream, 'listening')
  t.after(() => upstream.close())
  const dest = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
  world.addSite(`rewritten.${host}`, {}, { routes: [{ src: '/fn', dest }] })
  const send = (to: string, text: string, length = text.length) => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `GET /fn HTTP/1.1\r\nhost: ${to}\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${text}`,
    )
    return socket
  }
  for (const to of [host, `rewritten.${host}`]) {
    const plain = async () => (await ask(server.port, '/fn', { host: to })).text
    assert.match(String(Buffer.concat(await send(to, 'poison').toArray())), /sent poison$/)
    const silent = send(to, 'p', 6)
    await once(silent, 'ready')
    assert.equal(await plain(), 'sent ')
    silent.destroy()
  }
  assert.equal((await get()).from, 'HIT')
})

test('what the routes say for something that a visitor has sent is not said to others', async () => {
  const has = [{ type: 'header', key: 'x-debug', value: '1' }] as const
  const routes: Site['routes'] = [
    { src: '/.*', headers: { 'x-all': 'yes' }, continue: true },
    { src: '/.*', has: [...has], headers: { 'x-shown': 'debug' }, continue: true },
    { handle: 'filesystem' },
  ]
  const { get } = await site(sharing('s-maxage=60'), { routes, routesFrom: 'output' })
  const shown = async (headers = {}) => {
    const answer = await get('/fn', headers)
    return [...answer.seen, answer.headers['x-all'], answer.headers['x-shown']]
  }
  assert.deepEqual(await shown({ 'x-debug': '1' }), ['made 1', 'MISS', 'yes', 'debug'])
  assert.deepEqual(await shown(), ['made 1', 'HIT', 'yes', undefined])
  assert.deepEqual(await shown({ 'x-debug': '1' }), ['made 1', 'HIT', 'yes', 'debug'])
  assert.deepEqual(await shown(), ['made 1', 'HIT', 'yes', undefined])
})

test('answers are kept apart where the routes have different things to say of how they are kept', async () => {
  const has = [{ type: 'header', key: 'x-debug', value: '1' }] as const
  const only = (more: Route): Site['routes'] => [
    { src: '/.*', has: [...has], continue: true, ...more } as Route,
    { handle: 'filesystem' },
  ]
  for (const more of [
    { headers: { 'cache-control': 's-maxage=60', 'content-type': 'text/odd' } },
    { headers: { vary: 'x-odd', 'cdn-cache-control': 's-maxage=60' } },
    { headers: { 'content-encoding': 'br', 'cdn-cache-control': 's-maxage=60' } },
  ] as unknown as Route[]) {
    const own = await site((_, res, count) => res.end(`made ${count}`), {
      routes: only(more),
      routesFrom: 'output',
    })
    const odd = { 'x-debug': '1' }
    assert.deepEqual((await own.get('/fn', odd)).seen, ['made 1', 'MISS'])
    await written()
    assert.deepEqual((await own.get('/fn', odd)).seen, ['made 1', 'HIT'], JSON.stringify(more))
    for (const times of [2, 3]) assert.equal((await own.get()).text, `made ${times}`)
    assert.equal((await own.get()).headers['content-type'], undefined)
    assert.equal((await own.get()).headers['content-encoding'], undefined)
  }
})

const filesystem = { handle: 'filesystem' } as const

/** A site whose middleware lets requests pass. */
async function behind(middleware: Handler, handler: Handler, routes: readonly Route[] = [filesystem]) {
  let count = 0
  const program = `middleware${hosts}`
  await instances.start(program, (req, res) => {
    res.setHeader('x-middleware-next', '1')
    middleware(req, res, ++count)
    res.end()
  })
  const host = `c${hosts}.test`
  return site(handler, {
    routes: [{ src: '/.*', middlewarePath: '_middleware', continue: true }, ...routes],
    routesFrom: 'output',
    functions: siteFunctions({ fn: { program: host }, _middleware: { program } }),
  })
}

test('each visitor of a kept answer gets what the middleware says to them', async () => {
  const { get, asked } = await behind(
    (_, res, count) => {
      res.setHeader('x-request-id', `request ${count}`)
      res.setHeader('set-cookie', `id=${count}`)
    },
    sharing('s-maxage=60, stale-while-revalidate=60', { 'x-own': 'function' }),
  )
  let visits = 0
  const shown = async (headers = {}, method = 'GET', to = server) => {
    const answer = await get('/fn', headers, method, to)
    visits++
    assert.equal(answer.headers['x-request-id'], `request ${visits}`)
    assert.deepEqual(answer.headers['set-cookie'], [`id=${visits}`])
    assert.equal(answer.headers['x-own'], 'function')
    return [answer.status, answer.from]
  }
  assert.deepEqual(await shown(), [200, 'MISS'])
  for (const to of [server, fast, fast, server]) {
    assert.deepEqual(await shown({}, 'GET', to), [200, 'HIT'])
    assert.deepEqual(await shown({}, 'HEAD', to), [200, 'HIT'])
    assert.deepEqual(await shown({ 'if-none-match': '*' }, 'GET', to), [304, 'HIT'])
    assert.deepEqual(await shown({ cookie: 'id=0' }, 'GET', to), [200, 'HIT'])
  }
  assert.equal(asked.length, 1)
  await written()
  time.now += 61_000
  assert.deepEqual(await shown(), [200, 'STALE'])
  while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 2))
  while ((await shown())[1] !== 'HIT');
})

test('those who wait for the same answer get what the routes say to each of them', async () => {
  const waiting: ServerResponse[] = []
  const { get, asked } = await behind(
    (req, res) => res.setHeader('x-hello', String(req.headers['x-who'])),
    (req, res) => {
      res.setHeader('cache-control', 's-maxage=60')
      if (req.url === '/fn?slow') waiting.push(res)
      else res.end()
    },
  )
  await get()
  const who = ['a', 'b', 'c', 'd']
  const all = who.map((name) => get('/fn?slow', { 'x-who': name }))
  while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  await get('/fn?came-after-these')
  waiting[0]?.end('slow')
  const hellos = (await Promise.all(all)).map(({ headers }) => headers['x-hello'])
  assert.deepEqual(hellos, who)
  assert.equal(asked.filter(({ url }) => url === '/fn?slow').length, 1)
})

test('a request that a middleware has changed is answered for its visitor alone', async () => {
  const { get, asked } = await behind(
    (req, res) => {
      // As Next.js says it: all that there is, and what is new.
      const headers: Record<string, unknown> = { ...req.headers }
      if (headers['x-group'] === 'b') headers['x-variant'] = 'b'
      if (headers['x-group'] === 'none') delete headers['x-group']
      res.setHeader('x-middleware-override-headers', Object.keys(headers).join(','))
      for (const [name, value] of Object.entries(headers))
        res.setHeader(`x-middleware-request-${name}`, String(value))
    },
    (req, res, count) => {
      res.setHeader('cache-control', 's-maxage=60')
      res.end(`made ${count} ${req.headers['x-variant'] ?? 'a'} ${req.headers.cookie ?? ''}`)
    },
  )
  const shown = async (headers = {}) => (await get('/fn', headers)).seen
  assert.deepEqual(await shown({ 'x-group': 'b' }), ['made 1 b ', 'MISS'])
  assert.deepEqual(await shown(), ['made 2 a ', 'MISS'])
  assert.deepEqual(await shown({ 'x-group': 'b' }), ['made 3 b ', 'MISS'])
  assert.deepEqual(await shown({ 'x-group': 'none' }), ['made 4 a ', 'MISS'])
  // One that is as it was sent is not changed.
  assert.deepEqual(await shown(), ['made 2 a ', 'HIT'])
  assert.deepEqual(await shown({ cookie: 'id=1' }), ['made 2 a ', 'HIT'])
  assert.equal(asked.length, 4)
})

test('what middlewares say once more of a visitor is not sent on behalf of everybody', async (t) => {
  const sent: (string | undefined)[] = []
  const echo: Handler = (req, res) => {
    sent.push(req.headers.cookie)
    res.setHeader('cache-control', 's-maxage=60')
    res.end(`cookie ${req.headers.cookie ?? ''}`)
  }
  const upstream = createServer((req, res) => echo(req, res, 0)).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  t.after(() => upstream.close())
  const elsewhere: Route = {
    src: '/there',
    dest: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`,
  }
  const { get } = await behind(
    (req, res) => {
      res.setHeader('x-middleware-override-headers', Object.keys(req.headers).join(','))
      for (const [name, value] of Object.entries(req.headers))
        res.setHeader(`x-middleware-request-${name}`, String(value))
    },
    echo,
    [elsewhere, filesystem],
  )
  for (const path of ['/fn', '/there']) {
    sent.length = 0
    assert.equal((await get(path, { cookie: 'id=1' })).text, 'cookie id=1')
    while (sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 2))
    assert.deepEqual(sent, ['id=1', undefined])
    while ((await get(path, { cookie: 'id=2' })).text !== 'cookie ');
    assert.deepEqual((await get(path)).seen, ['cookie ', 'HIT'])
  }
})

const set = (key: string, args: string) => ({ type: 'response.headers', op: 'set', target: { key }, args })

test('what rules make of what an answer says of being kept is not kept', async () => {
  const has = [{ type: 'header', key: 'x-who' }]
  for (const [rule, more] of [
    [set('cache-control', 's-maxage=60'), { 'cache-control': 'private' }],
    [set('vary', 'accept'), { vary: 'cookie' }],
    [{ type: 'response.headers', op: 'delete', target: { key: 'set-cookie' } }, { 'set-cookie': 'id=1' }],
  ] as const) {
    const routes = [{ src: '/.*', has, transforms: [rule], continue: true }, filesystem] as unknown as Route[]
    const { get } = await site(sharing('s-maxage=60', more), { routes, routesFrom: 'output' })
    for (const times of [1, 2, 3]) {
      assert.equal((await get('/fn', { 'x-who': 'Ada' })).text, `made ${times}`, JSON.stringify(rule))
      await written()
    }
    assert.equal((await get()).text, 'made 4')
  }
})

test('transforms of the response are for those whom they are of, and are done to what is kept', async (t) => {
  const upstream = createServer((_, res) => {
    res.setHeader('cache-control', 's-maxage=60')
    res.setHeader('x-own', 'kept')
    res.setHeader('x-routed', 'upstream')
    res.end('made 1')
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  t.after(() => upstream.close())
  const has = [{ type: 'header', key: 'x-who', value: '(?<who>.*)' }]
  const remove = { type: 'response.headers', op: 'delete', target: { key: 'x-own' } }
  const routes = [
    { src: '/.*', headers: { 'x-routed': 'route' }, continue: true },
    { src: '/.*', has, transforms: [set('x-hello', '$who'), remove], continue: true },
    { src: '/there', dest: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/` },
    filesystem,
  ] as unknown as Site['routes']
  const { get, asked } = await site(sharing('s-maxage=60', { 'x-own': 'kept', 'x-routed': 'function' }), {
    routes,
    routesFrom: 'output',
  })
  for (const [path, routed] of [
    ['/fn', 'function'],
    ['/there', 'route'],
  ] as const) {
    const shown = async (headers = {}, to = server) => {
      const answer = await get(path, headers, 'GET', to)
      const { 'x-hello': hello, 'x-own': own, 'x-routed': byRoute } = answer.headers
      assert.equal(byRoute, routed)
      return [...answer.seen, hello, own]
    }
    assert.deepEqual(await shown({ 'x-who': 'Ada' }), ['made 1', 'MISS', 'Ada', undefined])
    for (const to of [server, fast, fast, server]) {
      assert.deepEqual(await shown({}, to), ['made 1', 'HIT', undefined, 'kept'])
      assert.deepEqual(await shown({ 'x-who': 'Bob' }, to), ['made 1', 'HIT', 'Bob', undefined])
    }
  }
  assert.equal(asked.length, 1)
})

test('never is one visitor given what was made of what another has sent of themselves', async () => {
  const { get } = await site((req, res) => {
    const query = new URL(req.url ?? '', 'http://x').searchParams
    const { cookie = '', authorization = '' } = req.headers
    res.setHeader('cache-control', query.get('caching') ?? 's-maxage=60')
    if (query.has('set')) res.setHeader('set-cookie', `id=${cookie || 'fresh'}; path=/`)
    if (query.has('vary')) res.setHeader('vary', query.get('vary') ?? '')
    res.end(`cookie ${cookie} authorization ${authorization}`)
  })
  const visitor = fc.record({
    who: fc.integer({ min: 0, max: 3 }),
    cookie: fc.boolean(),
    authorization: fc.boolean(),
  })
  const query = fc.record({
    caching: fc.constantFrom('s-maxage=60', 's-maxage=1, stale-while-revalidate=60', 'public, s-maxage=5'),
    set: fc.boolean(),
    vary: fc.constantFrom(undefined, 'cookie', 'authorization', '*', 'accept-language'),
  })
  await fc.assert(
    fc.asyncProperty(query, fc.array(visitor, { minLength: 2, maxLength: 12 }), async (wanted, visitors) => {
      const query = new URLSearchParams({ caching: wanted.caching, run: String(Math.random()) })
      if (wanted.set) query.set('set', '1')
      if (wanted.vary !== undefined) query.set('vary', wanted.vary)
      for (const { who, cookie, authorization } of visitors) {
        const { text, headers } = await get(`/fn?${query}`, {
          ...(cookie ? { cookie: `id=${who}` } : {}),
          ...(authorization ? { authorization: `key-${who}` } : {}),
        })
        const foreign = [0, 1, 2, 3].filter((other) => other !== who)
        for (const other of foreign) {
          assert.ok(!text.includes(`id=${other}`) && !text.includes(`key-${other}`), text)
          assert.ok(!String(headers['set-cookie'] ?? '').includes(`id=${other}`))
        }
        if (!cookie) assert.ok(!text.includes('id='), text)
        if (!authorization) assert.ok(!text.includes('key-'), text)
        time.now += 900
      }
    }),
    { numRuns: 25 },
  )
})

test('what is kept of a protected site is for those who may see it, in whatever order visitors come', async () => {
  const secret = 'secret-of-32-characters-01234567'
  const closed = { optionsPaths: [], bypassHashes: [hashBearer(secret)], sso: true }
  const { get, host, site: open } = await site(sharing('s-maxage=60'))
  // Whether the site is protected at the time, and whether the visitor has the secret.
  const step = fc.record({ isClosed: fc.boolean(), knows: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const path = `/fn?run=${Math.random()}`
      let hits = 0
      for (const { isClosed, knows } of steps) {
        world.sites.set(host, isClosed ? { ...open, protection: closed } : open)
        bus.publish(SITES_TOPIC, host)
        const headers: Record<string, string> = knows ? { 'x-vercel-protection-bypass': secret } : {}
        const { status, text, from } = await get(path, headers)
        hits += from === 'HIT' ? 1 : 0
        if (knows || !isClosed) assert.deepEqual([status, text.slice(0, 4)], [200, 'made'])
        else assert.deepEqual([status, /made|HIT/.test(`${text} ${from}`)], [401, false])
      }
      const allowed = steps.filter(({ isClosed, knows }) => knows || !isClosed).length
      assert.equal(hits, Math.max(0, allowed - 1), 'all but the first who may see it get what is kept')
    }),
    { numRuns: 25 },
  )
})

test('what must not be kept has no policy', () => {
  const kept = ['cache-control', 's-maxage=60']
  assert.deepEqual(policyOf(200, kept), { maxAge: 60, staleFor: 0 })
  for (const [status, headers] of [
    [200, ['cache-control', 'max-age=60']],
    [200, ['cache-control', 'private, s-maxage=60']],
    [200, ['cache-control', 's-maxage=0']],
    [200, [...kept, 'set-cookie', 'a=1']],
    [200, [...kept, 'set-cookie', ['a=1', 'b=2']]],
    [200, [...kept, 'vary', 'Accept, Cookie']],
    [200, [...kept, 'vary', '*']],
    [200, [...kept, 'vary', 'Accept', 'vary', 'Forwarded']],
    [200, [...kept, 'vary', 'X-Vercel-Id']],
    [500, kept],
    [206, kept],
  ] as const)
    assert.equal(policyOf(status, headers), undefined, JSON.stringify(headers))
})

test('whoever spells the host in another way makes nothing for those who do not', async () => {
  const { get, host } = await site((req, res) => {
    res.setHeader('cache-control', 's-maxage=60, stale-while-revalidate=600')
    res.end(`at ${req.headers.host} ${req.headers['x-forwarded-host']}`)
  })
  await get('/fn?first')
  const usual = `at ${host} ${host}`
  for (const odd of [`${host}:1`, host.toUpperCase(), `${host}.`]) {
    assert.equal((await get('/fn', { host: odd })).text, `at ${odd} ${odd}`)
    assert.equal((await get('/fn', { host: odd })).from, 'HIT', 'it is kept for them')
    assert.equal((await get()).text, usual)
  }
  // Nor when it has grown old, and is made for nobody in particular.
  await written()
  time.now += 61_000
  await get('/fn', { host: `${host}:1` })
  assert.equal((await get()).text, usual)
  assert.equal((await until(get, usual)).text, usual)
})

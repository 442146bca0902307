import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import sharp from 'sharp'
import { createSharpImages } from '#adapters/images-sharp/sharp-images.ts'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { createDestinations } from '#core/outbound/destinations.ts'
import { type ImageConfig, readImageConfig } from '#core/output/image-config.ts'
import type { Images } from '#core/ports/images.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import { EVERYTHING, REVALIDATIONS_TOPIC, RevalidatedTags } from '#core/site/revalidation.ts'
import type { Site } from '#core/site/site.ts'
import { clockOf } from '#test/support/clock.ts'
import { createEdgeWorld, createInstances, serveSlow, siteFunctions } from '#test/support/http/edge.ts'
import { createTestPrerenders } from '#test/support/prerenders.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { AT_ONCE, OF_VISITOR } from './image-answer.ts'

const time = { now: 1_700_000_000_000 }
const clock = clockOf(() => time.now)
const real = createSharpImages({
  openSandbox: () =>
    openSandbox({ mode: 'auto', destinations: createDestinations(), log: silentLog, quiet: true }),
  log: silentLog,
})
let converted = 0
const images: Images = {
  ...real,
  convert: (source, request) => {
    converted++
    return real.convert(source, request)
  },
}
const { prerenders, written, remove } = await createTestPrerenders(clock)
let allowsPrivate = false
const instances = await createInstances()
const world = createEdgeWorld({
  ...{ prerenders, clock, images, runner: instances.runner, proxy: { allows: () => allowsPrivate } },
})
const server = await serveSlow(world.edge)
const source = await sharp({ create: { width: 1600, height: 800, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()
const upstream = createServer((_, res) => res.setHeader('content-type', 'image/png').end(source))
upstream.listen(0, '127.0.0.1')
await once(upstream, 'listening')
const { port } = upstream.address() as AddressInfo
after(async () => {
  upstream.close()
  upstream.closeAllConnections()
  await server.close()
  await world.edge.close()
  await instances.close()
  await remove()
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const USUAL = { sizes: [640, 1200], formats: ['image/avif', 'image/webp'], minimumCacheTTL: 60 }
let hosts = 0

function site(given: object = {}, rest: Partial<Site> = {}) {
  const host = `i${hosts++}.test`
  const files = { 'a b.png': source, 'c.png': source, 'drawing.svg': SVG, 'note.txt': 'text' }
  const config = readImageConfig({ ...USUAL, ...given }) as ImageConfig
  world.addSite(host, files, { images: config, routes: [], routesFrom: 'output', ...rest })
  return (url: string, { w = '640', q = '75', accept = 'image/webp,*/*', path = '/_vercel/image' } = {}) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      const query = new URLSearchParams({ url, w, q })
      const headers = { host, accept, cookie: 'own=1' }
      request(
        { host: '127.0.0.1', port: server.port, path: `${path}?${query}`, headers },
        async (response) => {
          const body = Buffer.concat(await response.toArray())
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
        },
      )
        .on('error', reject)
        .end()
    })
}

test('an image is resized and converted to what a visitor takes, once for all', async () => {
  const get = site()
  for (const [accept, format, path] of [
    ['image/avif,image/webp,*/*', 'heif', '/_next/image'],
    ['image/webp,*/*', 'webp', '/_vercel/image'],
    ['*/*', 'png', '/_vercel/image'],
  ] as const) {
    const { status, headers, body } = await get('/a%20b.png', { accept, path })
    assert.equal(status, 200, body.toString('latin1').slice(0, 200))
    const { width, height, format: made } = await sharp(body).metadata()
    const shown = [width, height, made, headers['x-vercel-cache'], headers.vary]
    assert.deepEqual(shown, [640, 320, format, 'MISS', 'accept'])
  }
  const before = converted
  const { headers } = await get('/a%20b.png')
  assert.deepEqual([headers['x-vercel-cache'], headers['content-type']], ['HIT', 'image/webp'])
  const many = await Promise.all(Array.from({ length: 30 }, () => get('/c.png', { w: '1200' })))
  assert.deepEqual(new Set(many.map(({ status }) => status)), new Set([200]))
  assert.equal(converted, before + 1)
  await written()
  time.now += 61_000
  assert.equal((await get('/a%20b.png')).headers['x-vercel-cache'], 'STALE')
})

test('an image of a site without functions is made anew once the project is purged', async () => {
  const host = `i${hosts}.test`
  const get = site()
  const from = async () => (await get('/c.png')).headers['x-vercel-cache']
  assert.deepEqual([await from(), await from()], ['MISS', 'HIT'])
  time.now += 10
  await prerenders.revalidate(`dpl_${host}`, { tags: [EVERYTHING], at: time.now })
  world.bus.publish(REVALIDATIONS_TOPIC, `dpl_${host}`)
  time.now += 10
  assert.deepEqual([await from(), await from()], ['REVALIDATED', 'HIT'])
})

test('what was not agreed to is refused in words', async () => {
  const get = site()
  for (const [url, options, status, why] of [
    ['/c.png', { w: '641' }, 400, /"w" parameter \(width\) of 641 is not allowed/],
    ['/c.png', { q: '101' }, 400, /"q" parameter/],
    ['/nowhere.png', {}, 404, /upstream response is invalid/],
    ['/note.txt', {}, 400, /isn't a valid image/],
    ['/drawing.svg', {}, 400, /image type is not allowed/],
    ['//evil.test/c.png', {}, 400, /not allowed/],
    ['https://evil.test/c.png', {}, 400, /not allowed/],
    ['ftp://evil.test/c.png', {}, 400, /invalid/],
    ['/_vercel/image?url=/c.png&w=640', {}, 400, /not allowed/],
  ] as const) {
    const answer = await get(url, options)
    assert.equal(answer.status, status, `${url} ${answer.body}`)
    assert.match(answer.body.toString(), why)
  }
  const allowed = await site({ dangerouslyAllowSVG: true })('/drawing.svg')
  assert.equal(allowed.status, 200)
  assert.match(String(allowed.headers['content-security-policy']), /script-src 'none'/)
  assert.equal((await site({ localPatterns: [{ pathname: '/assets/**' }] })('/c.png')).status, 400)
})

test('images from elsewhere come from where the site says, and never from private addresses', async () => {
  const patterns = [{ protocol: 'http', hostname: '^(?:127\\.0\\.0\\.1)$', pathname: '^(?:(?!\\.)(?:.*))$' }]
  const get = site({ remotePatterns: patterns })
  const url = `http://127.0.0.1:${port}/x.png`
  assert.equal((await get(url)).status, 502)
  allowsPrivate = true
  const { status, body } = await get(url)
  assert.equal(status, 200, body.toString('latin1').slice(0, 100))
  assert.equal((await sharp(body).metadata()).width, 640)
  assert.equal((await get(`https://127.0.0.1:${port}/x.png`)).status, 400)
})

test('patterns look ahead, as those do that Next.js makes of wildcards', async () => {
  const star = String.raw`^(?:\/assets\/(?!\.)(?=.)[^/]*?\.png)$`
  const get = site({ localPatterns: [{ pathname: star }] }, { functions: siteFunctions({}) })
  assert.equal((await get('/assets/c.png')).status, 404)
  assert.equal((await get('/assets/.c.png')).status, 400)
  assert.equal((await get('/c.png')).status, 400)
})

test('a pattern that would take too long, or is none, matches nothing and harms no other', async () => {
  const useless = [{ pathname: '^(?:x{1000}x{1000}|/c[.]png)$' }, { pathname: '^(*)$' }]
  assert.equal((await site({ localPatterns: useless })('/c.png')).status, 400)
  const patterns = [...useless, { pathname: '^/(?:c|d)\\.png$' }]
  assert.equal((await site({ localPatterns: patterns })('/c.png')).status, 200)
})

test('a picture of too many pixels, or a broken one, harms nobody', async () => {
  const huge = await sharp({ create: { width: 12_000, height: 9000, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const request = { width: 640, quality: 75, type: 'image/webp' } as const
  await assert.rejects(real.convert(huge, request), { kind: 'too_large' })
  await assert.rejects(real.convert(source.subarray(0, 900), request), { kind: 'unreadable' })
  assert.ok((await real.convert(source, request)).length > 0)
})

test('a storm of one account is in memory only a few images at a time, and waits for nobody but itself', async (t) => {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const { promise: areHeld, resolve: held } = Promise.withResolvers<void>()
  let [inside, most] = [0, 0]
  const slow: Images = {
    async convert(bytes) {
      if (!bytes.equals(source)) return bytes
      most = Math.max(most, ++inside)
      if (inside === AT_ONCE) held()
      await isOpen
      inside--
      return bytes
    },
    close: async () => {},
  }
  const own = createEdgeWorld({ prerenders, clock, images: slow, proxy: { allows: () => false } })
  const served = await serveSlow(own.edge)
  t.after(async () => {
    await served.close()
    await own.edge.close()
  })
  const config = readImageConfig(USUAL) as ImageConfig
  const rest = { images: config, routes: [], routesFrom: 'output' } as const
  own.addSite('storm.test', { 'a.png': source }, { ...rest, ownerId: 'storm' })
  const small = await sharp(source).resize(20).png().toBuffer()
  own.addSite('quiet.test', { 'a.png': small }, { ...rest, ownerId: 'quiet' })
  const statusOf = (host: string, q: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const path = `/_vercel/image?url=%2Fa.png&w=640&q=${q}`
      request({ host: '127.0.0.1', port: served.port, path, headers: { host } }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
        .on('error', reject)
        .end()
    })
  const storm = Array.from({ length: AT_ONCE + 20 }, (_, n) => statusOf('storm.test', n + 1))
  await areHeld
  assert.equal(await statusOf('quiet.test', 75), 200)
  assert.equal(most, AT_ONCE)
  open()
  assert.deepEqual(new Set(await Promise.all(storm)), new Set([200]))
  assert.equal(most, AT_ONCE)
})

test('one visitor has no more than a part of the line', async (t) => {
  const making: (() => void)[] = []
  let isQuietMade = false
  const slow: Images = {
    convert: (bytes, { quality }) => {
      if (quality === 100) isQuietMade = true
      return new Promise((resolve) => making.push(() => resolve(bytes)))
    },
    close: async () => {},
  }
  const { promise: isLookedUp, resolve: lookedUp } = Promise.withResolvers<void>()
  const nothing: PrerenderCache = {
    async get({ query }) {
      if (query.includes(' 100 ')) lookedUp()
      return undefined
    },
    ...{ put: async () => {}, revalidate: async () => {}, forget: async () => {} },
    revalidations: async () => new RevalidatedTags(),
  }
  const own = createEdgeWorld({ prerenders: nothing, clock, images: slow, proxy: { allows: () => false } })
  const served = await serveSlow(own.edge)
  t.after(async () => {
    await served.close()
    await own.edge.close()
  })
  const host = 'line.test'
  const config = readImageConfig(USUAL) as ImageConfig
  own.addSite(host, { 'a.png': source }, { images: config, routes: [], routesFrom: 'output' })
  const get = (q: number, localAddress: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const path = `/_vercel/image?url=%2Fa.png&w=640&q=${q}`
      request({ host: '127.0.0.1', port: served.port, path, headers: { host }, localAddress }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
        .on('error', reject)
        .end()
    })
  const many = Array.from({ length: OF_VISITOR * 3 }, (_, n) => get(n + 1, '127.0.0.1'))
  while (making.length < AT_ONCE) await setTimeout(1)
  let isQuietThere = false
  const quiet = get(100, '127.0.0.2').finally(() => {
    isQuietThere = true
  })
  await isLookedUp
  // By then it is in the line.
  await setImmediate()
  let made = 0
  while (!isQuietMade) {
    if (making.length > made) making[made++]?.()
    else await setTimeout(1)
  }
  assert.ok(made <= OF_VISITOR, `${made} of the other visitor were made before`)
  while (!isQuietThere || made < OF_VISITOR * 3 + 1) {
    if (making.length > made) making[made++]?.()
    else await setTimeout(1)
  }
  assert.deepEqual(new Set(await Promise.all([quiet, ...many])), new Set([200]))
})

/** A site with a function that answers for its images. */
async function siteWithMaker(handler: (req: IncomingMessage, res: ServerResponse) => void) {
  const program = `maker-${hosts}`
  await instances.start(program, handler)
  const functions = siteFunctions({ made: { program }, 'made/slowly': { program } })
  return { program, get: site({ localPatterns: [{ pathname: '/**' }] }, { functions, ownerId: program }) }
}

test('sources that do not come keep no other image of the account waiting', async () => {
  const waiting: ServerResponse[] = []
  const { get } = await siteWithMaker((_, res) => waiting.push(res))
  const late = Array.from({ length: AT_ONCE * 3 }, (_, n) => get('/made', { q: String(n + 1) }))
  while (waiting.length < AT_ONCE * 3) await setTimeout(10)
  assert.equal((await get('/c.png')).status, 200)
  for (const res of waiting) res.end(source)
  assert.deepEqual(new Set((await Promise.all(late)).map(({ status }) => status)), new Set([200]))
})

test('a source that takes too long is given up, whether it has begun or not, and what it is asked of with it', async (t) => {
  let end = new AbortController()
  t.mock.method(AbortSignal, 'timeout', () => {
    end = new AbortController()
    return end.signal
  })
  const left: string[] = []
  const { get } = await siteWithMaker((req, res) => {
    res.once('close', () => left.push(req.url ?? ''))
    if (req.url === '/made/slowly') res.write(source.subarray(0, 100))
    void setTimeout(50).then(() => end.abort())
  })
  for (const url of ['/made', '/made/slowly']) {
    const { status, body } = await get(url)
    assert.equal(status, 504)
    assert.equal(body.toString(), '"url" parameter is valid but upstream response timed out\n')
    while (left.at(-1) !== url) await setTimeout(10)
  }
})

test('an image that a function makes is made for nobody in particular, and anew when it is old', async () => {
  const asked: IncomingMessage[] = []
  const { get } = await siteWithMaker((req, res) => {
    asked.push(req)
    // Long enough for the visitor to have the old one.
    void setTimeout(50).then(() => res.setHeader('content-type', 'image/png').end(source))
  })
  const from = async () => {
    const { status, headers } = await get('/made')
    return [status, headers['x-vercel-cache']]
  }
  assert.deepEqual(await from(), [200, 'MISS'])
  const [{ headers } = assert.fail()] = asked
  assert.deepEqual(
    [headers.cookie, headers['x-real-ip'], headers['x-forwarded-for']],
    [undefined, '127.0.0.1', '127.0.0.1'],
  )
  assert.equal(headers.host, `i${hosts - 1}.test`)
  await written()
  time.now += 61_000
  assert.deepEqual(await from(), [200, 'STALE'])
  while ((await from())[1] !== 'HIT') await setTimeout(10)
  assert.equal(asked.length, 2)
})

test('a middleware on the way to a source may lead to another path of the site by its full address', async () => {
  const program = `leader-${hosts}`
  await instances.start(program, (req, res) => {
    res.setHeader('x-middleware-rewrite', `https://${req.headers.host}/c.png`).end()
  })
  const get = site(
    {},
    {
      canonicalHost: 'shop-abc.test',
      routes: [{ src: '/here', middlewarePath: '_middleware', continue: true }],
      functions: siteFunctions({ _middleware: { program } }),
    },
  )
  assert.equal((await get('/here')).status, 200)
})

test('large images that come slowly are all made, a few of them in memory at a time', async () => {
  const count = 12
  const large = Buffer.concat([source, Buffer.alloc(8 * 1024 * 1024 - source.length)])
  let asked = 0
  const { get } = await siteWithMaker((_, res) => {
    asked++
    res.writeHead(200, { 'content-length': large.length })
    res.write(large.subarray(0, 1000))
    void (async () => {
      while (asked < count) await setTimeout(10)
      res.end(large.subarray(1000))
    })()
  })
  const all = await Promise.all(Array.from({ length: count }, (_, n) => get('/made', { q: String(n + 1) })))
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
})

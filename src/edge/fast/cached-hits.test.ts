/** Answers that are kept for everybody are given on the socket, exactly as by node:http. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { type ImageConfig, readImageConfig } from '#core/output/image-config.ts'
import type { Images } from '#core/ports/images.ts'
import { REVALIDATIONS_TOPIC } from '#core/site/revalidation.ts'
import { SITES_TOPIC, type Site } from '#core/site/site.ts'
import { clockOf } from '#test/support/clock.ts'
import {
  createEdgeWorld,
  createInstances,
  serveFast,
  serveSlow,
  siteFunctions,
} from '#test/support/http/edge.ts'
import { createTestPrerenders } from '#test/support/prerenders.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { Answer } from '../answer.ts'
import type { EdgeCache } from '../cache/edge-cache.ts'
import { CachedHits } from './cached-hits.ts'
import { Wires } from './wires.ts'

const instances = await createInstances()
const time = { now: 1_700_000_000_000 }
const clock = clockOf(() => time.now)
const { prerenders, written, remove } = await createTestPrerenders(clock)
const bus = createMemoryBus({ log: silentLog })
const images: Images = { convert: async () => Buffer.alloc(500, 'w'), close: async () => {} }
const world = createEdgeWorld({ runner: instances.runner, prerenders, clock, bus, images })
const [slow, fast] = [await serveSlow(world.edge), await serveFast(world.edge)]
after(async () => {
  await Promise.all([slow.close(), fast.close()])
  await world.edge.close()
  await instances.close()
  await remove()
})

// As long from the first to the last.
let made = 100_000
await instances.start('fn', (req, res) => {
  const kind = req.url?.split('?')[1] ?? ''
  made++
  res.setHeader('cache-control', 's-maxage=60, stale-while-revalidate=30')
  if (kind.startsWith('gone')) res.statusCode = 404
  if (kind.startsWith('moved')) res.writeHead(301, { location: '/there' })
  if (kind.startsWith('vary')) res.setHeader('vary', 'accept-language')
  if (kind.startsWith('text')) res.setHeader('content-type', 'text/plain')
  if (kind.startsWith('own')) res.setHeader('cache-control', 'private')
  res.end(kind === 'text' ? `made ${made} `.repeat(500) : kind === 'empty' ? '' : `made ${made}`)
})

const IMAGES = readImageConfig({ sizes: [640], formats: ['image/webp'], minimumCacheTTL: 60 }) as ImageConfig
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(100)])
let hosts = 0

function addSite(rest: Partial<Site> = {}): string {
  const host = `k${hosts++}.test`
  const functions = siteFunctions({ fn: { program: 'fn' } })
  world.addSite(host, { 'a.png': PNG }, { functions, images: IMAGES, platformDomain: 'test', ...rest })
  return host
}

/** A connection that is kept, and on which one request is sent after the other; answers all that comes for each. */
async function open(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return {
    async say(host: string, path: string, lines: readonly string[] = []): Promise<string> {
      socket.write(`${[`GET ${path} HTTP/1.1`, `Host: ${host}`, ...lines].join('\r\n')}\r\n\r\n`)
      let text = ''
      for (;;) {
        const [chunk] = (await once(socket, 'data')) as [Buffer]
        text += chunk.toString('latin1')
        const [head = '', body] = text.split('\r\n\r\n')
        const length = /^content-length: (\d+)/im.exec(head)?.[1]
        if (body !== undefined && (length === undefined || body.length >= Number(length))) return text
      }
    },
    end: () => socket.destroy(),
  }
}

const stampless = (text: string): string =>
  text.replace(/^date: .*$/im, 'date').replaceAll(/iad1::[0-9a-f]{12}-[0-9a-z]{9}/g, 'id')
const from = (text: string): string | undefined => /^x-vercel-cache: (\w+)/im.exec(text)?.[1]
const last = (text: string): string => text.split('\r\n\r\n')[1] ?? ''

const IMAGE = '/_vercel/image?url=%2Fa.png&w=640&q=75'
const PATHS = [
  ...['/fn', '/fn?a=1', '/fn?text', '/fn?empty', '/fn?gone', '/fn?moved', '/fn?vary', '/fn?own'],
  ...[IMAGE, '/_next/image?url=%2Fa.png&w=640', '/_vercel/image?url=%2Fa.png&w=641', '/_vercel/image'],
]

test('a kept answer is the same on the socket as by node:http', async () => {
  const host = addSite()
  const tagOf = async (path: string) => {
    const one = await open(slow.port)
    const text = await one.say(host, path)
    one.end()
    return /^etag: (.*)$/im.exec(text)?.[1]?.trim() ?? '"none"'
  }
  const served: string[] = []
  for (const path of PATHS) {
    const tag = await tagOf(path)
    for (const lines of [
      [],
      ['Accept-Encoding: gzip, br'],
      ['accept-encoding: gzip;q=0.5'],
      ['Accept: image/webp,*/*'],
      [`If-None-Match: ${tag}`],
      [`If-None-Match: "other", W/${tag}`, 'Accept-Encoding: br'],
      ['If-None-Match: "other"'],
      ['Cookie: a=1'],
      ['Cookie: a=1; _vercel_no_cache=1'],
      ['Cookie: a=1', 'Cookie: __prerender_bypass=x'],
      ['Authorization: Bearer x'],
      ['Accept-Language: de'],
    ]) {
      const ask = async (port: number) => {
        const one = await open(port)
        const text = stampless(await one.say(host, path, lines)).replace(/made \d+/g, 'made')
        one.end()
        return text
      }
      // Once in vain, so that both find it kept in this form.
      await ask(slow.port)
      const before = fast.handedOver()
      const quick = await ask(fast.port)
      assert.equal(quick, await ask(slow.port), `${path} ${lines}`)
      if (fast.handedOver() === before) served.push(path)
      if (from(quick) === 'HIT' && path !== '/fn?vary')
        assert.equal(fast.handedOver(), before, `${path} ${lines}`)
    }
  }
  assert.deepEqual(new Set(served), new Set(PATHS.filter((path) => !/vary|own|641|image$/.test(path))))
})

const PASS = { src: '/.*', continue: true } as const
const routed = (rule: object): Partial<Site> => ({
  routes: [{ ...PASS, ...rule }, { handle: 'filesystem' }] as unknown as Site['routes'],
})
const transform = { type: 'response.headers', op: 'set', target: { key: 'x-all' }, args: 'yes' }
const ROUTED: readonly (readonly [string, Partial<Site>, boolean])[] = [
  ['headers', routed({ headers: { 'x-all': 'yes', date: 'never', 'set-cookie2': 'a' } }), true],
  [
    'headers that are kept',
    routed({ headers: { 'x-all': 'yes', etag: '"a"', age: '9', 'x-vercel-cache': 'A' } }),
    true,
  ],
  ['what varies', routed({ headers: { 'x-all': 'yes', vary: 'x-all' } }), false],
  ['transforms', { ...routed({ transforms: [transform] }), routesFrom: 'output' }, false],
]

for (const [what, rest, isQuick] of ROUTED)
  test(`what routes say is said of a kept answer on the socket as by node:http: ${what}`, async () => {
    const host = addSite(rest)
    const say = async (port: number, lines: readonly string[]) => {
      const one = await open(port)
      const texts = [await one.say(host, '/fn?text', lines), await one.say(host, '/fn?text', lines)]
      one.end()
      return texts.map(stampless)
    }
    for (const lines of [[], ['Accept-Encoding: br'], ['If-None-Match: *'], ['X-All: 1']]) {
      for (let where = ''; where !== 'HIT'; ) where = from((await say(slow.port, lines))[0] ?? '') ?? ''
      const before = fast.handedOver()
      const quick = await say(fast.port, lines)
      if (isQuick) assert.equal(fast.handedOver(), before, `${lines}`)
      assert.deepEqual(quick, await say(slow.port, lines), `${lines}`)
      for (const text of quick) assert.match(text, /^x-all: yes\r$/m)
    }
  })

test('where a site says something else from now on, so do kept answers', async () => {
  const said = (value: string) => routed({ headers: { 'x-said': value } })
  const host = addSite(said('first'))
  const heard = (text: string) => [from(text), /^x-said: (\w+)/im.exec(text)?.[1]]
  const one = await open(fast.port)
  while (from(await one.say(host, '/fn')) !== 'HIT');
  for (let times = 0; times < 3; times++)
    assert.deepEqual(heard(await one.say(host, '/fn')), ['HIT', 'first'])
  const site = world.sites.get(host) as Site
  for (const value of ['second', 'first', 'third']) {
    world.sites.set(host, { ...site, ...said(value) })
    bus.publish(SITES_TOPIC, host)
    for (const each of [await open(fast.port), one]) {
      // Of a site that is new to it, the edge finds out that something is kept by asking the function.
      for (let where: unknown; where !== 'HIT'; ) {
        const [now, word] = heard(await each.say(host, '/fn'))
        assert.equal(word, value)
        where = now
      }
      if (each !== one) each.end()
    }
  }
  one.end()
})

test('visits to kept answers are recorded alike', async () => {
  const host = addSite()
  const seen = []
  for (const port of [slow.port, slow.port, fast.port, slow.port])
    for (const path of ['/fn', IMAGE]) {
      const one = await open(port)
      await one.say(host, path)
      one.end()
    }
  while (world.visits.filter((visit) => visit.host === host).length < 8)
    await new Promise((resolve) => setTimeout(resolve, 2))
  for (const visit of world.visits.filter((each) => each.host === host))
    seen.push(JSON.stringify({ ...visit, id: '', ms: 0 }))
  assert.equal(new Set(seen).size, 2)
})

test('on a connection of the fast path an answer grows old, is stale, and is another one when it was revalidated', async () => {
  const host = addSite()
  const prime = await open(slow.port)
  const first = last(await prime.say(host, '/fn'))
  const key = { deploymentId: `dpl_${host}`, path: `edge own http://${host} fn`, query: '/fn' }
  while ((await prerenders.get(key)) === undefined) await new Promise((resolve) => setTimeout(resolve, 2))
  const one = await open(fast.port)
  const before = fast.handedOver()
  const ageOf = (text: string) => /^age: (\d+)/im.exec(text)?.[1]
  for (const age of [0, 1, 1, 7]) {
    time.now += (age - Math.floor((time.now - 1_700_000_000_000) / 1000)) * 1000
    const text = await one.say(host, '/fn')
    assert.deepEqual([from(text), ageOf(text), last(text)], ['HIT', String(age), first])
  }
  assert.equal(fast.handedOver(), before)
  await written()
  time.now += 60_000
  assert.equal(from(await one.say(host, '/fn')), 'STALE')
  assert.equal(fast.handedOver(), before + 1)
  const again = await open(fast.port)
  let now = first
  for (; now === first; now = last(await again.say(host, '/fn')));
  const tags = ['path:/fn']
  await prerenders.revalidate(`dpl_${host}`, { tags, at: ++time.now })
  bus.publish(REVALIDATIONS_TOPIC, `dpl_${host}`)
  time.now++
  // Also on a connection that knows where the answer before was.
  const third = await open(fast.port)
  for (const each of [again, third]) assert.notEqual(last(await each.say(host, '/fn')), now)
  for (const each of [prime, one, again, third]) each.end()
})

test('on one connection each request gets its own answer, whatever was asked before it', async () => {
  const [host, other] = [addSite(), addSite()]
  const requests: readonly [string, string, readonly string[]][] = [
    [host, '/fn', []],
    [host, '/fn?a=1', []],
    [other, '/fn', []],
    [host, IMAGE, []],
    [host, IMAGE, ['Accept: image/webp']],
    [host, '/a.png', []],
  ]
  const said = new Map<number, string>()
  const prime = await open(slow.port)
  for (const [n, request] of requests.entries())
    for (let where = ''; where !== 'HIT'; ) {
      const text = await prime.say(...request)
      said.set(n, last(text))
      where = request[1] === '/a.png' ? 'HIT' : (from(text) ?? '')
    }
  const one = await open(fast.port)
  const before = fast.handedOver()
  for (const n of [0, 0, 1, 0, 2, 2, 0, 3, 3, 4, 3, 5, 0, 5, 4, 1, 1, 2])
    assert.equal(
      last(await one.say(...(requests[n] as (typeof requests)[number]))),
      said.get(n),
      `request ${n}`,
    )
  assert.equal(fast.handedOver(), before)
  for (const each of [prime, one]) each.end()
})

test('what a connection got last is in memory for as long as it is kept, and not until the connection ends', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const keep = (): Answer => ({
    ...{ status: 200, headers: [], body: Buffer.alloc(1_000_000) },
    ...{ source: 'static', entrypoint: '' },
  })
  let kept: Answer | undefined = keep()
  const body = new WeakRef(kept.body as Buffer)
  let looks = 0
  const cache = {
    isStill: () => kept !== undefined,
    peek: () => {
      looks++
      return kept && { form: kept, age: 0, kept: { entry: kept }, known: undefined }
    },
  } as unknown as EdgeCache
  const hits = new CachedHits(cache, new Wires(1))
  const site = world.sites.get(addSite()) as Site
  const asked = { method: 'GET', headers: {} }
  const lookup = hits.lookUpImage(site, IMAGES, 'url=%2Fa.png&w=640&q=75', asked)
  assert.ok(lookup)
  for (let times = 0; times < 3; times++) {
    assert.ok(hits.find(site, lookup, { now: 0, since: 0 }))
    await new Promise(setImmediate)
    collect()
  }
  assert.equal(looks, 1)
  kept = undefined
  await new Promise(setImmediate)
  collect()
  assert.ok(body.deref() === undefined)
  assert.equal(hits.find(site, lookup, { now: 0, since: 0 }), undefined)
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { SiteVisit } from '#core/site/site.ts'
import { SITES_TOPIC } from '#core/site/site.ts'
import { createTestClock } from '#test/support/clock.ts'
import { createGapBus } from '#test/support/gap-bus.ts'
import {
  ask,
  createEdgeWorld,
  type EdgeWorld,
  type Running,
  serveFast,
  serveSlow,
} from '#test/support/http/edge.ts'
import { silentLog } from '#test/support/silent-log.ts'

const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing) await close()
})

async function start(world: EdgeWorld, serve: (edge: EdgeWorld['edge']) => Promise<Running> = serveSlow) {
  const server = await serve(world.edge)
  closing.push(server.close, () => world.edge.close())
  return server
}

test('a warm site is served without asking the source or the store', async () => {
  const world = createEdgeWorld()
  world.addSite('site.test', { 'index.html': 'home '.repeat(100), 'a.txt': 'a' })
  const { port } = await start(world)
  const visit = async () => {
    for (const path of ['/', '/a.txt', '/nope'])
      for (const encoding of ['br', 'gzip', 'identity'])
        await ask(port, path, { headers: { 'accept-encoding': encoding } })
  }
  await visit()
  const before = { ...world.asked }
  await visit()
  assert.deepEqual(world.asked, before)
})

test('however many visitors come at once to a cold site, source and store are asked once', async () => {
  const world = createEdgeWorld()
  world.addSite('site.test', { 'index.html': 'home' })
  const { port } = await start(world)
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(port, '/')))
  for (const { text } of answers) assert.equal(text, 'home')
  assert.equal(world.asked.finds, 1)
  assert.equal(world.asked.reads, 1)
})

test('an unknown host is looked up once in a while, not for each visitor', async () => {
  const clock = createTestClock()
  const world = createEdgeWorld({ clock })
  const { port } = await start(world)
  for (let i = 0; i < 3; i++) assert.equal((await ask(port, '/')).status, 404)
  assert.equal(world.asked.finds, 1)
  world.addSite('site.test', { 'index.html': 'home' })
  clock.advance(2_000)
  assert.equal((await ask(port, '/')).status, 200)
})

for (const [name, serve] of [
  ['node:http', serveSlow],
  ['the fast path', serveFast],
] as const)
  test(`a change told on the bus shows in the next answer of every process by ${name}`, async () => {
    const bus = createMemoryBus({ log: silentLog })
    const worlds = [createEdgeWorld({ bus }), createEdgeWorld({ bus })]
    const servers: Running[] = []
    for (const world of worlds) {
      world.addSite('site.test', { 'index.html': 'old' })
      servers.push(await start(world, serve))
    }
    for (const { port } of servers) assert.equal((await ask(port, '/')).text, 'old')
    for (const world of worlds) world.addSite('site.test', { 'index.html': 'new' })
    for (const { port } of servers) assert.equal((await ask(port, '/')).text, 'old')
    bus.publish(SITES_TOPIC, 'site.test')
    await new Promise(setImmediate)
    for (const { port } of servers) assert.equal((await ask(port, '/')).text, 'new')
    for (const world of worlds) world.addSite('site.test', {}, { status: 'deleted' })
    bus.publish(SITES_TOPIC, '*')
    await new Promise(setImmediate)
    for (const { port } of servers) assert.equal((await ask(port, '/')).status, 410)
  })

test('a change of a name with a star reaches every host that it stands for', async () => {
  const world = createEdgeWorld()
  for (const host of ['a.wide.test', 'b.other.test']) world.addSite(host, { 'index.html': 'old' })
  const server = await serveSlow(world.edge)
  const read = async (host: string) => (await ask(server.port, '/', { host })).text
  for (const host of ['a.wide.test', 'b.other.test']) assert.equal(await read(host), 'old')
  const finds = world.asked.finds
  world.addSite('a.wide.test', { 'index.html': 'new' })
  world.bus.publish(SITES_TOPIC, '*.wide.test')
  assert.equal(await read('a.wide.test'), 'new')
  assert.equal(await read('b.other.test'), 'old')
  assert.equal(world.asked.finds, finds + 1)
  await server.close()
  await world.edge.close()
})

test('a new host is served as soon as it is told, even if it was asked for before', async () => {
  const world = createEdgeWorld()
  const { port } = await start(world)
  assert.equal((await ask(port, '/')).status, 404)
  world.addSite('site.test', { 'index.html': 'home' })
  world.edge.invalidate('site.test')
  assert.equal((await ask(port, '/')).status, 200)
})

/** A world with a site whose first look-up waits, with what it has found, until `first` resolves. */
function createSlowWorld(options: Parameters<typeof createEdgeWorld>[0] = {}) {
  const first = Promise.withResolvers<void>()
  let finds = 0
  const world: EdgeWorld = createEdgeWorld({
    ...options,
    sites: {
      async find(host) {
        const site = world.sites.get(host)
        if (finds++ === 0) await first.promise
        return site
      },
    },
  })
  world.addSite('site.test', { 'index.html': 'old' })
  return { world, first, isAsked: () => finds > 0 }
}

test('a look-up that a change overtakes is not kept', async () => {
  const { world, isAsked, first } = createSlowWorld()
  const { port } = await start(world)
  const early = ask(port, '/')
  while (!isAsked()) await new Promise(setImmediate)
  world.addSite('site.test', { 'index.html': 'new' })
  world.edge.invalidate('site.test')
  assert.equal((await ask(port, '/')).text, 'new')
  first.resolve()
  assert.equal((await early).text, 'old')
  assert.equal((await ask(port, '/')).text, 'new')
})

test('a change whose message was lost is noticed after a minute, while visitors are served', async () => {
  const clock = createTestClock()
  const world = createEdgeWorld({ clock })
  world.addSite('site.test', { 'index.html': 'old' })
  const { port } = await start(world)
  await ask(port, '/')
  world.addSite('site.test', { 'index.html': 'new' })
  clock.advance(59_000)
  assert.equal((await ask(port, '/')).text, 'old')
  clock.advance(1_000)
  assert.equal((await ask(port, '/')).text, 'old')
  assert.equal((await ask(port, '/')).text, 'new')
})

test('after a gap in the messages nobody is served what may have changed', async () => {
  const { bus, announceGap } = createGapBus()
  const world = createEdgeWorld({ bus })
  world.addSite('site.test', { 'index.html': 'old' })
  const { port } = await start(world)
  await ask(port, '/')
  world.addSite('site.test', { 'index.html': 'new' })
  assert.equal((await ask(port, '/')).text, 'old')
  announceGap()
  assert.equal((await ask(port, '/')).text, 'new')
})

test('what was being looked up when the gap was told is looked up once more', async () => {
  const { bus, announceGap } = createGapBus()
  const { world, isAsked, first } = createSlowWorld({ bus })
  const { port } = await start(world)
  const early = ask(port, '/')
  while (!isAsked()) await new Promise(setImmediate)
  world.addSite('site.test', { 'index.html': 'new' })
  announceGap()
  first.resolve()
  await early
  assert.equal((await ask(port, '/')).text, 'new')
})

for (const [what, fail] of [
  ['fails', () => Promise.reject(new Error('down'))],
  ['says nothing', () => new Promise<never>(() => {})],
] as const)
  test(`after a gap, what was known is served where the database ${what}, and nobody waits twice`, async () => {
    const { bus, announceGap } = createGapBus()
    let works = true
    let finds = 0
    const world: EdgeWorld = createEdgeWorld({
      bus,
      sites: {
        async find(host) {
          finds += 1
          return works ? world.sites.get(host) : fail()
        },
      },
    })
    world.addSite('site.test', { 'index.html': 'old' })
    const { port } = await start(world)
    await ask(port, '/')
    works = false
    announceGap()
    for (let i = 0; i < 3; i++) assert.equal((await ask(port, '/')).text, 'old')
    assert.equal(finds, 2)
    works = true
    world.addSite('site.test', { 'index.html': 'new' })
    announceGap()
    assert.equal((await ask(port, '/')).text, 'new')
  })

test('a site that cannot be checked is served as it was', async () => {
  const clock = createTestClock()
  let works = true
  const world: EdgeWorld = createEdgeWorld({
    clock,
    sites: {
      async find(host) {
        if (!works) throw new Error('down')
        return world.sites.get(host)
      },
    },
  })
  world.addSite('site.test', { 'index.html': 'home' })
  const { port } = await start(world)
  await ask(port, '/')
  works = false
  clock.advance(600_000)
  for (let i = 0; i < 3; i++) assert.equal((await ask(port, '/')).status, 200)
})

test('contents stay within their budget, and what was pushed out is read again', async () => {
  const world = createEdgeWorld({ budgetBytes: 8 * 1024 * 1024 })
  const contents = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`${i}.bin`, Buffer.alloc(900_000, String(i))]),
  )
  world.addSite('site.test', contents)
  const { port } = await start(world)
  for (let round = 0; round < 2; round++)
    for (const [path, content] of Object.entries(contents))
      assert.ok((await ask(port, `/${path}`)).body.equals(content))
  assert.ok(world.asked.reads > 12)
})

test('as many paths as a visitor can think of, all led to one page, push nothing out but each other', async () => {
  const world = createEdgeWorld({ budgetBytes: 8 * 1024 * 1024 })
  world.addSite(
    'site.test',
    { 'index.html': 'app '.repeat(10_000), 'a.txt': 'a' },
    { routes: [{ handle: 'filesystem' }, { src: '/.*', dest: '/index.html' }] },
  )
  const { port } = await start(world, serveFast)
  await ask(port, '/a.txt')
  for (let i = 0; i < 1000; i++) assert.equal((await ask(port, `/deep/link/${i}`)).body.length, 40_000)
  await ask(port, '/a.txt')
  assert.deepEqual(world.asked, { finds: 1, reads: 2, opens: 0 })
})

test('every visit to a site is recorded once, when it is over', async () => {
  const world = createEdgeWorld()
  world.addSite('site.test', { 'index.html': 'home' }, { environment: 'preview' })
  const { port } = await start(world)
  const { headers } = await ask(port, '/?q=1', { headers: { 'user-agent': 'test/1' } })
  await ask(port, '/', { method: 'HEAD' })
  await ask(port, '/nope')
  await ask(port, '/', { host: 'unknown.test' })
  while (world.visits.length < 3) await new Promise(setImmediate)
  const [first, head, missing] = world.visits as [SiteVisit, SiteVisit, SiteVisit]
  assert.equal(world.visits.length, 3)
  assert.ok(Math.abs(first.at - Date.now()) < 10_000 && first.ms >= 0)
  assert.deepEqual(
    { ...first, at: 0, ms: 0 },
    {
      id: headers['x-platform-id'],
      at: 0,
      deploymentId: 'dpl_site.test',
      ownerId: 'owner_1',
      projectId: 'prj_1',
      environment: 'preview',
      host: 'site.test',
      method: 'GET',
      path: '/?q=1',
      protocol: 'HTTP/1.1',
      status: 200,
      ms: 0,
      bytes: 4,
      ip: '127.0.0.1',
      userAgent: 'test/1',
      source: 'static',
      entrypoint: '/index.html',
      coldStart: undefined,
      reason: undefined,
    },
  )
  assert.deepEqual([head.method, head.status, head.bytes], ['HEAD', 200, 0])
  assert.deepEqual([missing.status, missing.source, missing.entrypoint], [404, 'error', ''])
})

test('a visitor who leaves in the middle of a large file is recorded with what was sent, and nothing leaks', async () => {
  const world = createEdgeWorld()
  world.addSite('site.test', { 'video.mp4': Buffer.alloc(64 * 1024 * 1024) })
  const { port } = await start(world)
  const req = request({ port, host: '127.0.0.1', path: '/video.mp4', headers: { host: 'site.test' } }).end()
  const [res] = await once(req, 'response')
  await once(res, 'data')
  req.destroy()
  while (world.visits.length === 0) await new Promise(setImmediate)
  const [visit] = world.visits as [SiteVisit]
  assert.equal(visit.status, 200)
  assert.ok(visit.bytes > 0 && visit.bytes < 64 * 1024 * 1024)
})

for (const [name, jump] of [
  ['set back', -86_400_000],
  ['put forward', 86_400_000],
] as const)
  test(`on a clock that was ${name}, a site is looked at again after a minute, and visits take no time`, async () => {
    const clock = createTestClock()
    const world = createEdgeWorld({ clock })
    world.addSite('site.test', { 'index.html': 'old' })
    const { port } = await start(world)
    assert.equal((await ask(port, '/')).text, 'old')
    assert.equal((await ask(port, '/', { host: 'absent.test' })).status, 404)
    clock.jump(jump)
    await ask(port, '/')
    assert.equal(world.asked.finds, 2)
    world.addSite('site.test', { 'index.html': 'new' })
    world.addSite('absent.test', { 'index.html': 'there' })
    clock.advance(60_000)
    assert.equal((await ask(port, '/', { host: 'absent.test' })).text, 'there')
    while ((await ask(port, '/')).text !== 'new') await new Promise(setImmediate)
    for (const { ms } of world.visits) assert.ok(Number.isInteger(ms) && ms >= 0 && ms < 86_400_000)
  })

test('a visit that lasts while the clock is set tells how long it took', async () => {
  const clock = createTestClock()
  const world: EdgeWorld = createEdgeWorld({
    clock,
    sites: {
      async find(host) {
        clock.jump(-86_400_000)
        clock.advance(500)
        return world.sites.get(host)
      },
    },
  })
  world.addSite('site.test', { 'index.html': 'home' })
  const { port } = await start(world)
  await ask(port, '/')
  while (world.visits.length === 0) await new Promise(setImmediate)
  const ms = world.visits[0]?.ms ?? 0
  assert.ok(ms >= 500 && ms < 86_400_000, `${ms}`)
})

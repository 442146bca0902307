import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import {
  sampleAlias,
  sampleCertificate,
  sampleDeployment,
  sampleProject,
  sampleProjectDomain,
} from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { makeAuthority, makeLeaf, type Signer } from '#test/support/tls/pki.ts'
import { newDomain } from '../../domain/domain.ts'
import { type CertificateIssuer, IssueFailure } from '../../ports/certificate-issuer.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import { createKeepCertificate } from '../make-certificate.ts'
import { createAutomaticCertificates } from './automatic-certificates.ts'
import { createSweepRound } from './certificate-rounds.ts'
import { createIssueJob } from './issue-job.ts'
import { createMayCertify } from './may-certify.ts'
import { createOrderAllowance, OF_AN_ACCOUNT } from './order-allowance.ts'
import { createOrderCertificate } from './order-certificate.ts'
import { createPlatformCertificates, PLATFORM } from './platform-certificates.ts'

let authority: Signer

before(async () => {
  authority = await makeAuthority()
})

/** Automatic certificates with an authority that does as it is told, on a clock that is moved by hand. */
async function setUp(t: TestContext, { instant = false } = {}) {
  const { stores, transact, clock } = await openStores(t, usualDatabase)
  const asked: string[] = []
  const changed: string[] = []
  const will: {
    failure: Error | undefined
    lifetime: number
    elsewhere: boolean
    orders: number
    lookUp?: (name: string) => Promise<void>
    meanwhile?: () => Promise<void>
  } = {
    failure: undefined,
    lifetime: 90 * DAY,
    elsewhere: false,
    orders: 0,
  }
  const issuer: CertificateIssuer = {
    instant,
    checksNames: !instant,
    async issue(names, _signal, beforeOrder) {
      asked.push(names.join(' '))
      for (let order = 0; order < will.orders; order++) await beforeOrder?.()
      await will.meanwhile?.()
      if (will.failure) throw will.failure
      const now = clock.now()
      return makeLeaf(authority, names, { from: now, to: now + will.lifetime })
    },
  }
  const counts = new Map<string, number>()
  const limiter: RateLimiter = {
    take(key, { points, ms }) {
      const window = `${key} ${Math.floor(clock.now() / ms)}`
      const taken = (counts.get(window) ?? 0) + 1
      counts.set(window, taken)
      return { allowed: taken <= points, remaining: Math.max(0, points - taken), resetAt: clock.now() + ms }
    },
  }
  const listeners = new Set<(message: string) => void>()
  const bus = {
    publish: (_topic: string, message: string) => {
      for (const listener of listeners) listener(message)
    },
    subscribe: (_topic: string, listener: (message: string) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {},
  }
  const vault = { seal: (plain: string) => plain, open: (sealed: string) => sealed }
  const onChanged = (names: readonly string[]) => void changed.push(...names)
  const store = stores.certificates
  const attempts = stores.certificateAttempts
  const { hosts, jobs, challenges, settings } = stores
  const check = { owned: async () => {}, held: async () => {}, issuable: async () => {} }
  const keep = createKeepCertificate({ transact, check, vault, clock, onChanged })
  const resolver = {
    txt: async () => [],
    ns: async () => [],
    caa: async () => [],
    cname: async () => [],
    async a(name: string) {
      await will.lookUp?.(name)
      return { addresses: [will.elsewhere ? '203.0.113.9' : '192.0.2.1'], ttl: 60 }
    },
    aaaa: async () => ({ addresses: [], ttl: 60 }),
  }
  const pointing = { target: 'alias.aloft.test', addresses: ['192.0.2.1'] }
  const mayCertify = createMayCertify({ issuer, domains: stores.domains, resolver, pointing })
  const common = { issuer, keep, store, attempts, hosts, mayCertify, jobs, clock, bus, log: silentLog }
  const orders = createOrderAllowance(limiter, clock)
  const automatic = createAutomaticCertificates({
    ...common,
    limiter,
    orders,
    domain: 'aloft.test',
  })
  const platform = createPlatformCertificates({
    ...common,
    domain: 'aloft.test',
    apiHosts: ['localhost', '127.0.0.1', 'api.aloft.test', 'console.example.org'],
  })
  const job = createIssueJob({ ...common, check, orders, automatic, platform, onChanged })
  const sweep = createSweepRound({ automatic, store, attempts, challenges, settings, clock })
  const deployment = sampleDeployment({ ownerId: 'anna' })
  await stores.deployments.insert(deployment, { manifest: [], sealedEnv: '' })
  const serve = async (host: string, ownerId = 'anna') => {
    const alias = sampleAlias({ deploymentId: deployment.id, ownerId, host, createdAt: clock.now() })
    assert.equal(await hosts.claimAlias(alias), true)
  }
  const { signal } = new AbortController()
  const run = { id: 'job', attempt: 1, signal, log: silentLog }
  return {
    ...common,
    automatic,
    platform,
    stores,
    asked,
    changed,
    will,
    serve,
    ensure: (host: string) => automatic.ensure(host, signal),
    work: (payload: object) => job.run({ ...payload }, run),
    sweep: () => sweep.run({}, run),
    /** Every job that is due, done as a worker would. */
    async workAll() {
      const claim = {
        kinds: [job.kind],
        worker: 'w',
        now: clock.now(),
        leaseUntil: clock.now() + HOUR,
        limit: 100,
      }
      for (const { id, payload } of await jobs.claim(claim)) {
        await job.run(payload, run)
        await jobs.complete(id, 'w')
      }
    },
    order: createOrderCertificate({ ...common, waitMs: 2000 }),
  }
}

test('an authority is asked only for custom hosts that are served and have no certificate', async (t) => {
  const { ensure, serve, asked, changed } = await setUp(t)
  await serve('own.aloft.test')
  await serve('www.example.com')
  for (const host of ['unknown.example.com', 'own.aloft.test', 'aloft.test', 'not a host', '127.0.0.1'])
    assert.equal(await ensure(host), undefined, host)
  const made = await ensure('www.example.com')
  assert.deepEqual([made?.names, made?.source, made?.ownerId], [['www.example.com'], 'automatic', 'anna'])
  assert.deepEqual(await ensure('www.example.com'), made)
  assert.deepEqual(asked, ['www.example.com'])
  assert.deepEqual(changed, ['www.example.com'])
})

test('after a refusal a host waits an hour, then twice as long each time, up to a day', async (t) => {
  const { ensure, serve, asked, clock, will, attempts } = await setUp(t)
  await serve('www.example.com')
  will.failure = new IssueFailure('the name does not lead here')
  for (const hours of [1, 2, 4, 8, 16, 24, 24]) {
    asked.length = 0
    assert.equal(await ensure('www.example.com'), undefined)
    clock.advance(hours * HOUR - 5 * 60_000)
    await ensure('www.example.com')
    assert.equal(asked.length, 1, `${hours} hours`)
    clock.advance(10 * 60_000)
  }
  assert.equal((await attempts.find('www.example.com'))?.error, 'the name does not lead here')
  will.failure = undefined
  assert.ok(await ensure('www.example.com'))
  assert.equal((await attempts.find('www.example.com'))?.failures, 0)
})

test('an authority that says when to come back is not asked before', async (t) => {
  const { ensure, serve, asked, clock, will } = await setUp(t)
  await serve('www.example.com')
  will.failure = new IssueFailure('too many', 7 * DAY)
  await ensure('www.example.com')
  clock.advance(6 * DAY)
  await ensure('www.example.com')
  assert.equal(asked.length, 1)
  clock.advance(2 * DAY)
  await ensure('www.example.com')
  assert.equal(asked.length, 2)
})

test('one registered domain gets no more than 20 new hosts a day, and others are not held up by it', async (t) => {
  const { ensure, serve, asked, clock } = await setUp(t)
  for (let i = 0; i < 22; i++) await serve(`n${i}.flood.co.uk`)
  await serve('www.calm.co.uk')
  for (let i = 0; i < 22; i++) {
    await ensure(`n${i}.flood.co.uk`)
    clock.advance(HOUR / OF_AN_ACCOUNT.points)
  }
  assert.equal(asked.length, 20)
  assert.ok(await ensure('www.calm.co.uk'))
  clock.advance(HOUR + 1000)
  assert.equal(await ensure('n20.flood.co.uk'), undefined)
  clock.advance(DAY)
  assert.ok(await ensure('n20.flood.co.uk'))
})

test('a host whose turn does not come is asked for within the next hour, however often that happens', async (t) => {
  const { ensure, serve, clock, will, attempts } = await setUp(t)
  await serve('www.example.com')
  const spend = async (hour: number) => {
    will.orders = OF_AN_ACCOUNT.points
    for (const owner of ['ben', 'cleo']) {
      await serve(`www.${owner}-${hour}.org`, owner)
      assert.ok(await ensure(`www.${owner}-${hour}.org`))
    }
    will.orders = 1
  }
  for (let hour = 0; hour < 4; hour++) {
    await spend(hour)
    assert.equal(await ensure('www.example.com'), undefined)
    assert.match((await attempts.find('www.example.com'))?.error ?? '', /this installation/)
    clock.advance(HOUR)
  }
  assert.ok(await ensure('www.example.com'))
})

test('one that is deleted again and again is made again once an hour', async (t) => {
  const { ensure, serve, asked, clock, store } = await setUp(t)
  await serve('www.example.com')
  for (let i = 0; i < 5; i++) {
    const made = await ensure('www.example.com')
    if (made) await store.remove('anna', made.id)
  }
  assert.equal(asked.length, 1)
  clock.advance(HOUR + 1000)
  assert.ok(await ensure('www.example.com'))
})

test('an authority that checks nothing is asked for names that lead here or are verified, and for no others', async (t) => {
  const { automatic, serve, asked, will, clock, stores, attempts, sweep, workAll } = await setUp(t, {
    instant: true,
  })
  will.elsewhere = true
  await serve('www.example.com')
  await serve('*.example.org')
  for (const host of ['www.example.com', '*.example.org', 'www.example.com'])
    assert.equal(await automatic.onDemand(host), undefined, host)
  assert.deepEqual(asked, [])
  assert.match((await attempts.find('www.example.com'))?.error ?? '', /does not point to this installation/)

  will.elsewhere = false
  clock.advance(2 * MINUTE)
  await sweep()
  await workAll()
  assert.deepEqual(
    asked,
    ['www.example.com'],
    'found by itself once DNS is right; no address shows a wildcard',
  )
  assert.equal(await attempts.find('www.example.com'), undefined)

  will.elsewhere = true
  const given = { ownerId: 'anna', creatorId: 'anna', name: 'example.org', serviceWish: null }
  await stores.domains.add({ ...newDomain(given, clock.now()), txtVerifiedAt: clock.now() })
  clock.advance(2 * MINUTE)
  assert.ok(await automatic.onDemand('*.example.org'), 'the account has verified the domain')
})

test('a certificate of a name that leads elsewhere by now is not renewed, and is once it leads here again', async (t) => {
  const { ensure, serve, asked, will, clock, store, work } = await setUp(t, { instant: true })
  await serve('www.example.com')
  const old = await ensure('www.example.com')
  assert.ok(old)
  will.elsewhere = true
  clock.advance(61 * DAY)
  await work({ ownerId: 'anna', id: old.id })
  assert.equal((await store.find('anna', old.id))?.cert, old.cert)
  assert.equal(asked.length, 1)
  will.elsewhere = false
  clock.advance(2 * DAY)
  await work({ ownerId: 'anna', id: old.id })
  assert.notEqual((await store.find('anna', old.id))?.cert, old.cert)
})

test('a handshake waits for an authority that answers at once, and leaves work to a job otherwise', async (t) => {
  const quick = await setUp(t, { instant: true })
  await quick.serve('www.example.com')
  assert.ok(await quick.automatic.onDemand('www.example.com'))
  const slow = await setUp(t)
  await slow.serve('www.example.com')
  for (let i = 0; i < 3; i++) assert.equal(await slow.automatic.onDemand('www.example.com'), undefined)
  assert.deepEqual(slow.asked, [])
  await slow.workAll()
  assert.deepEqual(slow.asked, ['www.example.com'])
})

test('hosts whose nameserver says nothing hold up no more than two handshakes, and none of another account', async (t) => {
  const { automatic, serve, will } = await setUp(t, { instant: true })
  const silence = Promise.withResolvers<void>()
  const count = { asked: 0, over: 0 }
  will.lookUp = async (name) => {
    if (!name.startsWith('evil')) return
    count.asked++
    await silence.promise
  }
  const hosts = Array.from({ length: 9 }, (_, i) => `evil-${i}.example.com`)
  for (const host of hosts) await serve(host)
  await serve('www.example.org', 'ben')
  const waiting = hosts.map((host) => automatic.onDemand(host).finally(() => count.over++))
  while (count.asked + count.over < hosts.length) await new Promise(setImmediate)
  assert.deepEqual(count, { asked: 2, over: 7 })
  assert.ok(await automatic.onDemand('www.example.org'))
  silence.resolve()
  assert.equal((await Promise.all(waiting)).filter(Boolean).length, 2)
  assert.ok(await automatic.onDemand('evil-8.example.com'))
})

test('what failed is found again when its time has come, and forgotten when the host is gone', async (t) => {
  const { sweep, workAll, serve, asked, clock, will, stores, attempts } = await setUp(t)
  will.failure = new IssueFailure('not yet')
  await serve('a.example.com')
  await serve('b.example.com')
  await sweep()
  await workAll()
  assert.deepEqual(asked.sort(), ['a.example.com', 'b.example.com'])
  clock.advance(15 * 60_000)
  await sweep()
  await workAll()
  assert.equal(asked.length, 2, 'too early')
  clock.advance(HOUR)
  await stores.hosts.release('b.example.com')
  will.failure = undefined
  await sweep()
  await workAll()
  assert.equal(asked.length, 3)
  assert.equal((await stores.certificates.forHost('a.example.com')).length, 1)
  clock.advance(DAY)
  await sweep()
  await workAll()
  assert.equal(asked.length, 3)
  clock.advance(2 * DAY)
  await sweep()
  assert.equal(await attempts.find('b.example.com'), undefined)
})

test('a host that failed and got a certificate in another way is not found again', async (t) => {
  const { ensure, serve, clock, will, store, attempts } = await setUp(t)
  will.failure = new IssueFailure('not yet')
  await serve('a.example.com')
  assert.equal(await ensure('a.example.com'), undefined)
  const own = sampleCertificate({
    ownerId: 'anna',
    names: ['a.example.com'],
    expiresAt: clock.now() + 90 * DAY,
  })
  await store.add({ ...own, source: 'uploaded' })
  clock.advance(2 * HOUR)
  assert.deepEqual(await attempts.due(clock.now(), 10), ['a.example.com'])
  assert.equal((await ensure('a.example.com'))?.id, own.id)
  assert.deepEqual(await attempts.due(clock.now(), 10), [])
})

test('a host that failed, was taken away and is back is tried when its time has come, by itself', async (t) => {
  const { sweep, workAll, serve, ensure, asked, clock, will, stores } = await setUp(t)
  will.failure = new IssueFailure('not yet')
  await serve('a.example.com')
  await ensure('a.example.com')
  await stores.hosts.release('a.example.com')
  await ensure('a.example.com')
  will.failure = undefined
  await serve('a.example.com')
  for (let i = 0; i < 3; i++) {
    await sweep()
    await workAll()
    assert.equal(asked.length, 1, 'too early')
    clock.advance(15 * 60_000)
  }
  clock.advance(15 * 60_000)
  await sweep()
  await workAll()
  assert.equal((await stores.certificates.forHost('a.example.com')).length, 1)
})

test('hosts that are taken away again count for their domain, and for themselves', async (t) => {
  const { serve, ensure, asked, will, stores, clock } = await setUp(t)
  const hosts = Array.from({ length: 30 }, (_, i) => `h${i}.example.com`)
  for (const host of hosts) {
    await serve(host)
    await ensure(host)
    await stores.hosts.release(host)
    await ensure(host)
    clock.advance(HOUR / OF_AN_ACCOUNT.points)
  }
  assert.equal(asked.length, 20)
  clock.advance(2 * DAY)
  will.failure = new IssueFailure('not yet')
  for (let i = 0; i < 5; i++) {
    await serve('again.example.com')
    await ensure('again.example.com')
    await stores.hosts.release('again.example.com')
    await ensure('again.example.com')
  }
  assert.equal(asked.length, 21)
})

test('an account that serves many domains gets some certificates an hour, and others are not held up by it', async (t) => {
  const { serve, ensure, asked, clock } = await setUp(t)
  const hosts = Array.from({ length: 60 }, (_, i) => `shop-${i}.example`)
  for (const host of hosts) await serve(host)
  for (const host of hosts) await ensure(host)
  assert.equal(asked.length, OF_AN_ACCOUNT.points)
  await serve('other.example', 'ben')
  assert.ok(await ensure('other.example'))
  clock.advance(HOUR)
  for (const host of hosts) await ensure(host)
  assert.equal(asked.length, 2 * OF_AN_ACCOUNT.points + 1)
})

test('what an account has made counts by the orders that it takes, whether it asks for it or not', async (t) => {
  const { serve, ensure, work, will, stores, clock } = await setUp(t)
  will.orders = Math.floor(OF_AN_ACCOUNT.points / 4) + 1
  const names = ['a.example', 'b.example', 'c.example', 'd.example']
  for (const name of names.slice(0, 3)) {
    await serve(name)
    assert.ok(await ensure(name))
  }
  await work({ ownerId: 'anna', order: 'order 1', names: ['asked.example'] })
  const attempt = await stores.certificateAttempts.find('order 1')
  assert.match(attempt?.error ?? '', /asked \d+ times for this account within an hour/)
  assert.equal(attempt && attempt.retryAt - attempt.at, HOUR)
  await serve('other.example', 'ben')
  assert.ok(await ensure('other.example'))
  clock.advance(HOUR)
  await work({ ownerId: 'anna', order: 'order 1', names: ['asked.example'] })
  assert.equal((await stores.certificateAttempts.find('order 1'))?.error, null)
})

test('all accounts together leave a share of the orders for renewals', async (t) => {
  const { serve, ensure, work, will, stores, clock, asked } = await setUp(t)
  await serve('first.example')
  const first = await ensure('first.example')
  assert.ok(first)
  clock.advance(first.renewAt === null ? 0 : first.renewAt - clock.now())
  will.orders = 15
  for (const owner of ['ben', 'carl', 'dora', 'emil']) {
    await serve(`${owner}.example`, owner)
    assert.ok(await ensure(`${owner}.example`))
  }
  await serve('fred.example', 'fred')
  assert.equal(await ensure('fred.example'), undefined)
  const before = asked.length
  await work({ ownerId: 'anna', id: first.id })
  assert.equal(asked.length, before + 1)
  assert.notEqual((await stores.certificates.find('anna', first.id))?.cert, first.cert)
})

test('a verified domain of a project is found before it shows anything', async (t) => {
  const { sweep, workAll, asked, clock, stores } = await setUp(t)
  const project = sampleProject({ ownerId: 'anna' })
  await stores.projects.insert(project)
  const waiting = sampleProjectDomain({
    projectId: project.id,
    ownerId: 'anna',
    verified: false,
    updatedAt: clock.now(),
  })
  await stores.projectDomains.add(waiting)
  await stores.projectDomains.add({ ...waiting, name: 'shop.example.com', verified: true })
  await sweep()
  await workAll()
  assert.deepEqual(asked, ['shop.example.com'])
  clock.advance(HOUR)
  await stores.projectDomains.update(project.id, waiting.name, { verified: true, updatedAt: clock.now() })
  await sweep()
  await workAll()
  assert.deepEqual(asked, ['shop.example.com', waiting.name])
})

test('a renewal that fails leaves the old certificate, and is tried more often as its end comes near', async (t) => {
  const { ensure, serve, asked, clock, will, store, work } = await setUp(t)
  await serve('www.example.com')
  const old = await ensure('www.example.com')
  assert.ok(old)
  const renew = async () => {
    await work({ ownerId: 'anna', id: old.id })
    return store.find('anna', old.id)
  }
  await renew()
  assert.equal(asked.length, 1)
  clock.advance(60 * DAY + HOUR)
  will.failure = new IssueFailure('down')
  const kept = await renew()
  assert.deepEqual([kept?.cert, asked.length], [old.cert, 2])
  assert.ok((kept?.renewAt ?? 0) > clock.now() + 23 * HOUR)
  await renew()
  assert.equal(asked.length, 2)
  clock.advance(29 * DAY)
  const late = await renew()
  assert.ok((late?.renewAt ?? 0) < clock.now() + 3 * HOUR)
  clock.advance(24 * DAY)
  const ended = await renew()
  assert.ok((ended?.renewAt ?? 0) > clock.now() + 23 * HOUR, 'one that ended long ago is tried once a day')
  clock.advance(DAY)
  will.failure = undefined
  const renewed = await renew()
  assert.notEqual(renewed?.cert, old.cert)
  assert.equal(renewed?.createdAt, old.createdAt)
})

test('a short life is renewed in its last third, and an automatic one of a host that is gone is dropped', async (t) => {
  const { ensure, serve, clock, will, store, stores, work } = await setUp(t)
  will.lifetime = 6 * DAY
  await serve('www.example.com')
  const made = await ensure('www.example.com')
  assert.ok(made?.renewAt && Math.abs(made.renewAt - (clock.now() + 4 * DAY)) < HOUR)
  await stores.hosts.release('www.example.com')
  clock.advance(4 * DAY + HOUR)
  await work({ ownerId: 'anna', id: made.id })
  assert.equal(await store.find('anna', made.id), undefined)
})

test('whoever orders a certificate gets it once a worker has it, the reason when it was refused, or is told to wait', async (t) => {
  const { order, workAll, will, asked, stores } = await setUp(t)
  const ordered = async () => {
    const answer = order('anna', ['a.example.com', 'b.example.com']).then(
      ({ names }) => names,
      (error: Error) => error,
    )
    while ((await stores.jobs.counts()).queued === 0) await new Promise(setImmediate)
    return { answer }
  }
  will.failure = new IssueFailure('CAA forbids it', 90_000)
  const refused = await ordered()
  await workAll()
  assert.match(String(await refused.answer), /CAA forbids it/)
  const { cause } = (await refused.answer) as Error
  assert.equal(cause instanceof IssueFailure && cause.retryAfter, 90_000, 'as the authority wants it')
  will.failure = undefined
  const granted = await ordered()
  await workAll()
  assert.deepEqual(await granted.answer, ['a.example.com', 'b.example.com'])
  assert.equal(asked.length, 2)
  const late = await ordered()
  assert.match(String(await late.answer), /hasn’t answered yet/)
})

test('whoever orders what is being asked for already gets the reason when it is refused, too', async (t) => {
  const { order, workAll, will, jobs } = await setUp(t)
  const names = ['a.example.com']
  const ordered = () => order('anna', names).catch((error: Error) => error.message)
  const { enqueue } = jobs
  const joined = Promise.withResolvers<void>()
  let enqueued = 0
  t.mock.method(jobs, 'enqueue', async (job: Parameters<typeof enqueue>[0]) => {
    const id = await enqueue(job)
    if (++enqueued === 2) joined.resolve()
    return id
  })
  const first = ordered()
  let second: ReturnType<typeof ordered> | undefined
  will.meanwhile = () => {
    second = ordered()
    return joined.promise
  }
  while (enqueued === 0) await new Promise(setImmediate)
  will.failure = new IssueFailure('CAA forbids it')
  await workAll()
  assert.match(String(await first), /CAA forbids it/)
  assert.match(String(await second), /CAA forbids it/)
})

test('the platform asks for one wildcard for its sites and API, and one for each scope that serves a host', async (t) => {
  const { platform, workAll, asked, serve } = await setUp(t)
  await serve('site.team.aloft.test')
  for (const host of [
    'aloft.test',
    'any.aloft.test',
    'api.aloft.test',
    'site.team.aloft.test',
    'unknown.team.aloft.test',
    'site.nobody.aloft.test',
    'console.example.org',
    'localhost',
    '127.0.0.1',
  ])
    assert.equal(await platform.find(host), undefined)
  await workAll()
  assert.deepEqual(asked.sort(), ['*.aloft.test aloft.test', '*.team.aloft.test', 'console.example.org'])
  for (const host of ['aloft.test', 'other.aloft.test', 'api.aloft.test', 'any.team.aloft.test'])
    assert.equal((await platform.find(host))?.ownerId, PLATFORM, host)
  assert.equal(asked.length, 3)
})

test('where the wildcard is refused the API asks for its own names, and what the platform has is renewed', async (t) => {
  const { platform, workAll, asked, will, clock, store, work } = await setUp(t)
  will.failure = new IssueFailure('the nameservers are others')
  await platform.find('api.aloft.test')
  await workAll()
  will.failure = undefined
  await platform.find('site.aloft.test')
  await platform.find('api.aloft.test')
  await workAll()
  assert.deepEqual(asked, ['*.aloft.test aloft.test', 'api.aloft.test'])
  assert.equal(await platform.find('site.aloft.test'), undefined)
  const own = await platform.find('api.aloft.test')
  assert.ok(own)
  clock.advance(60 * DAY + HOUR)
  await work({ ownerId: PLATFORM, id: own.id })
  assert.notEqual((await store.find(PLATFORM, own.id))?.cert, own.cert)
})

test('of several who want a certificate for the same host at the same moment, one asks the authority', async (t) => {
  const { automatic, serve, asked, attempts, clock } = await setUp(t)
  await serve('a.shop.test')
  const all = () =>
    Promise.all([1, 2, 3, 4].map(() => automatic.ensure('a.shop.test', AbortSignal.timeout(10_000))))
  assert.equal((await all()).filter(Boolean).length, 1)
  assert.deepEqual(asked, ['a.shop.test'])
  const last = await attempts.find('a.shop.test')
  assert.ok(last)
  const next = { ...last, at: clock.now() + HOUR, retryAt: clock.now() + 2 * HOUR }
  const begun = await Promise.all([attempts.begin(next, last), attempts.begin(next, last)])
  assert.equal(begun.filter(Boolean).length, 1)
})

test('hosts of one domain that come at the same moment are held to the same limit', async (t) => {
  const { serve, ensure, asked } = await setUp(t)
  const hosts = Array.from({ length: 30 }, (_, i) => `h${i}.example.com`)
  for (const host of hosts) await serve(host)
  await Promise.all(hosts.map(ensure))
  assert.ok(asked.length <= 20, `${asked.length} were asked for`)
})

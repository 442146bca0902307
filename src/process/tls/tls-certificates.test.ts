import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { before, test } from 'node:test'
import { type Authority, createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { DAY } from '#contract/time.ts'
import type { Credentials } from '#listener/listener-tls.ts'
import { clockOf, createTestClock } from '#test/support/clock.ts'
import { silent } from '#test/support/http/listener.ts'
import type { CertificatePems } from './tls-cache.ts'
import { type ChooserOptions, createCertificateChooser } from './tls-certificates.ts'

const START = Date.UTC(2030, 0, 1)
let authority: Authority

before(async () => {
  authority = await createAuthority(clockOf(() => START))
})

/** A chooser on a clock that is moved by hand, and a record of what was issued. */
function setUp(options: Partial<ChooserOptions> = {}) {
  const clock = { time: START, now: () => clock.time, monotonic: () => clock.time }
  const issued: string[] = []
  const local = createLocalIssuer({ ...authority, clock })
  const failure: { error: Error | undefined } = { error: undefined }
  const issuer = {
    issue(names: readonly string[]) {
      issued.push(names.join(' '))
      return failure.error ? Promise.reject(failure.error) : local.issue(names)
    },
  }
  const warnings: string[] = []
  const log = { ...silent, warn: (_fields: object, message: string) => warnings.push(message) }
  const base = {
    issuer,
    domain: 'aloft.example',
    apiHosts: ['api.aloft.example', '10.0.0.1'],
    clock,
    log,
    max: 3,
  }
  return { ...createCertificateChooser({ ...base, ...options }), clock, issued, failure, warnings, local }
}

const subjects = ({ cert }: Credentials) => new X509Certificate(cert).subjectAltName

test('API hosts, no name and foreign names share the default certificate', async () => {
  const { certificateFor, issued } = setUp()
  const standard = await certificateFor(undefined)
  assert.equal(subjects(standard), 'DNS:api.aloft.example, IP Address:10.0.0.1')
  for (const name of [
    'api.aloft.example',
    'API.aloft.example.',
    'example.org',
    'not a name',
    'a.b.c.aloft.example',
    '',
  ])
    assert.equal(await certificateFor(name), standard, name)
  assert.deepEqual(issued, ['api.aloft.example 10.0.0.1'])
})

test('without API hosts the default certificate is that of the domain', async () => {
  const { certificateFor } = setUp({ apiHosts: [] })
  assert.equal(subjects(await certificateFor(undefined)), 'DNS:aloft.example')
})

test('the sites of a domain share a wildcard, those of a scope another', async () => {
  const { certificateFor, issued } = setUp()
  const site = await certificateFor('a.aloft.example')
  assert.equal(await certificateFor('b.aloft.example'), site)
  assert.equal(await certificateFor('aloft.example'), site)
  const staged = await certificateFor('a.team.aloft.example')
  assert.equal(await certificateFor('b.team.aloft.example'), staged)
  assert.notEqual(staged, site)
  assert.deepEqual(issued, ['aloft.example *.aloft.example', '*.team.aloft.example'])
})

test('no certificate is made for a name or a scope that nobody has', async () => {
  const asked: string[] = []
  const isServed = async ({ key }: { readonly key: string }) => {
    asked.push(key)
    return key === 'site.localhost' || key === '*.team.aloft.example'
  }
  const local = setUp({ domain: 'localhost', apiHosts: ['localhost'], isServed })
  for (let i = 0; i < 20; i++)
    assert.equal(subjects(await local.certificateFor(`random-${i}.localhost`)), 'DNS:localhost')
  assert.equal(subjects(await local.certificateFor('site.localhost')), 'DNS:site.localhost')
  assert.deepEqual(local.issued, ['localhost', 'site.localhost'])
  const dotted = setUp({ isServed })
  assert.equal(subjects(await dotted.certificateFor('a.team.aloft.example')), 'DNS:*.team.aloft.example')
  for (let i = 0; i < 20; i++) await dotted.certificateFor(`a.nobody-${i}.aloft.example`)
  assert.equal(dotted.issued.length, 2)
  asked.length = 0
  await dotted.certificateFor('a.nobody-19.aloft.example')
  assert.deepEqual(asked, [], 'what nobody has is remembered for a while')
})

test('however many ask at once, a certificate is issued once', async () => {
  const { certificateFor, issued } = setUp()
  const found = await Promise.all(Array.from({ length: 20 }, (_, i) => certificateFor(`s${i}.aloft.example`)))
  assert.equal(new Set(found).size, 1)
  assert.equal(issued.length, 1)
})

test('what is known is answered at once', async () => {
  const { certificateFor } = setUp()
  const loading = certificateFor('a.aloft.example')
  assert.ok(loading instanceof Promise)
  const known = await loading
  assert.equal(certificateFor('a.aloft.example'), known)
})

test('hosts below localhost push out the least recently used, never the default', async () => {
  const { certificateFor, issued } = setUp({ domain: 'localhost' })
  await certificateFor(undefined)
  for (const name of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await certificateFor(`${name}.localhost`)
  await certificateFor(undefined)
  assert.deepEqual(issued, [
    'api.aloft.example 10.0.0.1',
    'a.localhost',
    'b.localhost',
    'c.localhost',
    'd.localhost',
    'b.localhost',
  ])
})

test('in the last third of its life a certificate is renewed, and the old one is served meanwhile', async () => {
  const { certificateFor, clock, issued } = setUp()
  const first = await certificateFor('a.aloft.example')
  clock.time = START + 59 * DAY
  assert.equal(certificateFor('a.aloft.example'), first)
  assert.equal(issued.length, 1)
  clock.time = START + 61 * DAY
  assert.equal(certificateFor('a.aloft.example'), first)
  assert.equal(certificateFor('b.aloft.example'), first)
  assert.equal(issued.length, 2)
  const second = await until(
    () => certificateFor('a.aloft.example'),
    (found) => found !== first,
  )
  assert.equal(new X509Certificate(second.cert).validToDate.getTime(), clock.time + 90 * DAY)
  assert.equal(issued.length, 2)
})

test('a renewal that fails is logged and tried again after a minute; an expired certificate is not served', async () => {
  const { certificateFor, clock, issued, failure, warnings } = setUp()
  const first = await certificateFor('a.aloft.example')
  failure.error = new Error('no entropy')
  clock.time = START + 61 * DAY
  assert.equal(certificateFor('a.aloft.example'), first)
  await until(
    () => warnings,
    ({ length }) => length > 0,
  )
  assert.equal(certificateFor('a.aloft.example'), first)
  assert.equal(issued.length, 2)
  clock.time += 61_000
  assert.equal(certificateFor('a.aloft.example'), first)
  assert.equal(issued.length, 3)
  await until(
    () => warnings,
    ({ length }) => length > 1,
  )
  clock.time = START + 91 * DAY
  await assert.rejects(Promise.resolve(certificateFor('a.aloft.example')), /no entropy/)
  failure.error = undefined
  assert.notEqual(await certificateFor('a.aloft.example'), first)
})

test('a custom name gets its own certificate, an unknown one the default, and is not asked for again at once', async () => {
  const asked: string[] = []
  const known = new Map<string, CertificatePems>()
  const { certificateFor, forget, clock, local } = setUp({
    custom: async (name) => {
      asked.push(name)
      return known.get(name)
    },
  })
  const standard = await certificateFor(undefined)
  assert.equal(await certificateFor('shop.example.org'), standard)
  assert.equal(certificateFor('shop.example.org'), standard)
  assert.deepEqual(asked, ['shop.example.org'])

  known.set('shop.example.org', await local.issue(['shop.example.org']))
  clock.time += 11_000
  const own = await certificateFor('Shop.example.org')
  assert.equal(subjects(own), 'DNS:shop.example.org')
  assert.equal(certificateFor('shop.example.org'), own)

  known.set('shop.example.org', await local.issue(['shop.example.org']))
  forget('shop.example.org')
  const replaced = await certificateFor('shop.example.org')
  assert.notEqual(replaced, own)

  known.delete('shop.example.org')
  forget('shop.example.org')
  assert.equal(await certificateFor('shop.example.org'), standard)
})

test('names of the platform are never asked of the custom hook', async () => {
  const { certificateFor } = setUp({ custom: () => assert.fail('asked') })
  for (const name of ['a.aloft.example', 'api.aloft.example', 'a.team.aloft.example'])
    await certificateFor(name)
})

test('a custom certificate that changed without notice is noticed after some minutes', async () => {
  const pems = { current: undefined as CertificatePems | undefined }
  const { certificateFor, clock, local } = setUp({ custom: async () => pems.current })
  pems.current = await local.issue(['a.example.org'])
  const first = await certificateFor('a.example.org')
  clock.time += 6 * 60_000
  assert.equal(certificateFor('a.example.org'), first)
  await new Promise(setImmediate)
  assert.equal(certificateFor('a.example.org'), first, 'the same PEMs are the same credentials')
  pems.current = await local.issue(['a.example.org'])
  clock.time += 6 * 60_000
  certificateFor('a.example.org')
  assert.notEqual(
    await until(
      () => certificateFor('a.example.org'),
      (found) => found !== first,
    ),
    first,
  )
})

test('a certificate that was forgotten while it was loaded is not kept', async () => {
  const loads: PromiseWithResolvers<CertificatePems>[] = []
  const { certificateFor, forget, local } = setUp({
    custom: () => {
      const load = Promise.withResolvers<CertificatePems>()
      loads.push(load)
      return load.promise
    },
  })
  const [before, after] = await Promise.all([local.issue(['a.example.org']), local.issue(['a.example.org'])])
  const early = certificateFor('a.example.org')
  forget('a.example.org')
  const late = certificateFor('a.example.org')
  loads[1]?.resolve(after)
  loads[0]?.resolve(before)
  assert.equal((await early).cert, before.cert)
  assert.equal((await late).cert, after.cert)
  assert.equal((await certificateFor('a.example.org')).cert, after.cert)
})

test('a flood of unknown names does not push out known ones', async () => {
  const asked: string[] = []
  const { certificateFor, local } = setUp({
    custom: async (name) => {
      asked.push(name)
      return name === 'known.example.org' ? local.issue([name]) : undefined
    },
  })
  const known = await certificateFor('known.example.org')
  for (let i = 0; i < 20; i++) await certificateFor(`u${i}.example.org`)
  assert.equal(certificateFor('known.example.org'), known)
  assert.equal(asked.length, 21)
})

/** What `read` gives once it is as wanted, letting pending work go on in between. */
async function until<T>(read: () => T | Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (wanted(value)) return value
    await new Promise(setImmediate)
  }
}

test('what a public authority has made for the platform goes before what we make ourselves', async () => {
  let has = false
  const { certificateFor, forget, local } = setUp({
    platform: async (name) => (has ? local.issue([`public.${name}`]) : undefined),
  })
  const ours = await certificateFor('a.aloft.example')
  assert.equal(subjects(ours), 'DNS:aloft.example, DNS:*.aloft.example')
  const standard = await certificateFor('api.aloft.example')
  has = true
  forget('*.aloft.example')
  const theirs = await certificateFor('a.aloft.example')
  assert.equal(subjects(theirs), 'DNS:public.a.aloft.example')
  assert.equal(await certificateFor('b.aloft.example'), theirs)
  assert.equal(subjects(await certificateFor('api.aloft.example')), 'DNS:public.api.aloft.example')
  assert.equal(await certificateFor(undefined), standard)
})

test('a certificate that changed without a word is noticed within minutes on a clock that was set back', async () => {
  const clock = createTestClock()
  const issuer = createLocalIssuer({ ...(await createAuthority(clock)), clock })
  let asked = 0
  const { certificateFor } = setUp({
    clock,
    async custom(name) {
      asked++
      return issuer.issue([name])
    },
  })
  const first = await certificateFor('shop.example')
  clock.jump(-DAY)
  assert.equal(await certificateFor('shop.example'), first)
  clock.advance(5 * 60_000)
  assert.equal(await certificateFor('shop.example'), first)
  assert.equal(asked, 2)
})

test('nobody has certificates made for ever more names, and others still have theirs', async () => {
  const { certificateFor, issued, clock } = setUp({ domain: 'localhost', apiHosts: [], max: 10_000 })
  const standard = await certificateFor(undefined)
  const made = () => issued.length - 1
  const flood = async (source: string, count: number, of = source) => {
    for (let i = 0; i < count; i++)
      await certificateFor(`n${i}-${of.replace(/[.:]/g, '-')}.localhost`, source)
  }
  await flood('192.0.2.1', 70)
  assert.equal(made(), 60)
  assert.equal(await certificateFor('one-more.localhost', '192.0.2.99'), standard, 'the same network')
  assert.notEqual(await certificateFor('other.localhost', '198.51.100.1'), standard)
  assert.notEqual(await certificateFor('n0-192-0-2-1.localhost', '192.0.2.1'), standard, 'it is there')
  for (let i = 0; i < 12; i++) await flood(`203.0.${i}.1`, 50)
  assert.equal(made(), 600, 'all together')
  clock.time += 60_000
  assert.notEqual(await certificateFor('one-more.localhost', '192.0.2.1'), standard)
})

test('names at which nothing is use up no more than the look-ups of who asks for them', async () => {
  let looked = 0
  const isServed = async ({ key }: { key: string }) => {
    looked++
    return key === 'site.localhost'
  }
  const { certificateFor } = setUp({ domain: 'localhost', apiHosts: [], max: 10_000, isServed })
  const standard = await certificateFor(undefined)
  for (let i = 0; i < 20; i++)
    for (let n = 0; n < 100; n++) await certificateFor(`n${n}-${i}.localhost`, `203.0.${i}.1`)
  assert.equal(looked, 20 * 60)
  assert.notEqual(await certificateFor('site.localhost', '198.51.100.1'), standard)
})

test('a change of one certificate leaves all others known', async () => {
  const asked: string[] = []
  const { certificateFor, forget, local } = setUp({
    ...{ max: 10, apiHosts: ['api.example.net'] },
    custom: async (name) => {
      asked.push(name)
      return local.issue([name])
    },
    platform: async (name) => {
      asked.push(name)
      return local.issue([name])
    },
  })
  const names = [
    'a.aloft.example',
    'api.example.net',
    'shop.example.org',
    'a.shop.example.org',
    'eshop.example.org',
  ]
  /** Those that were asked for again. */
  const after = async (changed: string) => {
    for (const name of names) await certificateFor(name)
    asked.length = 0
    forget(changed)
    for (const name of names) await certificateFor(name)
    return asked
  }
  assert.deepEqual(await after('Shop.example.org'), ['shop.example.org'])
  assert.deepEqual(await after('*.shop.example.org'), ['a.shop.example.org'])
  assert.deepEqual(await after('else.example.com'), [])
  assert.deepEqual(await after('notaloft.example'), [])
  for (const own of ['aloft.example', '*.aloft.example', 'api.example.net'])
    assert.deepEqual(await after(own), ['a.aloft.example', 'api.example.net'], own)
  assert.deepEqual(await after('*'), names)
})

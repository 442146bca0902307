import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { before, test } from 'node:test'
import { DAY } from '#contract/time.ts'
import type { Domain } from '#core/domain/domain.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { sampleDomain } from '#test/support/samples.ts'
import type { Account } from '#test/support/server.ts'
import { anyKey, makeAuthority, makeLeaf, type Signer } from '#test/support/tls/pki.ts'

const GENERATIONS = [
  { prefix: '/v3/platform/certs', generation: 'current' },
  { prefix: '/platform/certs', generation: 'earliest' },
] as const

apiSuite('certificates', (server) => {
  let authority: Signer
  let names = 0

  before(async () => {
    authority = await makeAuthority()
  })

  /** A domain of the account, verified unless said otherwise. */
  async function domain({ id }: Account, given: Partial<Domain> = {}): Promise<string> {
    const name = given.name ?? `shop-${++names}.example`
    const added = sampleDomain({ ownerId: id, creatorId: id, txtVerifiedAt: 1, ...given, name })
    assert.equal(await server.parts.stores.domains.add(added), true)
    return name
  }
  const issue = (token: string, domains: unknown, more: object = {}) =>
    server.call('POST /v3/platform/certs', { token, body: { domains, ...more } })
  const upload = (token: string, { cert, key }: Signer, more: object = {}) =>
    server.call('PUT /v3/platform/certs', { token, body: { ca: authority.cert, cert, key, ...more } })
  const list = async (token: string) =>
    (await server.call('GET /v3/platform/certs', { token })).body.certs as {
      uid: string
      cns: string[]
      created: string
      expiration: string
      autoRenew: boolean
    }[]
  const kept = async ({ id }: Account, uid: string) => {
    const found = await server.parts.stores.certificates.find(id, uid)
    assert.ok(found)
    return found
  }

  for (const { prefix, generation } of GENERATIONS)
    test(`${prefix}: a certificate is issued, listed, read and deleted in the shapes of its generation`, async () => {
      const account = await server.signUp()
      const { token } = account
      await domain(account, { name: `${generation}.example` })
      const cn = `${generation}.example`
      const issued = await server.call(`POST ${prefix}`, {
        token,
        body: { domains: [`www.${cn}`, cn.toUpperCase(), cn] },
      })
      assert.equal(issued.status, 200)
      assertGolden(`certificate/${generation}-issued`, issued.body)
      assert.match(issued.body.uid, /^cert_[0-9A-Za-z]{24}$/)

      const listed = await server.call(`GET ${prefix}`, { token })
      assertGolden(`certificate/${generation}-list`, listed.body)
      const path = `${prefix}/${generation === 'current' ? issued.body.uid : `www.${cn}`}`
      const read = await server.call(`GET ${path}`, { token })
      assertGolden(`certificate/${generation}-one`, read.body)

      const deleted = await server.call(`DELETE ${path}`, { token })
      assert.deepEqual([deleted.status, deleted.body], [200, ''])
      for (const method of ['GET', 'DELETE']) {
        const gone = await server.call(`${method} ${path}`, { token })
        assert.equal(gone.status, 404)
        assertGolden(`certificate/${generation}-missing`, gone.body)
      }
      assert.deepEqual(await list(token), [])
    })

  for (const { prefix, generation } of GENERATIONS)
    test(`${prefix}: a certificate of one's own is stored, and its key is never answered`, async () => {
      const account = await server.signUp()
      const { token } = account
      const cn = await domain(account)
      const leaf = await makeLeaf(authority, [cn, `*.${cn}`])
      const body = { ca: authority.cert, cert: leaf.cert, key: leaf.key, domains: [`any.${cn}`] }
      const stored = await server.call(`PUT ${prefix}`, { token, body })
      assert.equal(stored.status, 200)
      assertGolden(`certificate/${generation}-uploaded`, stored.body)
      const [only] = await list(token)
      assert.deepEqual(only?.cns, [`*.${cn}`, cn])
      assert.equal(only?.autoRenew, false)
      assert.equal(only?.expiration, new X509Certificate(leaf.cert).validToDate.toISOString())
      const { sealedKey } = await kept(account, only?.uid ?? '')
      assert.ok(!sealedKey.includes('PRIVATE KEY'))
      const answers = [
        await server.call('GET /v3/platform/certs', { token }),
        await server.call(`GET /v3/platform/certs/${only?.uid}`, { token }),
        await server.call(`GET /platform/certs/${cn}`, { token }),
      ]
      for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer.body), /PRIVATE|BEGIN|sealed/i)
    })

  test('names are checked in order: their form, then whose they are, then what may be issued', async () => {
    const [anna, bert] = [await server.signUp(), await server.signUp()]
    const own = await domain(anna)
    const theirs = await domain(bert)
    const claimed = await domain(anna, { txtVerifiedAt: null })
    const contested = await domain(bert)
    await server.parts.stores.domains.add(sampleDomain({ ownerId: anna.id, name: contested }))
    const malformed = [
      'nodot',
      '',
      ' ',
      '.',
      'a..example',
      '-a.example',
      'a_b.example',
      '127.0.0.1',
      '[::1]',
      '*',
      '*.',
      '*.*.example',
      'a.*.example',
      '**.example',
      `${'x'.repeat(64)}.example`,
      `${'x.'.repeat(130)}example`,
      'https://a.example',
      'a.example:443',
      'a.example/path',
      '%61.example',
      'a@b.example',
      'x'.repeat(5000),
    ]
    for (const name of malformed) {
      const { status, body } = await issue(anna.token, [`unknown.test`, theirs, name])
      assert.deepEqual(
        [status, body.error.code, body.error.cn],
        [400, 'invalid_cn', name.slice(0, 300)],
        name,
      )
    }
    const cases: readonly [string, number, object][] = [
      [`a.unknown.test`, 404, { code: 'not_found', name: 'a.unknown.test' }],
      [`*.unknown.test`, 404, { code: 'not_found', name: 'unknown.test' }],
      [`www.${theirs}`, 403, { code: 'forbidden', domain: theirs }],
      [contested, 403, { code: 'forbidden', domain: contested }],
      ['site.localhost.', 403, { code: 'forbidden', domain: 'localhost' }],
      [claimed, 400, { code: 'domain_not_verified', domain: claimed }],
      [`*.${own}`, 400, { code: 'wildcard_not_allowed', domain: own }],
    ]
    for (const [name, status, expected] of cases) {
      const answer = await issue(anna.token, [own, name])
      const { message, ...error } = answer.body.error
      assert.deepEqual([answer.status, error], [status, expected], name)
      assert.ok(message.length > 0)
    }
    assert.deepEqual(await list(anna.token), [])
    assert.equal((await issue(anna.token, [`a.b.c.${own}`])).status, 200)
  })

  test('a longer domain that another account has verified is not the shorter one’s', async () => {
    const [anna, bert] = [await server.signUp(), await server.signUp()]
    const own = await domain(anna)
    const inner = await domain(bert, { name: `inner.${own}` })
    const { status, body } = await issue(anna.token, [`a.${inner}`])
    assert.deepEqual([status, body.error.domain], [403, inner])
    assert.equal((await issue(bert.token, [`a.${inner}`])).status, 200)
  })

  test('wildcards are issued where our nameservers answer, or the domain was bought here', async () => {
    const account = await server.signUp()
    const delegated = await domain(account, { nameservers: ['ns1.localhost', 'ns2.localhost'] })
    const bought = await domain(account, { txtVerifiedAt: null, boughtAt: 1 })
    for (const name of [delegated, bought]) {
      const { status, body } = await issue(account.token, [name, `*.${name}`])
      assert.equal(status, 200)
      const { cert } = await kept(account, body.uid)
      assert.match(new X509Certificate(cert).subjectAltName ?? '', new RegExp(`DNS:\\*\\.${name}`))
    }
  })

  test('names beyond ASCII are written in punycode', async () => {
    const account = await server.signUp()
    await domain(account, { name: 'xn--mller-kva.example' })
    const { body } = await issue(account.token, ['WWW.Müller.example'])
    assert.deepEqual((await kept(account, body.uid)).names, ['www.xn--mller-kva.example'])
  })

  test('the same names answer the same certificate until 30 days are left, or it shall be renewed', async () => {
    const account = await server.signUp()
    const cn = await domain(account)
    const first = await issue(account.token, [cn, `www.${cn}`])
    assert.deepEqual((await issue(account.token, [`www.${cn}`, cn])).body, first.body)
    const before = await kept(account, first.body.uid)
    const other = await issue(account.token, [cn])
    assert.notEqual(other.body.uid, first.body.uid)

    const renewed = await issue(account.token, [cn, `www.${cn}`], { renew: true })
    assert.deepEqual(renewed.body, first.body)
    const after = await kept(account, first.body.uid)
    assert.notEqual(after.cert, before.cert)
    assert.notEqual(after.sealedKey, before.sealedKey)

    const { body: lasting } = await server.call('POST /v3/user/tokens', {
      token: account.token,
      body: { name: 'lasting' },
    })
    server.clock.advance(61 * DAY)
    try {
      assert.deepEqual((await issue(lasting.bearerToken, [cn, `www.${cn}`])).body, first.body)
      const later = await kept(account, first.body.uid)
      assert.ok(later.expiresAt > after.expiresAt + 50 * DAY)
    } finally {
      server.clock.advance(-61 * DAY)
    }
  })

  test('an upload takes the place of the certificate for the same names, and keeps its uid', async () => {
    const account = await server.signUp()
    const cn = await domain(account)
    const { body: issued } = await issue(account.token, [cn])
    const leaf = await makeLeaf(authority, [cn])
    const stored = await upload(account.token, leaf)
    assert.deepEqual(stored.body, issued)
    const [only, ...more] = await list(account.token)
    assert.deepEqual([only?.uid, only?.autoRenew, more.length], [issued.uid, false, 0])
    const { cert, source, renewAt } = await kept(account, issued.uid)
    assert.deepEqual([source, renewAt], ['uploaded', null])

    const newer = await domain(account)
    await issue(account.token, [newer])
    const { body } = await server.call('PUT /v8/certs', {
      token: account.token,
      body: { ca: authority.cert, cert: leaf.cert, key: leaf.key },
    })
    assert.deepEqual([body.id, body.uid, body.cns], [issued.uid, issued.uid, [cn]], 'as other clients ask')
    assert.equal(new X509Certificate(cert).fingerprint256, new X509Certificate(leaf.cert).fingerprint256)
    assert.deepEqual((await issue(account.token, [cn])).body, issued, 'it is good for long, so it is the one')
    await issue(account.token, [cn], { renew: true })
    assert.deepEqual((await kept(account, issued.uid)).source, 'issued')
  })

  test('an upload is refused when it does not fit together or is not for the account’s domains', async () => {
    const [anna, bert] = [await server.signUp(), await server.signUp()]
    const [own, theirs] = [await domain(anna), await domain(bert)]
    const claimed = await domain(anna, { txtVerifiedAt: null })
    const good = await makeLeaf(authority, [own])
    const old = await makeLeaf(authority, [own], { from: Date.now() - 9 * DAY, to: Date.now() - DAY })
    const cases: readonly [Signer, object, number, object][] = [
      [good, { key: anyKey() }, 400, { code: 'invalid_cert' }],
      [good, { ca: (await makeAuthority()).cert }, 400, { code: 'invalid_cert' }],
      [good, { cert: 'text' }, 400, { code: 'invalid_cert' }],
      [old, {}, 400, { code: 'invalid_cert' }],
      [await makeLeaf(authority, [own, theirs]), {}, 403, { code: 'forbidden', domain: theirs }],
      [
        await makeLeaf(authority, ['localhost.localhost']),
        {},
        403,
        { code: 'forbidden', domain: 'localhost' },
      ],
      [await makeLeaf(authority, [claimed]), {}, 400, { code: 'domain_not_verified', domain: claimed }],
      [await makeLeaf(authority, ['a.unknown.test']), {}, 404, { code: 'not_found', name: 'a.unknown.test' }],
    ]
    for (const [leaf, more, status, expected] of cases) {
      const answer = await upload(anna.token, leaf, more)
      const { message, ...error } = answer.body.error
      assert.deepEqual([answer.status, error], [status, expected], message)
    }
    const earliest = await server.call('PUT /platform/certs', {
      token: anna.token,
      body: { ca: authority.cert, cert: good.cert, key: good.key, domains: [own, `www.${own}`] },
    })
    assert.deepEqual([earliest.status, earliest.body.error.code], [400, 'invalid_cert'])
    assert.match(earliest.body.error.message, new RegExp(`www\\.${own}`))
    assert.deepEqual(await list(anna.token), [])
    // A wildcard of one's own needs no nameservers of ours.
    assert.equal((await upload(anna.token, await makeLeaf(authority, [`*.${own}`]))).status, 200)
  })

  test('the earliest forms find the certificate for the name alone before others that have it too', async () => {
    const account = await server.signUp()
    const { token } = account
    const cn = await domain(account)
    const { body: alone } = await issue(token, [cn])
    const { body: several } = await issue(token, [cn, `a.${cn}`])
    const named = async () => {
      const { body } = await server.call(`GET /platform/certs/${cn}`, { token })
      return body.certs?.map(({ uid, cn: shown }: { uid: string; cn: string }) => [uid, shown])
    }
    assert.deepEqual(await named(), [
      [alone.uid, cn],
      [several.uid, cn],
    ])
    await server.call(`DELETE /platform/certs/${cn.toUpperCase()}`, { token })
    assert.deepEqual(await named(), [[several.uid, cn]])
    assert.equal((await server.call(`GET /platform/certs/b.${cn}`, { token })).status, 404)
    assert.equal((await server.call('GET /platform/certs/nodot', { token })).status, 404)
  })

  test('bad input is refused with the property named, and too many names as well', async () => {
    const account = await server.signUp()
    const cn = await domain(account)
    const bad: readonly [string, unknown, RegExp][] = [
      ['POST /v3/platform/certs', {}, /`domains`/],
      ['POST /v3/platform/certs', { domains: cn }, /`domains`/],
      ['POST /v3/platform/certs', { domains: [] }, /`domains`/],
      ['POST /v3/platform/certs', { domains: [7] }, /`domains/],
      ['POST /v3/platform/certs', { domains: [cn], renew: 'yes' }, /`renew`/],
      ['POST /platform/certs', { domains: Array(101).fill(cn) }, /`domains`/],
      ['PUT /v3/platform/certs', { ca: 'x', cert: 'x' }, /`key`/],
      ['PUT /v3/platform/certs', { ca: '', cert: 'x', key: 'x' }, /`ca`/],
      ['PUT /v3/platform/certs', { ca: 'x', cert: 'x'.repeat(100_001), key: 'x' }, /`cert`/],
      ['PUT /platform/certs', { ca: 'x', cert: 'x', key: 'x' }, /`domains`/],
    ]
    for (const [on, body, message] of bad) {
      const answer = await server.call(on, { token: account.token, body })
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'bad_request'], on)
      assert.match(answer.body.error.message, message)
    }
    const hundred = Array.from({ length: 100 }, (_, i) => `n${i}.${cn}`)
    assert.equal((await issue(account.token, hundred)).status, 200)
  })

  test('what is another account’s is not there, and the list goes page by page', async () => {
    const [anna, bert] = [await server.signUp(), await server.signUp()]
    const cn = await domain(anna)
    const { body: issued } = await issue(anna.token, [cn])
    server.clock.advance(1)
    const { body: second } = await issue(anna.token, [`www.${cn}`])
    for (const on of [
      `GET /v3/platform/certs/${issued.uid}`,
      `DELETE /v3/platform/certs/${issued.uid}`,
      `GET /platform/certs/${cn}`,
      `DELETE /platform/certs/${cn}`,
    ]) {
      const { status, body } = await server.call(on, { token: bert.token })
      assert.deepEqual([status, body.error.code], [404, 'cert_not_found'], on)
    }
    assert.deepEqual(await list(bert.token), [])
    const { body: page } = await server.call('GET /v3/platform/certs?limit=1', { token: anna.token })
    assert.equal(page.certs[0].uid, second.uid)
    const { body: rest } = await server.call(`GET /v3/platform/certs?until=${page.pagination.next}`, {
      token: anna.token,
    })
    assert.deepEqual(
      rest.certs.map(({ uid }: { uid: string }) => uid),
      [issued.uid],
    )
  })

  test('one of many that ask for the same names at once has it made, and all get the same', async () => {
    const account = await server.signUp()
    const cn = await domain(account)
    const answers = await Promise.all(Array.from({ length: 5 }, () => issue(account.token, [cn])))
    assert.equal(new Set(answers.map(({ body }) => body.uid)).size, 1)
    assert.equal((await list(account.token)).length, 1)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE, YEAR } from '#contract/time.ts'
import { ZONES_TOPIC } from '#core/dns/zone.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { startNamecom } from '#test/support/namecom.ts'
import { sampleDomain, sampleOrder } from '#test/support/samples.ts'
import { startServer } from '#test/support/server.ts'

let count = 0
const fresh = (suffix = 'com') => `fresh-name-${++count}.${suffix}`

apiSuite('buying and moving domains', (server) => {
  const buy = (token: string, body: unknown, version = 'v4') =>
    server.call(`POST /${version}/domains/buy`, { token, body })
  const available = async (token: string, name: string) =>
    (await server.call(`GET /v4/domains/status?name=${name}`, { token })).body.available
  const moveIn = (token: string, body: object) =>
    server.call('POST /v4/domains', { token, body: { method: 'transfer-in', ...body } })
  const domain = async (token: string, name: string) =>
    (await server.call(`GET /v4/domains/${name}`, { token })).body.domain
  /** Does what comes round by itself. */
  const comeRound = async () => {
    const { token } = await server.operator()
    for (const job of ['registrar.settle', 'registrar.transfers'])
      assert.equal((await server.call(`POST /v1/operator/jobs/${job}/run`, { token })).status, 200)
    await server.runJobs()
  }
  const code = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
    status,
    body.error?.code,
  ]

  test('the price of a year is told for each kind of purchase, in both versions', async () => {
    const { token } = await server.signUp()
    const prices: [string, number][] = [
      ['com', 12],
      ['net', 12],
      ['org', 12],
      ['dev', 13],
      ['app', 15],
      ['io', 39],
      ['co', 28],
      ['sh', 45],
      ['me', 18],
      ['xyz', 10],
      ['rocks', 12],
    ]
    const kinds = ['', '&type=new', '&type=renewal', '&type=transfer']
    for (const [i, [tld, price]] of prices.entries())
      for (const version of ['v4', 'v2']) {
        const query = `name=a-name.${tld}${kinds[i % kinds.length]}`
        const { status, body } = await server.call(`GET /${version}/domains/price?${query}`, { token })
        assert.deepEqual([status, body], [200, { price, period: 1 }])
      }
  })

  test('names that nobody can buy are refused, wherever they are asked for', async () => {
    const { token } = await server.signUp()
    const bad: [string, string][] = [
      ['', 'missing_name'],
      ['?name=', 'missing_name'],
      ['?name=com', 'invalid_domain'],
      ['?name=www.example.com', 'invalid_domain'],
      ['?name=example.museum', 'invalid_domain'],
      ['?name=example.co.uk', 'invalid_domain'],
      ['?name=not%20a%20name.com', 'invalid_domain'],
      ['?name=192.0.2.1', 'invalid_domain'],
    ]
    for (const [query, expected] of bad)
      for (const version of ['v4', 'v2'])
        for (const what of ['status', 'price']) {
          const answer = await server.call(`GET /${version}/domains/${what}${query}`, { token })
          assert.deepEqual(code(answer), [400, expected], `${version} ${what} ${query}`)
          assert.equal('url' in answer.body.error, version === 'v2')
        }
    const odd = await server.call('GET /v4/domains/price?name=a.com&type=gift', { token })
    assert.deepEqual(code(odd), [400, 'bad_request'])
    for (const [body, expected] of [
      [{ expectedPrice: 12 }, 'missing_name'],
      [{ name: 'example.museum', expectedPrice: 12 }, 'invalid_domain'],
      [{ name: fresh() }, 'bad_request'],
      [{ name: fresh(), expectedPrice: '12' }, 'bad_request'],
    ] as const)
      assert.deepEqual(code(await buy(token, body)), [400, expected])
  })

  test('a domain is bought once, is verified, and has a zone', async (t) => {
    const [buyer, other] = [await server.signUp(), await server.signUp()]
    const name = fresh()
    const told: string[] = []
    t.after(server.hear(ZONES_TOPIC, (zone) => told.push(zone)))
    assert.equal(await available(buyer.token, name), true)
    const wrong = await buy(buyer.token, { name, expectedPrice: 11 })
    assert.deepEqual([...code(wrong), wrong.body.error.price], [400, 'price_mismatch', 12])
    assert.equal(await available(buyer.token, name), true, 'nothing was bought')

    const bought = await buy(buyer.token, { name: name.toUpperCase(), expectedPrice: 12 })
    assert.deepEqual([bought.status, bought.body], [200, ''])
    const shown = await domain(buyer.token, name)
    assert.deepEqual([shown.verified, shown.serviceType], [true, 'provider.world'])
    assert.ok(Math.abs(shown.expiresAt - shown.boughtAt - YEAR) < MINUTE)
    assert.ok((await server.parts.zones.find(`www.${name}`))?.name === name)
    assert.ok(told.includes(name))
    const { body: records } = await server.call(`GET /v2/domains/${name}/records`, { token: buyer.token })
    assert.equal(records.records.length, 3)

    assert.equal(await available(other.token, name), false)
    assert.deepEqual((await server.call(`GET /v2/domains/status?name=${name}`, other)).body, {
      status: false,
    })
    for (const { token } of [buyer, other])
      assert.deepEqual(code(await buy(token, { name, expectedPrice: 12 })), [403, 'not_available'])
  })

  test('the older version needs no price, but minds one that is given', async () => {
    const { token } = await server.signUp()
    const name = fresh('io')
    const wrong = await buy(token, { name, expectedPrice: 12 }, 'v2')
    assert.deepEqual([...code(wrong), wrong.body.error.price], [400, 'price_mismatch', 39])
    assert.deepEqual((await buy(token, { name }, 'v2')).status, 200)
    assert.equal((await domain(token, name)).verified, true)
  })

  test('of many that buy a name at once, one account has it, for one payment', async () => {
    const [one, two] = [await server.signUp(), await server.signUp()]
    const name = fresh()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => buy((i % 2 ? one : two).token, { name, expectedPrice: 12 })),
    )
    const paid = answers.map(({ status }) => status)
    assert.ok(paid.includes(200))
    for (const answer of answers)
      if (answer.status !== 200) assert.deepEqual(code(answer), [403, 'not_available'])
    const winners = new Set(paid.flatMap((status, i) => (status === 200 ? [i % 2] : [])))
    assert.equal(winners.size, 1)
    const order = await server.parts.stores.orders.find(name)
    assert.equal(order?.state, 'done')
    assert.equal(order?.ownerId, (winners.has(1) ? one : two).id)
  })

  test('a claim that was not proved gives way to a purchase', async () => {
    const [claimer, buyer] = [await server.signUp(), await server.signUp()]
    const name = fresh()
    const { domains } = server.parts.stores
    await domains.add(sampleDomain({ ownerId: claimer.id, name }))
    await domains.add(sampleDomain({ ownerId: buyer.id, name }))
    assert.equal((await buy(buyer.token, { name, expectedPrice: 12 })).status, 200)
    assert.equal((await domain(buyer.token, name)).verified, true)
    assert.equal(await domains.find(claimer.id, name), undefined)
  })

  test('what an account has proved cannot be bought', async () => {
    const [holder, buyer] = [await server.signUp(), await server.signUp()]
    const name = fresh()
    await server.parts.stores.domains.add(sampleDomain({ ownerId: holder.id, name, txtVerifiedAt: 1 }))
    assert.equal(await available(buyer.token, name), false)
    assert.deepEqual(code(await buy(buyer.token, { name, expectedPrice: 12 })), [403, 'not_available'])
    const move = await moveIn(buyer.token, { name, authCode: 'abcdef', expectedPrice: 12 })
    assert.deepEqual([...code(move), move.body.error.domain], [403, 'forbidden', name])
  })

  test('a purchase that was cut off before it was paid is forgotten, and goes on when it is repeated', async () => {
    const { id, token } = await server.signUp()
    const other = await server.signUp()
    const [forgotten, repeated] = [fresh(), fresh()]
    const { orders } = server.parts.stores
    for (const name of [forgotten, repeated])
      await orders.begin(sampleOrder({ ownerId: id, creatorId: id, name, createdAt: server.clock.now() }))
    assert.deepEqual(code(await buy(other.token, { name: repeated, expectedPrice: 12 })), [
      403,
      'not_available',
    ])
    const wrong = await buy(token, { name: repeated, expectedPrice: 13 })
    assert.deepEqual([...code(wrong), wrong.body.error.price], [400, 'price_mismatch', 12])
    assert.equal((await buy(token, { name: repeated, expectedPrice: 12 })).status, 200)
    await comeRound()
    assert.equal((await orders.find(forgotten))?.state, 'pending', 'somebody may be about to pay')
    server.clock.advance(20 * MINUTE)
    await comeRound()
    assert.equal(await orders.find(forgotten), undefined)
    assert.equal(await available(token, forgotten), true)
  })

  test('a purchase that was cut off after it was paid is shown by the job, and by a repetition', async () => {
    const { id, token } = await server.signUp()
    const { orders, domains } = server.parts.stores
    const { registrar, clock } = { registrar: server.parts.registrar, clock: server.clock }
    const paid = async (state: 'pending' | 'paid') => {
      const order = sampleOrder({ ownerId: id, creatorId: id, name: fresh(), createdAt: clock.now() })
      await orders.begin(order)
      const { expiresAt } = await registrar.buy({ ...order, nameservers: [] })
      if (state === 'paid') await orders.update(order.name, order.key, { state, expiresAt })
      return { ...order, expiresAt }
    }
    const [silent, confirmed, repeated] = [await paid('pending'), await paid('paid'), await paid('pending')]
    assert.equal((await buy(token, { name: repeated.name, expectedPrice: 12 })).status, 200)
    assert.equal((await domains.find(id, repeated.name))?.expiresAt, repeated.expiresAt)
    clock.advance(20 * MINUTE)
    await comeRound()
    for (const { name, expiresAt } of [silent, confirmed]) {
      const shown = await domain(token, name)
      assert.deepEqual([shown.verified, shown.expiresAt], [true, expiresAt], name)
      assert.equal((await orders.find(name))?.state, 'done')
    }
  })

  test('a domain is moved here step by step', async () => {
    const [mover, other] = [await server.signUp(), await server.signUp()]
    const name = fresh()
    const registry = async (token: string) =>
      (await server.call(`GET /v4/domains/${name}/registry`, { token })).body
    assertGolden('registrar/registry', await registry(mover.token))
    for (const [body, expected] of [
      [{ authCode: 'abcdef', expectedPrice: 12 }, 'missing_name'],
      [{ name, expectedPrice: 12 }, 'bad_request'],
      [{ name, authCode: 'abcdef' }, 'bad_request'],
      [{ name: 'a b', authCode: 'abcdef', expectedPrice: 12 }, 'invalid_name'],
      [{ name: `www.${name}`, authCode: 'abcdef', expectedPrice: 12 }, 'not_transferable'],
      [{ name: 'example.museum', authCode: 'abcdef', expectedPrice: 12 }, 'not_transferable'],
      [{ name, authCode: 'abcdef', expectedPrice: 1 }, 'price_mismatch'],
      [{ name, authCode: 'abc', expectedPrice: 12 }, 'invalid_auth_code'],
      [{ name, authCode: 'abc def', expectedPrice: 12 }, 'invalid_auth_code'],
    ] as const)
      assert.deepEqual(code(await moveIn(mover.token, body)), [400, expected], JSON.stringify(body))

    const begun = await moveIn(mover.token, { name, authCode: 'abcdef', expectedPrice: 12 })
    assert.equal(begun.status, 200)
    const { transferStartedAt, transferredAt, verified } = begun.body.domain
    assert.deepEqual([typeof transferStartedAt, transferredAt, verified], ['number', null, false])
    assert.deepEqual(code(await moveIn(mover.token, { name, authCode: 'abcdef', expectedPrice: 12 })), [
      409,
      'domain_already_exists',
    ])
    const taken = await moveIn(other.token, { name, authCode: 'abcdef', expectedPrice: 12 })
    assert.deepEqual(code(taken), [400, 'not_transferable'])
    assert.deepEqual(code(await buy(other.token, { name, expectedPrice: 12 })), [403, 'not_available'])

    const seen: string[] = []
    for (let i = 0; i < 4; i++) {
      seen.push((await registry(mover.token)).status)
      await comeRound()
      if (i < 3) assert.equal((await domain(mover.token, name)).transferredAt, null)
      server.clock.advance(MINUTE)
    }
    assert.deepEqual(seen, ['pending_owner', 'pending_admin', 'pending_registry', 'completed'])
    assert.equal((await registry(other.token)).status, 'undef', 'whose transfer it is does not show')
    const moved = await domain(mover.token, name)
    assert.deepEqual([moved.verified, moved.serviceType], [true, 'provider.world'])
    assert.ok(moved.transferredAt >= transferStartedAt + 3 * MINUTE)
    assert.ok(Math.abs(moved.expiresAt - moved.transferredAt - YEAR) < MINUTE)
    assert.ok(await server.parts.zones.find(name))
    assertGolden('registrar/registry-completed', await registry(mover.token))
  })

  test('a domain that is deleted on its way here stays so', async () => {
    const { token } = await server.signUp()
    const name = fresh()
    assert.equal((await moveIn(token, { name, authCode: 'abcdef', expectedPrice: 12 })).status, 200)
    const remove = () => server.call(`DELETE /v4/domains/${name}`, { token })
    assert.equal((await remove()).status, 200)
    const again = await moveIn(token, { name, authCode: 'abcdef', expectedPrice: 12 })
    assert.equal(again.status, 200, 'unless it is wanted again')
    assert.equal((await remove()).status, 200)
    server.clock.advance(10 * MINUTE)
    await comeRound()
    assert.equal((await server.call(`GET /v4/domains/${name}`, { token })).status, 404)
    assert.equal((await server.parts.stores.orders.find(name))?.state, 'done')
  })

  test('what is sold, where there is no room for it, is refused with the plan', async () => {
    const { token, email } = await server.signUp()
    const operator = await server.operator()
    await server.call(`PATCH /v1/operator/accounts/${email}`, {
      token: operator.token,
      body: { plan: 'free' },
    })
    const name = fresh()
    const refused = [403, 'custom_domain_needs_upgrade']
    assert.deepEqual(code(await buy(token, { name, expectedPrice: 12 })), refused)
    assert.deepEqual(code(await moveIn(token, { name, authCode: 'abcdef', expectedPrice: 12 })), refused)
  })
})

test('nobody buys the platform’s own domain, nor moves it into an account', async (t) => {
  const server = await startServer({ env: { ALOFT_DOMAIN: 'sites.app' } })
  t.after(() => server.close())
  const { token } = await server.signUp()
  const status = await server.call('GET /v4/domains/status?name=sites.app', { token })
  assert.deepEqual([status.status, status.body], [200, { available: false }])
  const order = { name: 'sites.app', expectedPrice: 15 }
  const bought = await server.call('POST /v4/domains/buy', { token, body: order })
  assert.deepEqual([bought.status, bought.body.error?.code], [403, 'not_available'])
  const transfer = { ...order, method: 'transfer-in', authCode: 'secret-code' }
  const moved = await server.call('POST /v4/domains', { token, body: transfer })
  assert.deepEqual([moved.status, moved.body.error?.domain], [403, 'sites.app'])
  assert.deepEqual((await server.call('GET /v4/domains', { token })).body.domains, [])
})

test('domains are bought of a registrar that is far away, which may be silent', async (t) => {
  const service = await startNamecom()
  t.after(() => service.close())
  const server = await startServer({
    env: {
      ALOFT_REGISTRAR: 'name.com',
      ALOFT_REGISTRAR_URL: service.url,
      ALOFT_REGISTRAR_USER: service.user,
      ALOFT_REGISTRAR_KEY: service.token,
    },
  })
  t.after(() => server.close())
  const { token } = await server.signUp()
  const price = () => server.call('GET /v4/domains/price?name=example.com', { token })
  assert.deepEqual((await price()).body, { price: 13, period: 1 })
  service.failures.push(500, 500, 500)
  const silent = await price()
  assert.deepEqual([silent.status, silent.body.error.code], [503, 'service_unavailable'])
  assert.ok(silent.headers.get('retry-after'))

  const buy = (name: string) =>
    server.call('POST /v4/domains/buy', { token, body: { name, expectedPrice: 13 } })
  service.taken.add('taken.com')
  assert.equal((await buy('taken.com')).body.error.code, 'not_available')
  // Paid, and the answer lost on its way: asking again pays nothing more.
  service.failures.push('none', 'none', 'none', 'cut')
  assert.equal((await buy('example.com')).status, 503)
  assert.equal(service.payments.size, 1)
  assert.equal((await buy('example.com')).status, 200)
  assert.equal(service.payments.size, 1)
  const { body } = await server.call('GET /v4/domains/example.com', { token })
  assert.deepEqual([body.domain.verified, body.domain.expiresAt], [true, Date.parse('2030-01-02T03:04:05Z')])
  // The same, while the price has become another.
  service.failures.push('none', 'none', 'none', 'cut')
  assert.equal((await buy('again.com')).status, 503)
  service.prices.set('com', { purchasePrice: 20, transferPrice: 13 })
  assert.equal((await buy('again.com')).status, 200)
  assert.equal(service.payments.size, 2)
  // What the operator has there already is nobody's to move, and to ask of it changes nothing.
  const held = { nameservers: ['ns.operator.test'], expireDate: '2030-01-02T03:04:05Z' }
  service.taken.add('operator.com')
  service.held.set('operator.com', held)
  service.transfers.set('operator.com', 'completed')
  assert.equal((await server.call('GET /v4/domains/operator.com/registry', { token })).status, 200)
  const move = { method: 'transfer-in', name: 'operator.com', authCode: 'abcdef', expectedPrice: 13 }
  const refused = await server.call('POST /v4/domains', { token, body: move })
  assert.deepEqual(
    [refused.body.error.code, await server.parts.stores.orders.find('operator.com')],
    ['not_transferable', undefined],
  )
  assert.deepEqual(service.held.get('operator.com'), held)
})

apiSuite(
  'how often domains are bought and moved',
  (server) => {
    test('purchases and transfers are ten an hour together, additions are not counted with them', async () => {
      const { token } = await server.signUp()
      const moveIn = () =>
        server.call('POST /v4/domains', {
          token,
          body: { method: 'transfer-in', name: fresh(), authCode: 'x', expectedPrice: 12 },
        })
      const buy = () =>
        server.call('POST /v4/domains/buy', { token, body: { name: fresh(), expectedPrice: 12 } })
      for (let i = 0; i < 5; i++) {
        assert.equal((await moveIn()).body.error.code, 'invalid_auth_code')
        assert.equal((await buy()).status, 200)
      }
      const refused = await moveIn()
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_requests'])
      assert.deepEqual(
        [refused.body.error.limit.total, refused.headers.has('retry-after')],
        [10, true],
        JSON.stringify(refused.body),
      )
      assert.equal((await buy()).status, 429)
      const body = { name: fresh() }
      assert.equal((await server.call('POST /v4/domains', { token, body })).status, 200)
    })
  },
  { env: { ALOFT_RATE_LIMIT: '' } },
)

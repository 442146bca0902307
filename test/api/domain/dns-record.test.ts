import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ZONES_TOPIC } from '#core/dns/zone.ts'
import type { Domain } from '#core/domain/domain.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { sampleDnsRecord, sampleDomain } from '#test/support/samples.ts'

const PREFIXES = ['/v2/domains', '/domains'] as const

apiSuite('DNS records', (server) => {
  /** An account with a domain; with `ours` it is one that we answer for. */
  async function holder(given: Partial<Domain> & { readonly ours?: boolean } = {}) {
    const account = await server.signUp()
    const { ours, ...rest } = given
    const domain = sampleDomain({
      ownerId: account.id,
      createdAt: server.clock.now() - 1000,
      ...(ours ? { nameservers: ['ns1.localhost', 'ns2.localhost'], nsVerifiedAt: 1 } : {}),
      ...rest,
    })
    assert.equal(await server.parts.stores.domains.add(domain), true)
    const at = `/v2/domains/${domain.name}/records`
    return {
      ...account,
      domain,
      at,
      add: (body: unknown) => server.call(`POST ${at}`, { token: account.token, body }),
      list: async () => (await server.call(`GET ${at}`, { token: account.token })).body.records,
    }
  }

  for (const prefix of PREFIXES)
    test(`${prefix}: a record is made, listed and deleted`, async () => {
      const generation = prefix === '/v2/domains' ? 'current' : 'earliest'
      const { token, id, domain } = await holder()
      const at = `${prefix}/${domain.name}/records`
      const fields = { name: 'www', type: 'A', value: '192.0.2.1' }
      const body = generation === 'earliest' ? { data: fields } : fields
      const made = await server.call(`POST ${at}`, { token, body })
      assert.equal(made.status, 200)
      assert.deepEqual(Object.keys(made.body), ['uid'])
      assert.match(made.body.uid, /^rec_[0-9A-Za-z]{24}$/)

      const list = await server.call(`GET ${at}`, { token })
      const settled = JSON.parse(JSON.stringify(list.body).replaceAll(domain.name, 'example.com'))
      assertGolden(`dns-record/${generation}-list`, settled)
      assert.equal(list.body.records[0].creator, id)
      assert.equal(list.body.records[0].id, made.body.uid)
      // acme.sh reads it as text.
      assert.deepEqual(Object.keys(list.body.records[0]).slice(0, 5), ['id', 'slug', 'name', 'type', 'value'])

      const taken = await server.call(`POST ${at}`, { token, body })
      assert.equal(taken.status, 409)
      assert.deepEqual([taken.body.error.code, taken.body.error.oldId], ['record_conflict', made.body.uid])
      assert.equal('url' in taken.body.error, generation === 'earliest')

      const deleted = await server.call(`DELETE ${at}/${made.body.uid}`, { token })
      assert.deepEqual([deleted.status, deleted.body], [200, ''])
      const gone = await server.call(`DELETE ${at}/${made.body.uid}`, { token })
      assert.deepEqual([gone.status, gone.body.error.code], [404, 'not_found'])
      assert.deepEqual((await server.call(`GET ${at}`, { token })).body.records, [])
    })

  test('values are read in the form of their type and shown as they are kept', async () => {
    const { add, list } = await holder()
    const good: [type: string, given: string, kept?: string][] = [
      ['A', '192.0.2.1'],
      ['AAAA', '2001:DB8::1', '2001:db8::1'],
      ['ALIAS', 'Host.Example.com.', 'host.example.com'],
      ['CAA', '0 issue "letsencrypt.org"'],
      ['CAA', '128 ISSUEWILD ;', '128 issuewild ";"'],
      ['MX', '10 Mail.Example.com.', '10 mail.example.com'],
      ['MX', '0 .'],
      ['SRV', '10  5 5060 sip.example.com', '10 5 5060 sip.example.com'],
      ['TXT', 'v=spf1 include:_spf.example.com ~all'],
      ['TXT', ' "quoted" \t grün '],
      ['TXT', 'x'.repeat(4096)],
    ]
    for (const [type, value, kept = value] of good) {
      const made = await add({ name: '', type, value })
      assert.equal(made.status, 200, `${type} ${value}`)
      const found = (await list()).find((one: { id: string }) => one.id === made.body.uid)
      assert.deepEqual([found.type, found.value], [type, kept])
    }
    assert.equal((await add({ name: 'idn', type: 'CNAME', value: 'bücher.example' })).status, 200)
    assert.equal((await list())[0].value, 'xn--bcher-kva.example')
  })

  test('a value that does not have the form is refused, and the message says which form', async () => {
    const { add, list, domain } = await holder()
    const bad: [type: string, expected: RegExp, ...values: string[]][] = [
      ['A', /IPv4/, '', '1.2.3', '1.2.3.256', '2001:db8::1', 'example.com', '01.2.3.4'],
      ['AAAA', /IPv6/, '', '192.0.2.1', 'fe80::1%eth0', '2001:::1'],
      ['ALIAS', /host name/, '', '192.0.2.1', 'a b', '-a.com', 'a..b', `${'a'.repeat(64)}.com`, '.'],
      ['CNAME', /host name/, '', 'https://a.com', 'a.com/x', '*', `x.${domain.name}`],
      [
        'CAA',
        /<flags> <tag>/,
        '',
        'issue "x"',
        '256 issue "x"',
        '0 is-sue "x"',
        '0 issue "a"b"',
        '0 issue a b',
        '0 issue "a\\b"',
        '0 issue a\\',
      ],
      ['MX', /<priority> <host>/, '', 'mail.a.com', '10', '65536 mail.a.com', '-1 a.com', '10 a.com b.com'],
      ['SRV', /<priority> <weight> <port> <target>/, '', '1 2 a.com', '1 2 65536 a.com', '1 2 3 a b'],
      ['TXT', /text/, '', 'a\nb', 'x'.repeat(4097), 'ä'.repeat(2049), '\ud800'],
    ]
    for (const [type, expected, ...values] of bad)
      for (const value of values) {
        const { status, body } = await add({ name: 'x', type, value })
        assert.deepEqual([status, body.error.code], [400, 'invalid_value'], `${type} ${value}`)
        if (!value.endsWith(domain.name)) assert.match(body.error.message, expected)
      }
    assert.deepEqual(await list(), [])
  })

  test('names are below the domain, in lower case, with wildcards in front and `_` anywhere', async () => {
    const { add, list, domain } = await holder()
    const good: [given: string, kept: string][] = [
      ['', ''],
      ['@', ''],
      ['WWW', 'www'],
      ['a.b.c', 'a.b.c'],
      ['*', '*'],
      ['*.Shop', '*.shop'],
      ['_sip._tcp', '_sip._tcp'],
      ['bücher', 'xn--bcher-kva'],
      [domain.name, domain.name],
    ]
    for (const [i, [name, kept]] of good.entries()) {
      assert.equal((await add({ name, type: 'TXT', value: String(i) })).status, 200, name)
      assert.equal((await list()).find((one: { value: string }) => one.value === String(i)).name, kept)
    }
    const long = Array.from({ length: 4 }, () => 'a'.repeat(62)).join('.')
    for (const name of [
      'a..b',
      '.',
      'a.',
      'a b',
      'a.*',
      '**',
      '*a',
      '-a',
      'a-',
      'a'.repeat(64),
      long,
      'a/b',
      '@.a',
    ]) {
      const { status, body } = await add({ name, type: 'TXT', value: 'x' })
      assert.deepEqual([status, body.error.code], [400, 'invalid_name'], name)
    }
  })

  test('what is missing is named in order', async () => {
    const { add } = await holder()
    const rows: [unknown, string][] = [
      [{}, 'missing_name'],
      [{ type: 'X', value: '' }, 'missing_name'],
      [{ name: 'a' }, 'missing_type'],
      [{ name: 'a', type: '', value: '' }, 'missing_type'],
      [{ name: 'a', type: 'NS', value: 'x' }, 'invalid_type'],
      [{ name: 'a', type: 'a', value: 'x' }, 'invalid_type'],
      [{ name: 'a', type: 'A' }, 'bad_request'],
      [{ name: 'a', type: 'A', value: 'x' }, 'invalid_value'],
      [{ name: 7, type: 'A', value: '192.0.2.1' }, 'bad_request'],
      [{ name: 'a', type: 'A', value: 7 }, 'bad_request'],
      [{ name: 'a', type: 'MX', value: 'mail.a.com', mxPriority: -1 }, 'bad_request'],
    ]
    for (const [body, code] of rows) {
      const answer = await add(body)
      assert.deepEqual([answer.status, answer.body.error.code], [400, code], JSON.stringify(body))
    }
    assert.equal((await add({ name: 'a', type: 'A', value: '192.0.2.1', unknown: true })).status, 200)
  })

  test('older forms give the priority of a mail server apart', async () => {
    const { token, domain, add, list } = await holder()
    const body = { name: '', type: 'MX', value: 'mail.example.com', mxPriority: 5 }
    assert.equal((await add(body)).status, 200)
    const nested = { data: { ...body, mxPriority: 0 } }
    assert.equal(
      (await server.call(`POST /domains/${domain.name}/records`, { token, body: nested })).status,
      200,
    )
    assert.deepEqual((await list()).map((one: { value: string }) => one.value).sort(), [
      '0 mail.example.com',
      '5 mail.example.com',
    ])
    const twice = await add({ ...body, value: '10 mail.example.com' })
    assert.equal(twice.body.error.code, 'invalid_value')
    assert.equal((await add({ name: 'b', type: 'A', value: '192.0.2.1', mxPriority: 5 })).status, 200)
  })

  test('the parts of a service may come apart from each other', async () => {
    const { token, domain, add, list } = await holder()
    const srv = { priority: 10, weight: 5, port: 5060, target: 'sip.example.com' }
    const { uid } = (await add({ name: '_sip._tcp', type: 'SRV', srv, ttl: 60 })).body
    const data = { name: '_sip._udp', type: 'SRV', srv: { ...srv, target: '.' } }
    await server.call(`POST /domains/${domain.name}/records`, { token, body: { data } })
    const values = async () => (await list()).map((one: { value: string }) => one.value)
    assert.deepEqual((await values()).sort(), ['10 5 5060 .', '10 5 5060 sip.example.com'])
    const on = `PATCH /v2/domains/records/${uid}`
    await server.call(on, { token, body: { srv: { ...srv, port: 5061 } } })
    assert.deepEqual((await values()).sort(), ['10 5 5060 .', '10 5 5061 sip.example.com'])
    const partly = await add({ name: 'b', type: 'SRV', srv: { ...srv, port: '5060' } })
    assert.deepEqual([partly.status, partly.body.error.code], [400, 'bad_request'])
  })

  test('of a mail server, the priority or the host is changed alone', async () => {
    const { token, add, list } = await holder()
    const { uid } = (await add({ name: '', type: 'MX', value: 'mail.example.com', mxPriority: 5 })).body
    for (const [change, value] of [
      [{ mxPriority: 20 }, '20 mail.example.com'],
      [{ value: 'other.example.com' }, '20 other.example.com'],
      [{ value: '1 third.example.com' }, '1 third.example.com'],
      [{ value: 'last.example.com', mxPriority: 0 }, '0 last.example.com'],
    ] as const) {
      const on = `PATCH /v2/domains/records/${uid}`
      assert.equal((await server.call(on, { token, body: change })).status, 200)
      assert.deepEqual(
        (await list()).map((one: { value: string }) => one.value),
        [value],
      )
    }
  })

  test('nothing stands beside an alias, and nothing is there twice', async () => {
    const { add } = await holder()
    const alias = await add({ name: 'a', type: 'CNAME', value: 'x.example.com' })
    const address = await add({ name: 'b', type: 'AAAA', value: '2001:db8::1' })
    const refused: [unknown, string][] = [
      [{ name: 'a', type: 'A', value: '192.0.2.1' }, alias.body.uid],
      [{ name: 'A', type: 'CNAME', value: 'X.example.com' }, alias.body.uid],
      [{ name: 'a', type: 'CNAME', value: 'y.example.com' }, alias.body.uid],
      [{ name: 'b', type: 'CNAME', value: 'x.example.com' }, address.body.uid],
      [{ name: 'b', type: 'AAAA', value: '2001:0db8:0::1' }, address.body.uid],
    ]
    for (const [body, oldId] of refused) {
      const answer = await add(body)
      assert.deepEqual(
        [answer.status, answer.body.error.code, answer.body.error.oldId],
        [409, 'record_conflict', oldId],
      )
    }
    assert.equal((await add({ name: 'b', type: 'AAAA', value: '2001:db8::2' })).status, 200)
    assert.equal((await add({ name: 'c.a', type: 'A', value: '192.0.2.1' })).status, 200)
  })

  test('one of many equal records that are made at once is there', async () => {
    const { add, list } = await holder()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => add({ name: 'a', type: 'A', value: '192.0.2.1' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
    assert.equal((await list()).length, 1)
  })

  test('slugs tell addresses by their name and the others apart', async () => {
    const { add, list, domain } = await holder()
    const rows: [name: string, type: string, value: string, slug: RegExp][] = [
      ['www', 'A', '192.0.2.1', new RegExp(`^www\\.${domain.name}\\.-address$`)],
      ['', 'ALIAS', 'x.example.com', new RegExp(`^${domain.name}\\.-address$`)],
      ['mail', 'MX', '1 x.example.com', /^mail-mx-[0-9a-f]{6}$/],
      ['', 'TXT', 'x', /^-txt-[0-9a-f]{6}$/],
    ]
    for (const [name, type, value, slug] of rows) {
      const { body } = await add({ name, type, value })
      const found = (await list()).find((one: { id: string }) => one.id === body.uid)
      assert.match(found.slug, slug)
    }
  })

  test('a domain that we answer for has records of the system, which give way to others', async () => {
    const { add, list, token, at } = await holder({ ours: true, name: 'system-records.com' })
    const system = await list()
    const settled = JSON.stringify(system).replace(/-caa-[0-9a-f]{6}/, '-caa-<hex>')
    assertGolden('dns-record/system-list', JSON.parse(settled))
    assert.deepEqual(await list(), system, 'they are the same each time')
    for (const { id } of system) {
      const answer = await server.call(`DELETE ${at}/${id}`, { token })
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'])
    }
    const brief = (all: { type: string; creator: string }[]) =>
      all.filter(({ creator }) => creator === 'system').map(({ type }) => type)
    const own = await add({ name: '@', type: 'ALIAS', value: 'x.example.com' })
    assert.deepEqual(brief(await list()), ['CNAME', 'CAA'])
    await add({ name: '', type: 'CAA', value: '0 issue "ca.example.com"' })
    await add({ name: '*', type: 'CNAME', value: 'x.example.com' })
    assert.deepEqual(brief(await list()), [])
    await server.call(`DELETE ${at}/${own.body.uid}`, { token })
    assert.deepEqual(brief(await list()), ['ALIAS'])
  })

  test('a change is told, and shows in the zone with a newer serial', async (t) => {
    const { add, domain, token, at } = await holder({ ours: true })
    const told: string[] = []
    t.after(server.hear(ZONES_TOPIC, (zone) => told.push(zone)))
    const before = await server.parts.zones.find(domain.name)
    const { body } = await add({ name: 'told', type: 'A', value: '192.0.2.9' })
    const after = await server.parts.zones.find(`told.${domain.name}`)
    assert.ok(after?.records.some(({ value }) => value === '192.0.2.9'))
    await server.call(`DELETE ${at}/${body.uid}`, { token })
    const last = await server.parts.zones.find(domain.name)
    assert.deepEqual(last?.records, before?.records)
    const serials = [before, after, last].map((zone) => zone?.serial ?? 0)
    assert.deepEqual(
      serials,
      [...new Set(serials)].sort((a, b) => a - b),
    )
    assert.deepEqual(told, [domain.name, domain.name])
  })

  test('a domain has at most a thousand records, and its list comes in pages', async () => {
    const { add, domain, at, token } = await holder()
    await server.parts.transact(async ({ dnsRecords }) => {
      for (let i = 0; i < 1000; i++)
        await dnsRecords.add(sampleDnsRecord({ domainId: domain.id, name: `n${i}`, createdAt: 1000 + i }))
    })
    const full = await add({ name: 'more', type: 'A', value: '192.0.2.1' })
    assert.deepEqual([full.status, full.body.error.code], [400, 'bad_request'])
    const first = await server.call(`GET ${at}`, { token })
    assert.deepEqual([first.body.records.length, first.body.records[0].name], [100, 'n999'])
    assert.deepEqual(first.body.pagination, { count: 100, next: 1900, prev: null })
    const next = await server.call(`GET ${at}?limit=2&until=${first.body.pagination.next}`, { token })
    assert.deepEqual(
      next.body.records.map((one: { name: string }) => one.name),
      ['n899', 'n898'],
    )
    const { body: some } = await server.call(`GET ${at}?since=1998`, { token })
    assert.deepEqual(some.pagination, { count: 1, next: null, prev: null })
  })

  test('the records of one name and type fit into one answer', async () => {
    const { add, domain, list } = await holder()
    const { dnsRecords } = server.parts.stores
    const value = 'x'.repeat(4000)
    for (let i = 0; i < 12; i++)
      await dnsRecords.add(
        sampleDnsRecord({ domainId: domain.id, name: 'big', type: 'TXT', value: `${i}${value}` }),
      )
    const refused = await add({ name: 'big', type: 'TXT', value })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'bad_request'])
    assert.match(refused.body.error.message, /fit into one DNS response/)
    assert.equal((await add({ name: 'other', type: 'TXT', value })).status, 200)
    assert.equal((await list()).length, 13)
  })

  test('unknown domains are not found, those of others are forbidden', async () => {
    const stranger = await server.signUp()
    const [unproven, proven] = [await holder(), await holder({ txtVerifiedAt: 1 })]
    const { body: record } = await proven.add({ name: 'a', type: 'A', value: '192.0.2.1' })
    const body = { name: 'x', type: 'A', value: '192.0.2.1' }
    for (const prefix of PREFIXES)
      for (const [method, tail] of [
        ['GET', ''],
        ['POST', ''],
        ['DELETE', `/${record.uid}`],
      ] as const) {
        const ask = (domain: string) =>
          server.call(`${method} ${prefix}/${domain}/records${tail}`, {
            token: stranger.token,
            ...(method === 'POST' ? { body } : {}),
          })
        const unknown = await ask('nobody-has-this.com')
        assert.deepEqual(
          [unknown.status, unknown.body.error.code, unknown.body.error.name],
          [404, 'not_found', 'nobody-has-this.com'],
        )
        assert.equal((await ask(unproven.domain.name)).status, 404)
        const foreign = await ask(proven.domain.name)
        assert.deepEqual(
          [foreign.status, foreign.body.error.code, foreign.body.error.domain],
          [403, 'forbidden', proven.domain.name],
        )
      }
    const own = await holder()
    const elsewhere = await server.call(`DELETE ${own.at}/${record.uid}`, { token: own.token })
    assert.equal(elsewhere.status, 404)
    assert.equal((await proven.list()).length, 1)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResolveSecrets } from '#core/secret/resolve-secrets.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { sampleSecret } from '#test/support/samples.ts'

const GENERATIONS = [
  { prefix: '/v2/platform/secrets', generation: 'current' },
  { prefix: '/platform/secrets', generation: 'earliest' },
] as const

apiSuite('secrets', (server) => {
  const create = (token: string, name: string, value = 'a value', query = '') =>
    server.call(`POST /v2/platform/secrets${query}`, { token, body: { name, value } })
  const names = async (token: string, query = '') => {
    const { body } = await server.call(`GET /v2/platform/secrets${query}`, { token })
    return body.secrets.map((secret: { name: string }) => secret.name)
  }

  for (const { prefix, generation } of GENERATIONS) {
    test(`${prefix}: a secret is made, listed, renamed and deleted in the shapes of its generation`, async () => {
      const { id, token } = await server.signUp()
      const body = { name: 'api-key', value: 'grün' }
      const created = await server.call(`POST ${prefix}`, { token, body })
      assert.equal(created.status, 200)
      assertGolden(`secret/${generation}-created`, created.body)
      assert.match(created.body.uid, /^sec_[0-9A-Za-z]{24}$/)
      if (generation === 'current') {
        assert.equal(created.body.userId, id)
        assert.equal(Buffer.from(created.body.value).toString(), 'grün')
        assert.equal(new Date(created.body.created).toISOString(), created.body.created)
      }

      const list = await server.call(`GET ${prefix}`, { token })
      assertGolden(`secret/${generation}-list`, list.body)
      assert.equal(list.body.secrets[0].uid, created.body.uid)

      const renamed = await server.call(`PATCH ${prefix}/api-key`, { token, body: { name: 'renamed' } })
      assert.equal(renamed.status, 200)
      assertGolden(`secret/${generation}-renamed`, renamed.body)
      assert.equal(renamed.body.uid, created.body.uid)

      const taken = await server.call(`POST ${prefix}`, { token, body: { name: 'renamed', value: 'x' } })
      assert.equal(taken.status, 409)
      assertGolden(`secret/${generation}-taken`, taken.body)
      assert.equal(taken.body.error.uid, created.body.uid)

      const deleted = await server.call(`DELETE ${prefix}/renamed`, { token })
      assert.equal(deleted.status, 200)
      assertGolden(`secret/${generation}-deleted`, deleted.body)
      assert.equal(deleted.body.uid, created.body.uid)

      const gone = await server.call(`DELETE ${prefix}/renamed`, { token })
      assert.equal(gone.status, 404)
      assertGolden(`secret/${generation}-missing`, gone.body)
      assert.deepEqual(await names(token), [])
    })

    test(`${prefix}: the uid finds a secret as well as its name`, async () => {
      const { token } = await server.signUp()
      const { body: secret } = await create(token, 'by-uid')
      const renamed = await server.call(`PATCH ${prefix}/${secret.uid}`, { token, body: { name: 'moved' } })
      assert.deepEqual([renamed.status, renamed.body.oldName], [200, 'by-uid'])
      assert.equal((await server.call(`DELETE ${prefix}/${secret.uid}`, { token })).body.uid, secret.uid)
      assert.deepEqual(await names(token), [])
    })
  }

  test('a name that looks like the uid of another secret does not take its place', async () => {
    const { token } = await server.signUp()
    const { body: first } = await create(token, 'first')
    const { body: second } = await create(token, first.uid)
    const deleted = await server.call(`DELETE /v2/platform/secrets/${first.uid}`, { token })
    assert.equal(deleted.body.uid, first.uid)
    const next = await server.call(`DELETE /v2/platform/secrets/${first.uid}`, { token })
    assert.equal(next.body.uid, second.uid)
  })

  test('a secret may be given the name it has, and not that of another one', async () => {
    const { token } = await server.signUp()
    const { body: one } = await create(token, 'one')
    const { body: two } = await create(token, 'two')
    const same = await server.call('PATCH /v2/platform/secrets/one', { token, body: { name: 'one' } })
    assert.deepEqual(
      [same.status, same.body],
      [200, { uid: one.uid, name: 'one', created: one.created, oldName: 'one' }],
    )
    const taken = await server.call('PATCH /v2/platform/secrets/one', { token, body: { name: 'two' } })
    assert.equal(taken.status, 409)
    const { message, ...error } = taken.body.error
    assert.deepEqual(error, { code: 'secret_already_exists', name: 'two', uid: two.uid })
    assert.match(message, /`two`/)
    assert.deepEqual((await names(token)).sort(), ['one', 'two'])
  })

  test('names are kept as given, differ by case, and are free again after a deletion', async () => {
    const { token } = await server.signUp()
    const given = ['Key', 'key', 'a', 'A.b_c-9', '-', '_', 'x'.repeat(100)]
    for (const name of given) assert.equal((await create(token, name)).body.name, name)
    assert.deepEqual((await names(token)).sort(), [...given].sort())
    assert.equal((await create(token, 'key')).status, 409)
    await server.call('DELETE /v2/platform/secrets/key', { token })
    assert.equal((await create(token, 'key')).status, 200)
    assert.ok((await names(token)).includes('Key'))
  })

  test('one of many that take a name at once has it', async () => {
    const { token } = await server.signUp()
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(token, 'contested')))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
    const [winner] = answers.filter(({ status }) => status === 200)
    for (const { status, body } of answers) if (status === 409) assert.equal(body.error.uid, winner?.body.uid)
  })

  test('bad input is refused with the property named', async () => {
    const { token } = await server.signUp()
    const bad: [unknown, RegExp][] = [
      [{ value: 'x' }, /`name`/],
      [{ name: 'x' }, /`value`/],
      [{ name: 7, value: 'x' }, /`name`/],
      [{ name: 'x', value: 7 }, /`value`/],
      [{ name: '', value: 'x' }, /`name`/],
      [{ name: 'x'.repeat(101), value: 'x' }, /`name`/],
      [{ name: 'x', value: '' }, /`value`/],
      [{ name: 'x', value: 'x'.repeat(65_537) }, /`value`/],
      [{ name: 'x', value: 'a\0b' }, /`value`/],
      [{ name: 'x', value: 'a\ud800b' }, /`value`/],
      ...['a b', 'a/b', '@a', 'ä', 'a\n', 'a\u200b'].map((name): [unknown, RegExp] => [
        { name, value: 'x' },
        /`name`/,
      ]),
      [[], /the request/],
    ]
    for (const { prefix } of GENERATIONS)
      for (const [body, message] of bad) {
        const answer = await server.call(`POST ${prefix}`, { token, body })
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'bad_request'], String(message))
        assert.match(answer.body.error.message, /^Invalid request: /)
        assert.match(answer.body.error.message, message)
      }
    await create(token, 'there')
    for (const body of [{}, { name: '' }, { name: 'a b' }, { name: null }]) {
      const answer = await server.call('PATCH /v2/platform/secrets/there', { token, body })
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'bad_request'])
    }
    assert.deepEqual(await names(token), ['there'])
  })

  test('a value may have 65536 characters of any kind', async () => {
    const { token } = await server.signUp()
    const value = '🛩'.repeat(65_536)
    const { status, body } = await create(token, 'large', value)
    assert.equal(status, 200)
    assert.equal(Buffer.from(body.value).toString(), value)
  })

  test('secrets of a team are apart from those of its members', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner, member)
    const query = `?teamId=${team.id}`
    await create(owner.token, 'shared')
    const made = await create(member.token, 'shared', 'x', query)
    assert.deepEqual([made.status, made.body.userId], [200, member.id])
    assert.equal((await create(owner.token, 'shared', 'x', query)).status, 409)
    assert.deepEqual(await names(owner.token, query), ['shared'])
    assert.deepEqual(await names(member.token), [])
    const deleted = await server.call(`DELETE /v2/platform/secrets/shared${query}`, { token: owner.token })
    assert.equal(deleted.body.uid, made.body.uid)
    assert.deepEqual(await names(owner.token), ['shared'])
  })

  test('whether another account has a secret cannot be told', async () => {
    const [owner, stranger] = [await server.signUp(), await server.signUp()]
    const { body: secret } = await create(owner.token, 'theirs')
    for (const { prefix } of GENERATIONS)
      for (const [method, body] of [
        ['DELETE', undefined],
        ['PATCH', { name: 'mine' }],
      ] as const) {
        const known = await server.call(`${method} ${prefix}/${secret.uid}`, { token: stranger.token, body })
        const unknown = await server.call(`${method} ${prefix}/sec_000000000000000000000000`, {
          token: stranger.token,
          body,
        })
        assert.deepEqual([known.status, known.body.error.code], [404, 'not_found'])
        const plain = (answer: typeof known) => JSON.stringify(answer.body).replace(/sec_\w{24}/g, 'uid')
        assert.equal(plain(known), plain(unknown))
      }
    assert.equal((await create(stranger.token, 'theirs')).status, 200, 'names are per account')
  })

  test('lists page by time, a hundred at once unless told', async () => {
    const { id, token } = await server.signUp()
    await server.parts.transact(async ({ secrets }) => {
      for (let i = 0; i < 101; i++)
        await secrets.insert(sampleSecret({ ownerId: id, name: `page${i}`, createdAt: 1000 + i }), 'sealed')
    })
    for (const { prefix } of GENERATIONS) {
      const first = await server.call(`GET ${prefix}`, { token })
      assert.equal(first.body.secrets.length, 100)
      assert.equal(first.body.secrets[0].name, 'page100')
      const last = await server.call(`GET ${prefix}?until=${first.body.pagination.next}`, { token })
      assert.deepEqual(
        last.body.secrets.map((secret: { name: string }) => secret.name),
        ['page0'],
      )
      assert.equal(last.body.pagination.next, null)
      assert.equal((await server.call(`GET ${prefix}?limit=3`, { token })).body.pagination.count, 3)
      for (const limit of ['0', '101', 'x'])
        assert.equal((await server.call(`GET ${prefix}?limit=${limit}`, { token })).status, 400)
    }
  })

  test('a value is sealed in the store, for its own secret alone', async () => {
    const { id, token } = await server.signUp()
    await create(token, 'one', 'plain text')
    await create(token, 'two', 'plain text')
    const { stores, vault } = server.parts
    const found = await stores.secrets.resolve(id, ['one', 'two'])
    const [one, two] = [found.get('one'), found.get('two')]
    assert.ok(one && one !== 'foreign' && two && two !== 'foreign')
    assert.doesNotMatch(JSON.stringify([...found]), /plain text/)
    assert.notEqual(one.sealed, two.sealed)
    // As if somebody who can write to the database had exchanged the two values.
    const swapped = { ...stores.secrets, resolve: async () => new Map([['one', { ...two, id: one.id }]]) }
    await assert.rejects(createResolveSecrets(vault)(swapped, id, ['one']))
  })

  test('references resolve to values in the own account, inside a transaction', async () => {
    const [owner, stranger] = [await server.signUp(), await server.signUp()]
    const { body: named } = await create(owner.token, 'named', 'by name')
    const { body: other } = await create(owner.token, 'other', 'by uid')
    const { body: foreign } = await create(stranger.token, 'foreign')
    const { vault, transact } = server.parts
    const resolveSecrets = createResolveSecrets(vault)
    const wanted = [
      'named',
      other.uid,
      foreign.uid,
      'foreign',
      'none',
      '',
      '@named',
      'a\0b',
      '\ud800',
      'named',
    ]
    const found = await transact(({ secrets }) => resolveSecrets(secrets, owner.id, wanted))
    assert.deepEqual(Object.fromEntries(found), {
      named: { kind: 'found', uid: named.uid, value: 'by name' },
      [other.uid]: { kind: 'found', uid: other.uid, value: 'by uid' },
      [foreign.uid]: { kind: 'forbidden' },
      foreign: { kind: 'missing' },
      none: { kind: 'missing' },
      '': { kind: 'missing' },
      '@named': { kind: 'missing' },
      'a\0b': { kind: 'missing' },
      '\ud800': { kind: 'missing' },
    })
    await server.call('DELETE /v2/platform/secrets/named', { token: owner.token })
    const after = await resolveSecrets(server.parts.stores.secrets, owner.id, ['named'])
    assert.deepEqual(after.get('named'), { kind: 'missing' })
  })
})

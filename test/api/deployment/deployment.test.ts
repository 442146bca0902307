import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { BATCH_LIMITS, packBatch } from '#contract/file-batch.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import type { Account, Answer } from '#test/support/server.ts'

const sha1 = (text: string | Buffer) => createHash('sha1').update(text).digest('hex')
const index = (text = '<h1>Hello</h1>') => [{ file: 'index.html', data: text }]

apiSuite('deployments', (server) => {
  const deploy = (token: string, body: object = {}, query = '') =>
    server.call(`POST /v8/platform/deployments${query}`, {
      token,
      body: { name: 'my-site', version: 2, files: index(), ...body },
    })
  const upload = (token: string, content: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/v2/platform/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/octet-stream',
        'x-platform-digest': sha1(content),
        ...headers,
      },
      body: content as string,
    })
  const refused = (answer: Answer, status: number, code: string) =>
    assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))

  test('inline files are a live site in one round trip', async () => {
    const user = await server.signUp()
    const made = await deploy(user.token, {
      files: [
        { file: 'index.html', data: '<h1>Hi</h1>' },
        { file: 'img/dot.gif', data: 'R0lGODlhAQABAAAAACw=', encoding: 'base64' },
      ],
      meta: { branch: 'main', n: 1 },
      env: { A: 'x', B: 7 },
      build: { env: { C: 'y' } },
    })
    assert.equal(made.status, 200)
    const { id, url, name, readyState, meta, env, build, aliasFinal, aliasAssigned, ownerId } = made.body
    assert.match(id, /^dpl_[0-9A-Za-z]{28}$/)
    assert.match(url, /^my-site-[a-z0-9]{9}\.localhost$/)
    assert.deepEqual([name, readyState, ownerId, aliasAssigned], ['my-site', 'READY', user.id, true])
    assert.deepEqual(meta, { branch: 'main', n: '1' })
    assert.deepEqual([env, build], [['A', 'B'], { env: ['C'] }])
    assert.deepEqual(aliasFinal, [`my-site-${user.username}.localhost`])
    assert.equal('target' in made.body || 'error' in made.body, false)

    for (const host of [url, ...aliasFinal]) {
      const page = await server.visit(host, '/')
      assert.deepEqual([page.status, page.body], [200, '<h1>Hi</h1>'])
      assert.match(page.headers.get('content-type') ?? '', /text\/html/)
    }
    const gif = await server.visit(url, '/img/dot.gif')
    assert.equal(gif.headers.get('content-type'), 'image/gif')

    for (const key of [id, id.slice(4), url, aliasFinal[0]])
      assert.deepEqual(
        (await server.call(`GET /v8/platform/deployments/${key}`, { token: user.token })).body,
        made.body,
      )
  })

  test('the shapes of every generation', async () => {
    const { token } = await server.signUp('shapes@aloft.test')
    const made = await deploy(token, {
      meta: { a: 'b' },
      routes: [{ src: '/x', dest: '/index.html' }],
      target: 'production',
    })
    const { id } = made.body
    assertGolden('deployment/current', made.body)
    const get = async (path: string) => (await server.call(`GET ${path}`, { token })).body
    assertGolden('deployment/list-v3', await get('/v3/platform/deployments'))
    assertGolden('deployment/list-v2', await get('/v2/platform/deployments'))
    assertGolden('deployment/list-earliest', await get('/platform/deployments'))
    assertGolden('deployment/single-v2', await get(`/v2/platform/deployments/${id}`))
    assertGolden('deployment/single-earliest', await get(`/platform/deployments/${id}`))
    assertGolden('deployment/files-v5', await get(`/v5/platform/deployments/${id}/files`))
    assertGolden('deployment/files-earliest', await get(`/platform/deployments/${id}/files`))
    assertGolden('deployment/builds', await get(`/v5/platform/deployments/${id}/builds`))
    assertGolden('deployment/instances', await get(`/v1/platform/deployments/${id}/instances`))
    // Both aliases are of one millisecond, so their order is a matter of chance.
    for (const [name, path] of [
      ['alias/list', '/v2/platform/aliases'],
      ['alias/of-deployment', `/v2/platform/deployments/${id}/aliases`],
    ] as const) {
      const found = await get(path)
      found.aliases.sort((a: { alias: string }, b: { alias: string }) => a.alias.localeCompare(b.alias))
      assertGolden(name, found)
    }
  })

  test('the same request answers the same deployment, whatever the order; forceNew does not', async () => {
    const { token } = await server.signUp()
    const files = [
      { file: 'a.txt', data: 'a' },
      { file: 'b.txt', data: 'b' },
    ]
    const first = await deploy(token, { files, env: { X: '1', Y: '2' }, meta: { m: '1' } })
    const again = await deploy(token, {
      files: files.toReversed(),
      env: { Y: '2', X: '1' },
      meta: { m: '2' },
    })
    assert.deepEqual([again.body.id, again.body.url], [first.body.id, first.body.url])
    const forced = await deploy(token, { files, env: { X: '1', Y: '2' } }, '?forceNew=1')
    assert.notEqual(forced.body.id, first.body.id)
    assert.notEqual(forced.body.url, first.body.url)
    for (const change of [
      { env: { X: '1' } },
      { public: true },
      { regions: ['sfo1'] },
      { target: 'staging' },
      { routes: [] },
    ]) {
      const other = await deploy(token, { files, env: { X: '1', Y: '2' }, ...change })
      assert.notEqual(other.body.id, forced.body.id, JSON.stringify(change))
    }
  })

  for (const [what, begin] of [
    ['a project that there is not yet', async () => 200],
    [
      'a project without deployments',
      async (token: string, name: string) =>
        (await server.call('POST /v9/projects', { token, body: { name } })).status,
    ],
  ] as const)
    test(`many at once of ${what} are all live, and share its name`, async () => {
      const { token, username } = await server.signUp()
      const name = 'at-once'
      assert.equal(await begin(token, name), 200)
      const texts = ['a', 'b', 'c', 'd', 'e', 'f']
      const made = await Promise.all(texts.map((text) => deploy(token, { name, files: index(text) })))
      const shared = `${name}-${username}.localhost`
      for (const { status, body } of made)
        assert.deepEqual([status, body.aliasFinal], [200, [shared]], JSON.stringify(body))
      for (const [n, { body }] of made.entries())
        assert.equal((await server.visit(body.url, '/')).body, texts[n])
      assert.ok(texts.includes((await server.visit(shared, '/')).body))
      const { projects } = (await server.call('GET /v9/projects', { token })).body
      assert.equal(projects.length, 1)
    })

  test('of the same requests at once, one makes a deployment, and all are answered with it', async () => {
    const { token } = await server.signUp()
    for (const body of [{}, { target: 'production' }]) {
      const made = await Promise.all(Array.from({ length: 6 }, () => deploy(token, body)))
      assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([200]))
      assert.equal(new Set(made.map((answer) => answer.body.id)).size, 1)
    }
  })

  test('an alias that many move at once is moved by each, one after the other', async () => {
    const { token } = await server.signUp()
    const made = await Promise.all(['a', 'b', 'c', 'd'].map((text) => deploy(token, { files: index(text) })))
    const ids = made.map(({ body }) => body.id as string)
    for (const isNew of [true, false]) {
      const moved = await Promise.all(
        ids.map((id) =>
          server.call(`POST /v2/platform/deployments/${id}/aliases`, {
            token,
            body: { alias: `moved-${token.slice(0, 8)}` },
          }),
        ),
      )
      // Where it is already, there is nothing to move.
      const answers = moved.map(({ status, body }): unknown => body.error?.code ?? status)
      assert.ok(
        answers.every((answer) => answer === 200 || (!isNew && answer === 'not_modified')),
        answers.join(),
      )
    }
  })

  test("uploaded files are referred to by their SHA-1, which is the account's own", async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    const text = `secret plans ${Math.random()}`
    const file = { file: 'plans.txt', sha: sha1(text), size: text.length }
    const missing = await deploy(a.token, { files: [file, { ...file, file: 'copy.txt' }] })
    refused(missing, 400, 'missing_files')
    assert.deepEqual(missing.body.error.missing, [file.sha], 'each hash once')

    const answer = await upload(a.token, text)
    assert.deepEqual([answer.status, await answer.text()], [200, ''])
    assert.equal((await upload(a.token, text)).status, 200, 'a repeat is fine')
    const made = await deploy(a.token, { files: [file] })
    assert.equal(made.body.readyState, 'READY')
    assert.equal((await server.visit(made.body.url, '/plans.txt')).body, text)

    refused(await deploy(b.token, { files: [file] }), 400, 'missing_files')
    refused(await deploy(a.token, { files: [{ ...file, size: 3 }] }), 400, 'missing_files')
  })

  test('an upload is stored whole and as announced, or not at all', async () => {
    const { token } = await server.signUp()
    const bad: Record<string, string>[] = [
      { 'x-platform-digest': sha1('other') },
      { 'x-platform-digest': 'nonsense' },
      { 'x-platform-size': '3' },
      { 'x-platform-size': 'many' },
    ]
    for (const headers of bad) {
      const answer = await upload(token, 'content', headers)
      assert.equal(answer.status, 400, JSON.stringify(headers))
    }
    const none = await fetch(`${server.url}/v2/platform/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: 'content',
    })
    assert.equal(none.status, 400)
    refused(
      await deploy(token, { files: [{ file: 'c', sha: sha1('content'), size: 7 }] }),
      400,
      'missing_files',
    )
    assert.equal((await upload(token, '')).status, 200, 'an empty file is a file')
    assert.equal((await deploy(token, { files: [{ file: 'empty', sha: sha1(''), size: 0 }] })).status, 200)
  })

  test('a batch of files is stored as a whole and as announced, or not at all', async () => {
    const { token } = await server.signUp()
    const batch = (body: Uint8Array<ArrayBuffer>) =>
      fetch(`${server.url}/v1/platform/files/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
        body,
      })
    const contents = ['one', 'two', '', 'x'.repeat(5000)].map((text) => Buffer.from(text))
    const files = contents.map((bytes) => ({ sha1: sha1(bytes), bytes }))
    const body = packBatch(files)
    const lie = packBatch([...files, { sha1: sha1('other'), bytes: Buffer.from('content') }])
    for (const bad of [lie, body.subarray(0, -1), new Uint8Array(), new Uint8Array(30).fill(255)]) {
      const answer = await batch(bad)
      assert.equal(answer.status, 400, await answer.text())
    }
    assert.equal((await batch(new Uint8Array(BATCH_LIMITS.bytes + 1))).status, 413)
    const wanted = contents.map((bytes, i) => ({ file: `${i}.txt`, sha: sha1(bytes), size: bytes.length }))
    const missing = await deploy(token, { files: wanted })
    refused(missing, 400, 'missing_files')
    assert.equal(missing.body.error.missing.length, contents.length)
    assert.equal((await batch(body)).status, 200)
    assert.equal((await batch(body)).status, 200, 'a repeat is fine')
    const made = await deploy(token, { files: wanted })
    assert.equal(made.body.readyState, 'READY')
    assert.equal((await server.visit(made.body.url, '/3.txt')).body, 'x'.repeat(5000))
  })

  test('bad files are refused and nothing is made', async () => {
    const { token } = await server.signUp()
    refused(await deploy(token, { files: [] }), 400, 'no_files')
    const sha = 'a'.repeat(40)
    const bad: unknown[] = [
      { file: '/etc/passwd', data: '' },
      { file: '../up.txt', data: '' },
      { file: 'a/../../b', data: '' },
      { file: 'a//b', data: '' },
      { file: './a', data: '' },
      { file: 'a/', data: '' },
      { file: '', data: '' },
      { file: 'a\u0000b', data: '' },
      { file: 'a\nb', data: '' },
      { file: 'x'.repeat(2000), data: '' },
      { file: 'a', data: '', sha, size: 1 },
      { file: 'a' },
      { file: 'a', sha },
      { file: 'a', sha: 'XYZ', size: 1 },
      { file: 'a', sha, size: -1 },
      { file: 'a', data: '***', encoding: 'base64' },
      { file: 'a', data: '', encoding: 'latin1' },
      { file: 'link', data: 'index.html', mode: 0o120777 },
      { file: 'dir', data: '', mode: 0o040755 },
      { data: 'x' },
      'text',
    ]
    for (const file of bad) {
      const answer = await deploy(token, { files: [...index(), file] })
      refused(answer, 400, 'bad_request')
      assert.match(answer.body.error.message, /^Invalid request: /)
    }
    refused(await deploy(token, { files: [...index(), ...index()] }), 400, 'bad_request')
    refused(
      await deploy(token, {
        files: [
          { file: 'a', data: '' },
          { file: 'a/b', data: '' },
        ],
      }),
      400,
      'bad_request',
    )
    assert.deepEqual((await server.call('GET /v3/platform/deployments', { token })).body.deployments, [])
    assert.deepEqual((await server.call('GET /v2/platform/aliases', { token })).body.aliases, [])
  })

  test('bad fields are refused with the property named, JSON-schema style', async () => {
    const { token } = await server.signUp()
    const bad: [object, RegExp][] = [
      [{ name: undefined }, /`name`/],
      [{ name: '' }, /`name`/],
      [{ name: 'x'.repeat(53) }, /`name`/],
      [{ name: '!!!' }, /`name`/],
      [{ version: 1 }, /`version`/],
      [{ version: undefined }, /`version`/],
      [{ files: undefined }, /`files`/],
      [{ files: 'x' }, /`files`/],
      [{ target: 'moon' }, /`target`/],
      [{ regions: ['mars1'] }, /`regions`/],
      [{ public: 'yes' }, /`public`/],
      [{ meta: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 'v'])) }, /`meta`/],
      [{ builds: [{ use: '@aloft/unknown' }] }, /@aloft\/static/],
      [{ builds: [{ src: '*' }] }, /`builds\[0\]\.use`/],
      [{ project: 'no-such-project' }, /no-such-project/],
    ]
    for (const [change, message] of bad) {
      const answer = await deploy(token, change)
      assert.ok([400, 404].includes(answer.status), JSON.stringify(answer.body))
      assert.match(answer.body.error.message, message)
    }
    const { error } = (await deploy(token, { name: 7 })).body
    assert.deepEqual([error.keyword, error.dataPath, error.params], ['type', '.name', { type: 'string' }])
  })

  test('environment variables have their own errors, first rule first', async () => {
    const { token } = await server.signUp()
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`K${i}`, 'v']))
    const cases: [object, string, object?][] = [
      [many, 'env_too_many_keys'],
      [{ 'A-B': 'x' }, 'env_key_invalid_characters', { key: 'A-B' }],
      [{ ['A'.repeat(257)]: 'x' }, 'env_key_invalid_length', { key: 'A'.repeat(257) }],
      [{ A: 'x'.repeat(65537) }, 'env_value_invalid_length', { key: 'A', value: 'x'.repeat(65537) }],
      [{ A: {} }, 'env_value_invalid_type_missing_uid'],
      [{ A: { uid: 'sec_1', x: 1 } }, 'env_value_invalid_type_unknown_props'],
      [{ A: true }, 'env_value_invalid_type', { key: 'A' }],
      [{ A: null }, 'env_value_invalid_type', { key: 'A' }],
      [{ A: ['x'] }, 'env_value_invalid_type', { key: 'A' }],
      [{ A: '@nothing' }, 'env_secret_missing', { uid: '@nothing' }],
      [{ A: { uid: 'sec_nothing' } }, 'env_secret_missing', { uid: 'sec_nothing' }],
      [{ 'B-': 'x', A: true }, 'env_key_invalid_characters'],
    ]
    for (const [env, code, extra] of cases)
      for (const body of [{ env }, { build: { env } }]) {
        const answer = await deploy(token, body)
        refused(answer, 400, code)
        for (const [key, value] of Object.entries(extra ?? {}))
          assert.deepEqual(answer.body.error[key], value)
      }
    assert.deepEqual((await server.call('GET /v3/platform/deployments', { token })).body.deployments, [])
  })

  test('secrets are referred to by name or uid, in the own account only', async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    const secret = await server.call('POST /v2/platform/secrets', {
      token: a.token,
      body: { name: 'db', value: 'p4ss' },
    })
    for (const reference of ['@db', { uid: secret.body.uid }]) {
      const made = await deploy(a.token, { env: { DB: reference } }, '?forceNew=1')
      assert.deepEqual(made.body.env, ['DB'])
      assert.ok(!JSON.stringify(made.body).includes('p4ss'))
    }
    refused(await deploy(b.token, { env: { DB: '@db' } }), 400, 'env_secret_missing')
    const foreign = await deploy(b.token, { env: { DB: { uid: secret.body.uid } } })
    refused(foreign, 403, 'env_secret_forbidden')
    assert.equal(foreign.body.error.uid, secret.body.uid)
  })

  test('aliases at creation follow the target', async () => {
    const user = await server.signUp('target@aloft.test')
    const preview = await deploy(user.token, { name: 'Shop', files: index('preview') })
    const staging = await deploy(user.token, { name: 'Shop', files: index('staging'), target: 'staging' })
    const production = await deploy(user.token, {
      name: 'Shop',
      files: index('production'),
      target: 'production',
    })
    const standard = `shop-${user.username}.localhost`
    assert.deepEqual(preview.body.aliasFinal, [standard])
    assert.deepEqual(staging.body.aliasFinal, [standard, `shop.${user.username}.localhost`])
    assert.deepEqual(production.body.aliasFinal, [standard, 'shop.localhost'])
    assert.equal(preview.body.projectId, production.body.projectId)

    assert.equal((await server.visit(standard, '/')).body, 'production', 'the newest of all')
    assert.equal((await server.visit(`shop.${user.username}.localhost`, '/')).body, 'staging')
    const live = await server.visit('shop.localhost', '/')
    assert.equal(live.body, 'production')
    assert.equal(live.headers.get('x-robots-tag'), null)
    assert.equal((await server.visit(preview.body.url, '/')).headers.get('x-robots-tag'), 'noindex')

    const other = await server.signUp()
    const second = await deploy(other.token, { name: 'Shop', target: 'production' })
    assert.deepEqual(
      second.body.aliasFinal,
      [`shop-${other.username}.localhost`],
      "the name is the first project's",
    )

    const named = await deploy(user.token, {
      name: 'Shop',
      files: index('v2'),
      target: 'production',
      alias: ['my-shop', 'shop.localhost'],
    })
    assert.deepEqual(named.body.aliasFinal, [standard, 'my-shop.localhost', 'shop.localhost'])
    assert.equal((await server.visit('my-shop.localhost', '/')).body, 'v2')
    const ignored = await deploy(user.token, { name: 'Shop', files: index('v3'), alias: 'my-shop' })
    assert.deepEqual(ignored.body.aliasFinal, [standard])

    for (const [alias, status, code] of [
      ['api', 400, 'invalid_alias'],
      ['api-sfo1.localhost', 400, 'invalid_alias'],
      ['a.b.c.localhost', 400, 'invalid_alias'],
      ['-x', 400, 'invalid_alias'],
      ['shop-abc123def', 400, 'invalid_alias'],
      ['example.com', 404, 'not_found'],
    ] as const)
      refused(await deploy(user.token, { target: 'production', alias }, '?forceNew=1'), status, code)
    refused(await deploy(other.token, { target: 'production', alias: 'my-shop' }), 403, 'alias_in_use')
  })

  test("a team's deployments carry its slug and are its members'", async () => {
    const [owner, member, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()]
    const { body: team } = await server.call('POST /v1/teams', { token: owner.token, body: { slug: 'crew' } })
    await server.call(`POST /v1/teams/${team.id}/members`, {
      token: owner.token,
      body: { email: member.email },
    })
    const made = await deploy(member.token, {}, `?teamId=${team.id}`)
    assert.match(made.body.url, /^my-site-[a-z0-9]{9}-crew\.localhost$/)
    assert.deepEqual(made.body.aliasFinal, ['my-site-crew.localhost'])
    assert.deepEqual([made.body.ownerId, made.body.creator.uid], [team.id, member.id])
    const path = `/v8/platform/deployments/${made.body.id}`
    assert.equal((await server.call(`GET ${path}?teamId=${team.id}`, { token: owner.token })).status, 200)
    refused(await server.call(`GET ${path}`, { token: member.token }), 403, 'forbidden')
    refused(await server.call(`GET ${path}`, { token: stranger.token }), 403, 'forbidden')
  })

  test('a public deployment is read by any account and written by none but its own', async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    const open = (await deploy(a.token, { public: true })).body
    const closed = (await deploy(a.token, { files: index('closed') })).body
    const reads = (id: string, file: string) => [
      `GET /v8/platform/deployments/${id}`,
      `GET /v2/platform/deployments/${id}`,
      `GET /platform/deployments/${id}`,
      `GET /v5/platform/deployments/${id}/files`,
      `GET /v5/platform/deployments/${id}/files/${file}`,
      `GET /v2/platform/deployments/${id}/files/${file}`,
      `GET /platform/deployments/${id}/files`,
      `GET /v5/platform/deployments/${id}/builds`,
      `GET /v2/platform/deployments/${id}/events`,
      `GET /platform/deployments/${id}/logs`,
    ]
    for (const on of reads(open.id, sha1('<h1>Hello</h1>'))) {
      assert.equal((await server.call(on, { token: b.token })).status, 200, on)
      assert.equal((await server.call(on)).status, 403, on)
    }
    for (const on of reads(closed.id, sha1('closed')))
      refused(await server.call(on, { token: b.token }), 403, 'forbidden')
    for (const { id } of [open, closed]) {
      for (const version of ['/v8', '/v2', ''])
        refused(
          await server.call(`DELETE ${version}/platform/deployments/${id}`, { token: b.token }),
          403,
          'forbidden',
        )
      const alias = await server.call(`POST /v2/platform/deployments/${id}/aliases`, {
        token: b.token,
        body: { alias: 'stolen' },
      })
      refused(alias, 403, 'forbidden')
    }
  })

  test('files come back as they were given', async () => {
    const { token } = await server.signUp()
    const bytes = Buffer.from([0, 255, 1, 254])
    const { body } = await deploy(token, {
      files: [
        { file: 'z.txt', data: 'z' },
        { file: 'a/b/c.bin', data: bytes.toString('base64'), encoding: 'base64', mode: 0o100755 },
        { file: 'a/x.txt', data: 'naïve' },
      ],
    })
    const tree = (await server.call(`GET /v5/platform/deployments/${body.id}/files`, { token })).body
    assert.deepEqual(tree, [
      {
        name: 'a',
        type: 'directory',
        mode: 16877,
        children: [
          {
            name: 'b',
            type: 'directory',
            mode: 16877,
            children: [{ name: 'c.bin', type: 'file', uid: sha1(bytes), mode: 33261 }],
          },
          { name: 'x.txt', type: 'file', uid: sha1('naïve'), mode: 33188 },
        ],
      },
      { name: 'z.txt', type: 'file', uid: sha1('z'), mode: 33188 },
    ])
    const raw = await fetch(`${server.url}/v5/platform/deployments/${body.id}/files/${sha1(bytes)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.deepEqual(Buffer.from(await raw.arrayBuffer()), bytes)
    refused(
      await server.call(`GET /v5/platform/deployments/${body.id}/files/${sha1('q')}`, { token }),
      404,
      'not_found',
    )
  })

  test('a deleted deployment stops answering, in every version', async () => {
    const { token } = await server.signUp()
    for (const version of ['/v8', '/v2', '']) {
      const { id, url, aliasFinal } = (
        await deploy(token, { target: 'production', alias: `gone${version.length}` }, '?forceNew=1')
      ).body
      assert.equal((await server.visit(url, '/')).status, 200)
      const deleted = await server.call(`DELETE ${version}/platform/deployments/${id}`, { token })
      assert.deepEqual([deleted.status, deleted.body], [200, { uid: id, state: 'DELETED' }])
      const page = await server.visit(url, '/')
      assert.deepEqual([page.status, page.headers.get('x-platform-error')], [410, 'DEPLOYMENT_DELETED'])
      assert.equal((await server.visit(aliasFinal[1], '/')).status, 404)
      refused(await server.call(`GET /v8/platform/deployments/${id}`, { token }), 404, 'not_found')
      refused(await server.call(`DELETE /v8/platform/deployments/${id}`, { token }), 404, 'not_found')
      const alias = await server.call(`POST /v2/platform/deployments/${id}/aliases`, {
        token,
        body: { alias: 'late' },
      })
      refused(alias, 410, 'gone')
    }
    const again = await deploy(token)
    assert.equal(again.body.readyState, 'READY', 'and is not answered as the same one')
    assert.equal((await server.visit(again.body.aliasFinal[0], '/')).status, 200)
  })

  test('lists page and filter', async () => {
    const { token, id: userId } = await server.signUp()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      const { body } = await deploy(token, {
        name: i % 2 ? 'odd' : 'even',
        files: index(String(i)),
        meta: { parity: i % 2 ? 'odd' : 'even', number: String(i) },
        ...(i === 4 ? { target: 'production' } : {}),
      })
      ids.push(body.id)
      server.clock.advance(1000)
    }
    const list = async (query: string) => {
      const answer = await server.call(`GET /v3/platform/deployments?${query}`, { token })
      return answer.body.deployments.map(({ uid }: { uid: string }) => ids.indexOf(uid))
    }
    assert.deepEqual(await list(''), [4, 3, 2, 1, 0])
    assert.deepEqual(await list('app=odd'), [3, 1])
    assert.deepEqual(await list('target=production'), [4])
    assert.deepEqual(await list('state=READY&limit=2'), [4, 3])
    assert.deepEqual(await list('state=ERROR,BUILDING'), [])
    assert.deepEqual(await list('meta-parity=odd'), [3, 1])
    assert.deepEqual(await list('meta-parity=even&meta-number=2'), [2])
    assert.deepEqual(await list(`users=${userId}`), [4, 3, 2, 1, 0])
    assert.deepEqual(await list('users=nobody'), [])
    const first = await server.call('GET /v3/platform/deployments?limit=2', { token })
    assert.equal(first.body.pagination.count, 2)
    assert.deepEqual(await list(`limit=2&until=${first.body.pagination.next}`), [2, 1])
    assert.deepEqual(await list(`from=${first.body.deployments[1].created - 1}`), [4, 3])
    assert.equal((await server.call('GET /v3/platform/deployments?state=FLYING', { token })).status, 400)
  })

  test('a legacy deployment is begun with files missing and completed by uploads', async () => {
    const { token } = await server.signUp()
    const [one, two] = [`one ${Math.random()}`, `two ${Math.random()}`]
    const body = {
      name: 'older',
      deploymentType: 'static',
      public: false,
      files: [one, two].map((text, i) => ({ file: `${i}.txt`, sha: sha1(text), size: text.length })),
    }
    const begin = () => server.call('POST /v3/platform/deployments', { token, body })
    const begun = await begin()
    assert.equal(begun.status, 200)
    assert.deepEqual(begun.body.missing.toSorted(), [sha1(one), sha1(two)].toSorted())
    assert.deepEqual([begun.body.url, begun.body.totalSize], [null, one.length + two.length])
    const state = async () =>
      (await server.call(`GET /v2/platform/deployments/${begun.body.deploymentId}`, { token })).body
    assert.deepEqual([(await state()).state, (await state()).host], ['DEPLOYING', null])
    const current = await server.call(`GET /v8/platform/deployments/${begun.body.deploymentId}`, { token })
    assert.deepEqual([current.body.url, current.body.readyState], [null, 'INITIALIZING'])

    await upload(token, one)
    const again = await begin()
    assert.deepEqual([again.body.deploymentId, again.body.missing], [begun.body.deploymentId, [sha1(two)]])
    await Promise.all([upload(token, two), upload(token, two)])
    const done = await state()
    assert.deepEqual([done.state, done.type], ['READY', 'STATIC'])
    assert.equal((await server.visit(done.host, '/1.txt')).body, two)
    const repeated = await begin()
    assert.deepEqual([repeated.body.url, repeated.body.missing], [done.host, []])
  })

  test('a deployment whose files come late takes no name from a newer one', async () => {
    const { token, username } = await server.signUp()
    const text = `late ${Math.random()}`
    const files = [{ file: 'index.html', sha: sha1(text), size: text.length }]
    const begun = await server.call('POST /v3/platform/deployments', {
      token,
      body: { name: 'overtaken', deploymentType: 'STATIC', public: true, files },
    })
    assert.deepEqual(begun.body.missing, [sha1(text)])
    server.clock.advance(1000)
    const newer = await deploy(token, { name: 'overtaken', files: [{ file: 'index.html', data: 'newer' }] })
    await upload(token, text)
    const { body } = await server.call(`GET /v8/platform/deployments/${begun.body.deploymentId}`, { token })
    assert.deepEqual([body.readyState, newer.status], ['READY', 200])
    assert.equal((await server.visit(body.url, '/')).body, text)
    assert.equal((await server.visit(`overtaken-${username}.localhost`, '/')).body, 'newer')
  })

  test('incomplete deployments are deleted after a day', async () => {
    const { token } = await server.signUp()
    const file = { file: 'a', sha: sha1('never'), size: 5 }
    const { body } = await server.call('POST /v3/platform/deployments', {
      token,
      body: { name: 'late', deploymentType: 'STATIC', public: true, files: [file] },
    })
    const operator = await server.operator()
    const sweep = async () => {
      await server.call('POST /v1/operator/jobs/deployments.clean-up/run', { token: operator.token })
      await server.runJobs()
      return (await server.call(`GET /v8/platform/deployments/${body.deploymentId}`, { token })).status
    }
    assert.equal(await sweep(), 200)
    server.clock.advance(25 * 3_600_000)
    assert.equal(await sweep(), 404)
  })

  test('legacy errors and warnings', async () => {
    const { token } = await server.signUp()
    const legacy = (change: object) =>
      server.call('POST /v3/platform/deployments', {
        token,
        body: { name: 'l', deploymentType: 'NPM', public: true, files: index(), ...change },
      })
    const affinity = await legacy({ sessionAffinity: 'always' })
    refused(affinity, 400, 'invalid_session_affinity')
    assert.equal(affinity.body.error.url, 'http://aloft.test/errors/deployments/invalid_session_affinity')
    refused(await legacy({ deploymentType: 'RUST' }), 400, 'bad_request')
    refused(await legacy({ public: undefined }), 400, 'bad_request')
    refused(await legacy({ files: [] }), 400, 'no_files')
    const engine = await legacy({ engines: { node: '^8.0.0' } })
    assert.match(engine.body.nodeVersion, /^8\./)
    const unknown = await legacy({ engines: { node: '99' } })
    assert.deepEqual(unknown.body.warnings[0].reason, 'node_version_not_found')
    const huge = await legacy({ files: [...index(), { file: 'big', sha: sha1('big'), size: 6e9 }] })
    assert.deepEqual(huge.body.warnings[0], { reason: 'size_limit_exceeded', sha: sha1('big'), limit: 5e9 })
    const config = { file: 'now.json', data: '{"version":2,"fluid":true,"rewirtes":[]}' }
    const { warnings } = (await legacy({ files: [...index(), config] })).body
    assert.deepEqual(
      warnings.map(({ reason, key }: { reason: string; key: string }) => [reason, key]),
      [
        ['config_key_ignored', 'fluid'],
        ['config_key_ignored', 'rewirtes'],
      ],
    )
    assert.match(warnings[0].message, /^now\.json: `fluid` is not supported\. /)
    assert.deepEqual((await legacy({ files: [...index(), { ...config, data: '{' }] })).body.warnings, [])
  })

  test('the earliest create takes a manifest and files by path', async () => {
    const { token } = await server.signUp()
    const body = { package: { name: '@acme/old-app', scripts: { start: 'node .' } }, 'index.js': 'listen()' }
    const made = await server.call('POST /platform/deployments', { token, body })
    assert.equal(made.status, 200)
    assert.equal(made.body.state, 'BOOTING')
    assert.match(made.body.host, /^old-app-/)
    const tree = await server.call(`GET /platform/deployments/${made.body.uid}/files`, { token })
    assert.deepEqual(
      tree.body.map((entry: { name: string }) => entry.name),
      ['index.js', 'package.json'],
    )
    assert.equal('mode' in tree.body[0], false)
    for (const bad of [{}, { package: 'x' }, { package: {} }, { package: { name: 'a' }, 'f.js': 7 }])
      refused(await server.call('POST /platform/deployments', { token, body: bad }), 400, 'bad_request')
  })

  test('what is being built takes no alias yet, and what failed takes none any more', async () => {
    const { token } = await server.signUp()
    const made = await deploy(token, {
      files: [{ file: 'package.json', data: JSON.stringify({ scripts: { build: 'vite build' } }) }],
    })
    assert.deepEqual([made.body.readyState, made.body.aliasAssigned], ['INITIALIZING', false])
    const assign = () =>
      server.call(`POST /v2/platform/deployments/${made.body.id}/aliases`, {
        token,
        body: { alias: 'early' },
      })
    refused(await assign(), 400, 'deployment_not_ready')
    // Nothing builds in this server, so the job fails.
    await server.runJobs()
    refused(await assign(), 410, 'gone')
  })

  test('builds choose what is served', async () => {
    const { token } = await server.signUp()
    const files = [
      { file: 'www/index.html', data: 'www' },
      { file: 'secret.txt', data: 'source only' },
    ]
    const made = await deploy(token, { files, builds: [{ src: 'www/**', use: '@now/static@1.2' }] })
    assert.equal(made.body.readyState, 'READY')
    assert.equal((await server.visit(made.body.url, '/www')).status, 200)
    assert.equal((await server.visit(made.body.url, '/secret.txt')).status, 404)
    const { body } = await server.call(`GET /v5/platform/deployments/${made.body.id}/builds`, { token })
    assert.deepEqual(
      body.builds.map(({ use, path, readyState, deployedTo }: Record<string, unknown>) => [
        use,
        path,
        readyState,
        deployedTo,
      ]),
      [['@now/static@1.2', 'www/index.html', 'READY', ['iad1']]],
    )
    const unmatched = await deploy(token, { files, builds: [{ src: 'nope/*', use: '@aloft/static' }] })
    refused(unmatched, 400, 'unreferenced_build_specifications')
  })

  test('a build whose pattern stands for thousands is refused, and one that matches in many ways is not', async () => {
    const { token } = await server.signUp()
    const files = [...index('page'), { file: `${'a'.repeat(200)}.txt`, data: 'a' }]
    const use = '@aloft/static'
    const braces = await deploy(token, { files, builds: [{ src: '{a,b}'.repeat(14), use }] })
    refused(braces, 400, 'bad_request')
    assert.match(
      braces.body.error.message,
      /cannot be used as a pattern: its braces expand to more than 100 patterns/,
    )
    const stars = await deploy(token, { files, builds: [{ src: `${'*a'.repeat(60)}.txt`, use }] })
    assert.equal(stars.status, 200)
    refused(
      await deploy(token, { files, builds: [{ src: `${'*a'.repeat(60)}b`, use }] }),
      400,
      'unreferenced_build_specifications',
    )
  })

  test('what is read with each deployment of a list is not large', async () => {
    const user = await server.signUp()
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'x'.repeat(4000)]))
    const routes = (count: number) => Array.from({ length: count }, (_, n) => ({ src: `/${n}`, headers }))
    assert.equal((await deploy(user.token, { routes: routes(5) })).status, 200)
    for (const [name, large] of Object.entries({
      routes: routes(50),
      meta: { note: 'x'.repeat(100_000) },
      builds: [{ src: 'index.html', use: '@now/static', config: { note: 'x'.repeat(100_000) } }],
    })) {
      const answer = await deploy(user.token, { [name]: large })
      refused(answer, 400, 'bad_request')
      assert.match(answer.body.error.message, new RegExp(`\`${name}\` should take at most \\d+ KiB as JSON`))
    }
  })

  test('routes are checked at creation and followed by the site', async () => {
    const { token } = await server.signUp()
    const made = await deploy(token, {
      files: [...index('home'), { file: 'posts/1.html', data: 'post one' }],
      routes: [
        { src: '/old', status: 301, headers: { Location: '/new' } },
        { src: '/p/(\\d+)', dest: '/posts/$1.html', headers: { 'x-post': '$1' } },
        { src: '/teapot', status: 418 },
      ],
    })
    const { url } = made.body
    const old = await server.visit(url, '/old')
    assert.deepEqual([old.status, old.headers.get('location')], [301, '/new'])
    const post = await server.visit(url, '/p/1')
    assert.deepEqual([post.body, post.headers.get('x-post')], ['post one', '1'])
    assert.equal((await server.visit(url, '/teapot')).status, 418)
    const bad = await deploy(token, {
      routes: [{ src: '/(' }, { src: '(?=x)', dest: '/' }, { handle: 'nope' }],
    })
    refused(bad, 400, 'invalid_routes')
    assert.ok(bad.body.error.errors.length >= 3)
  })

  test('instances of a static deployment cannot be scaled', async () => {
    const { token } = await server.signUp()
    const { id } = (await deploy(token)).body
    const scale = (body: object) =>
      server.call(`POST /v1/platform/deployments/${id}/instances`, { token, body })
    refused(await scale({ min: 1, max: 2 }), 400, 'deployment_type_unsupported')
    refused(await scale({ min: 3, max: 2 }), 400, 'wrong_min_max_relation')
    refused(await scale({ min: 1, max: 11 }), 403, 'forbidden_max_instances')
    refused(await scale({ min: -1, max: 2 }), 400, 'bad_request')
    refused(await scale({ min: 1 }), 400, 'bad_request')
    assert.deepEqual((await server.call(`GET /v1/platform/deployments/${id}/instances`, { token })).body, {
      instances: [],
    })
  })

  test('the OSS plan deploys in public only', async () => {
    const operator = await server.operator()
    const { token, id } = await server.signUp()
    await server.call(`PATCH /v1/operator/accounts/${id}`, { token: operator.token, body: { plan: 'oss' } })
    refused(await deploy(token), 403, 'plan_requires_public')
    assert.equal((await deploy(token, { public: true })).body.plan, 'oss')
  })

  test("a blocked account's sites are disabled", async () => {
    const operator = await server.operator()
    const { token, id } = await server.signUp()
    const { url } = (await deploy(token)).body
    assert.equal((await server.visit(url, '/')).status, 200)
    const block = (softBlocked: boolean) =>
      server.call(`PATCH /v1/operator/accounts/${id}`, { token: operator.token, body: { softBlocked } })
    await block(true)
    assert.equal((await server.visit(url, '/')).status, 402)
    refused(await deploy(token, {}, '?forceNew=1'), 402, 'payment_required')
    await block(false)
    assert.equal((await server.visit(url, '/')).status, 200)
  })

  test('unreferenced uploads are collected after a day, and never what a deployment uses', async () => {
    const { token } = await server.signUp()
    const [used, unused] = [`used ${Math.random()}`, `unused ${Math.random()}`]
    await upload(token, used)
    await upload(token, unused)
    const file = (text: string) => ({ file: 'f.txt', sha: sha1(text), size: text.length })
    const { url, id } = (await deploy(token, { files: [file(used)] })).body
    const operator = await server.operator()
    const collect = async () => {
      await server.call('POST /v1/operator/jobs/files.collect/run', { token: operator.token })
      await server.runJobs()
    }
    await collect()
    assert.equal(
      (await deploy(token, { files: [file(unused)] }, '?forceNew=1')).status,
      200,
      'kept for a day',
    )
    await server.call(
      `DELETE /v8/platform/deployments/${(await deploy(token, { files: [file(unused)] })).body.id}`,
      { token },
    )
    server.clock.advance(25 * 3_600_000)
    await collect()
    refused(await deploy(token, { files: [file(unused)] }), 400, 'missing_files')
    assert.equal((await server.visit(url, '/f.txt')).body, used)
    assert.equal(
      (await server.call(`GET /v5/platform/deployments/${id}/files/${sha1(used)}`, { token })).status,
      200,
    )
  })
})

apiSuite('aliases', (server) => {
  const make = async (user: Account, text: string) =>
    (
      await server.call('POST /v8/platform/deployments', {
        token: user.token,
        body: { name: 'aliased', version: 2, files: index(text) },
      })
    ).body as { id: string; url: string }

  for (const prefix of ['/v2', ''])
    test(`${prefix}/platform: an alias is assigned, moved, listed and removed`, async () => {
      const user = await server.signUp()
      const [a, b] = [await make(user, 'A'), await make(user, 'B')]
      const label = `moving${prefix.length}`
      const host = `${label}.localhost`
      const assign = (id: string, alias: string) =>
        server.call(`POST ${prefix}/platform/deployments/${id}/aliases`, {
          token: user.token,
          body: { alias },
        })
      const first = await assign(a.id, `https://${label.toUpperCase()}.localhost:3000/path?x`)
      assert.equal(first.status, 200)
      assert.deepEqual(Object.keys(first.body).sort(), ['created', 'uid'])
      assert.equal((await server.visit(host, '/')).body, 'A')

      const same = await assign(a.url, label)
      assert.deepEqual(
        [same.status, same.body.error.code, same.body.error.uid],
        [409, 'not_modified', first.body.uid],
      )
      const moved = await assign(b.id, label)
      assert.deepEqual([moved.body.uid, moved.body.oldId], [first.body.uid, a.id])
      assert.equal((await server.visit(host, '/')).body, 'B')

      const list = await server.call(`GET ${prefix}/platform/aliases`, { token: user.token })
      const listed = list.body.aliases.find((alias: { alias: string }) => alias.alias === host)
      assert.deepEqual(
        [listed.uid, listed.deploymentId, listed.deployment, listed.rules],
        [first.body.uid, b.id, { id: b.id, url: b.url }, []],
      )
      const of = async (id: string) =>
        (
          await server.call(`GET ${prefix}/platform/deployments/${id}/aliases`, { token: user.token })
        ).body.aliases.map((alias: { alias: string }) => alias.alias)
      assert.ok((await of(b.id)).includes(host))
      assert.ok(!(await of(a.id)).includes(host))

      const removed = await server.call(`DELETE ${prefix}/platform/aliases/${first.body.uid}`, {
        token: user.token,
      })
      assert.deepEqual([removed.status, removed.body], [200, { status: 'SUCCESS' }])
      assert.equal((await server.visit(host, '/')).status, 404)
      const gone = await server.call(`DELETE ${prefix}/platform/aliases/${first.body.uid}`, {
        token: user.token,
      })
      assert.equal(gone.status, 404)
    })

  test('what one account holds, another cannot have, see or remove', async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    const [ours, theirs] = [await make(a, 'ours'), await make(b, 'theirs')]
    const { body } = await server.call(`POST /v2/platform/deployments/${ours.id}/aliases`, {
      token: a.token,
      body: { alias: 'held' },
    })
    const taken = await server.call(`POST /v2/platform/deployments/${theirs.id}/aliases`, {
      token: b.token,
      body: { alias: 'held' },
    })
    assert.deepEqual([taken.status, taken.body.error.code], [403, 'alias_in_use'])
    const foreign = await server.call(`POST /v2/platform/deployments/${ours.id}/aliases`, {
      token: b.token,
      body: { alias: 'mine' },
    })
    assert.deepEqual([foreign.status, foreign.body.error.code], [403, 'forbidden'])
    for (const key of [body.uid, 'held.localhost'])
      assert.equal((await server.call(`DELETE /v2/platform/aliases/${key}`, { token: b.token })).status, 404)
    const list = await server.call('GET /v2/platform/aliases', { token: b.token })
    assert.ok(!JSON.stringify(list.body).includes('held'))
    assert.equal(
      (await server.call(`GET /v2/platform/deployments/${ours.id}/aliases`, { token: b.token })).status,
      403,
    )
    const unknown = await server.call('POST /v2/platform/deployments/nope/aliases', {
      token: b.token,
      body: { alias: 'x' },
    })
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'deployment_not_found'])
    assert.equal((await server.visit('held.localhost', '/')).body, 'ours')
  })

  test('malformed, reserved and custom aliases', async () => {
    const user = await server.signUp()
    const { id, url } = await make(user, 'x')
    const assign = (alias: unknown) =>
      server.call(`POST /v2/platform/deployments/${id}/aliases`, { token: user.token, body: { alias } })
    for (const alias of [
      'www',
      'api.localhost',
      'alias',
      'admin',
      'api-bru1',
      '-a',
      'a_b',
      'a..b.localhost',
      'a.b.localhost',
      '*',
      'localhost',
      `${'x'.repeat(64)}`,
      url,
      'ünï',
    ]) {
      const answer = await assign(alias)
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_alias'], String(alias))
    }
    const custom = await assign('www.example.com')
    assert.deepEqual(
      [custom.status, custom.body.error.code, custom.body.error.name],
      [404, 'not_found', 'www.example.com'],
    )
    for (const alias of ['', 7, undefined]) assert.equal((await assign(alias)).status, 400)
    const staging = await assign(`own.${user.username}.localhost`)
    assert.equal(staging.status, 200, 'the staging form under the own scope')
    const word = await assign('Single-word')
    const { token } = user
    for (const name of [word.body.uid, 'Single-word', 'single-word.localhost']) {
      const { body } = await server.call(`GET /v2/platform/aliases/${name}`, { token })
      assert.equal(body.alias, 'single-word.localhost', name)
    }
    const remove = () => server.call('DELETE /v2/platform/aliases/single-word', { token })
    assert.deepEqual((await remove()).body, { status: 'SUCCESS' })
    assert.equal((await remove()).status, 404)
  })
})

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

/** Requests as published clients send them, recorded from the packages; docs/clients.md tells which. */
apiSuite('addresses that other clients know', (server) => {
  const deploy = async (token: string, name: string, target?: string) => {
    const made = await server.call('POST /v13/deployments?skipAutoDetectionConfirmation=1', {
      token,
      body: {
        name,
        ...(target === undefined ? {} : { target }),
        source: 'cli',
        projectSettings: { sourceFilesOutsideRootDirectory: true },
        files: [
          { file: 'empty', mode: 16877 },
          { file: 'index.html', data: `<h1>${name}</h1>` },
        ],
      },
    })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return made.body
  }

  test('a file is uploaded and deployed by the names of every time', async () => {
    const { token, id } = await server.signUp()
    for (const [files, deployments, digest, size] of [
      ['/v2/now/files', '/v10/now/deployments', 'x-now-digest', 'x-now-size'],
      ['/v2/files', '/v13/deployments', 'x-vercel-digest', 'x-vercel-size'],
      ['/v2/now/files', '/v13/now/deployments', 'x-now-digest', 'x-now-size'],
    ] as const) {
      const text = `<p>${deployments}</p>`
      const sent = await server.call(`POST ${files}?teamId=${id}`, {
        token,
        body: text,
        headers: {
          [digest]: sha1(text),
          [size]: String(text.length),
          'content-type': 'application/octet-stream',
        },
      })
      assert.equal(sent.status, 200, files)
      const made = await server.call(`POST ${deployments}`, {
        token,
        body: {
          name: 'uploaded',
          version: 2,
          files: [{ file: 'index.html', sha: sha1(text), size: text.length }],
        },
      })
      assert.deepEqual(
        [made.status, made.body.readyState, made.body.status],
        [200, 'READY', 'READY'],
        deployments,
      )
      assert.equal((await server.visit(made.body.url, '/')).body, text)
    }
  })

  test('a deployment has what later versions show, and our own address shows it as before', async () => {
    const { token, username } = await server.signUp()
    const made = await deploy(token, 'shown', 'production')
    const { body: d } = await server.call(`GET /v13/deployments/${made.url}`, { token })
    assert.equal(d.id, made.id)
    assert.equal(d.target, 'production')
    assert.equal(d.inspectorUrl, `http://aloft.test/deployments/${d.id}`)
    assert.equal(d.creator.username, username)
    assert.equal(d.projectSettings.nodeVersion, '24.x')
    assert.equal(d.aliasFinal, d.alias[0])
    assert.ok(d.ready >= d.buildingAt)
    const { body: native } = await server.call(`GET /v8/platform/deployments/${d.id}`, { token })
    assert.deepEqual(native.aliasFinal, d.alias)
    for (const key of ['status', 'inspectorUrl', 'projectSettings', 'buildingAt'])
      assert.equal(key in native, false, key)
    const found = await server.call(`GET /v10/now/deployments/get?url=${d.alias[0]}&resolve=1&noState=1`, {
      token,
    })
    assert.deepEqual([found.body.id, found.body.uid], [d.id, d.id])
    const { body: list } = await server.call('GET /v6/deployments?limit=5&target=production&state=READY', {
      token,
    })
    assert.deepEqual(
      list.deployments.map((each: { uid: string; readyState: string }) => [each.uid, each.readyState]),
      [[d.id, 'READY']],
    )
    const { body: files } = await server.call(`GET /v6/deployments/${d.id}/files`, { token })
    const { body: file } = await server.call(`GET /v7/deployments/${d.id}/files/${files[0].uid}`, { token })
    assert.equal(Buffer.from(file.data, 'base64').toString(), '<h1>shown</h1>')
  })

  test('a large file inside JSON is what it was, in however many pieces it was read', async () => {
    const { token } = await server.signUp()
    const bytes = randomBytes(700_001)
    const { body: made } = await server.call('POST /v13/deployments', {
      token,
      body: {
        ...{ name: 'large', projectSettings: { framework: null } },
        files: [{ file: 'large.bin', data: bytes.toString('base64'), encoding: 'base64' }],
      },
    })
    const sha = createHash('sha1').update(bytes).digest('hex')
    const { body, headers } = await server.call(`GET /v7/deployments/${made.id}/files/${sha}`, { token })
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.ok(Buffer.from(body.data, 'base64').equals(bytes))
  })

  test('a client that links a folder is asked for settings, makes the project and sets it', async () => {
    const { token } = await server.signUp()
    const asked = await server.call('POST /v13/deployments', {
      token,
      body: { name: 'linked', source: 'cli', version: 2, projectSettings: {}, files: [] },
    })
    assert.deepEqual([asked.status, asked.body.error.code], [428, 'missing_project_settings'])
    const made = await server.call('POST /v1/projects', {
      token,
      body: { name: 'linked', framework: 'one-that-nobody-knows', vercelAuth: 'unset' },
    })
    assert.deepEqual([made.status, made.body.nodeVersion, made.body.framework], [200, '24.x', null])
    for (const path of ['/v8/projects/linked', '/projects/linked', '/v9/projects/linked'])
      assert.equal((await server.call(`GET ${path}`, { token })).body.id, made.body.id, path)
    const set = await server.call(`PATCH /v2/projects/${made.body.id}`, {
      token,
      body: { buildCommand: 'make' },
    })
    assert.equal(set.body.buildCommand, 'make')
    assert.equal((await server.call('DELETE /v2/projects/linked', { token })).status, 204)
  })

  test('variables are added, listed, pulled and removed as each version does', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', { token, body: { name: 'variables' } })
    const path = '/projects/variables/env'
    for (const [version, key, target] of [
      ['v8', 'NEWER', ['production', 'development']],
      ['v4', 'OLDER', 'development'],
    ] as const) {
      const made = await server.call(`POST /${version}${path}`, {
        token,
        body: { type: 'encrypted', key, value: `${key} value`, target },
      })
      assert.equal(made.status, 201, JSON.stringify(made.body))
    }
    const { body: pulled } = await server.call('GET /v1/env/pull/variables/development', { token })
    assert.deepEqual(pulled.env, { NEWER: 'NEWER value', OLDER: 'OLDER value' })
    const { body: production } = await server.call(`GET /v8${path}?target=production`, { token })
    assert.deepEqual(
      production.envs.map(({ key }: { key: string }) => key),
      ['NEWER'],
    )
    await server.call(`DELETE /v4${path}/NEWER?target=production`, { token })
    const { body: left } = await server.call('GET /v3/env/pull/variables/production', { token })
    assert.deepEqual(left.env, {})
    const { body: still } = await server.call('GET /v3/env/pull/variables', { token })
    assert.deepEqual(Object.keys(still.env).sort(), ['NEWER', 'OLDER'])
  })

  test('a variable that is removed from one environment stays in all others', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', { token, body: { name: 'places' } })
    const make = async (slug: string): Promise<string> =>
      (await server.call('POST /v9/projects/places/custom-environments', { token, body: { slug } })).body.id
    const [staging, qa] = [await make('staging'), await make('qa')]
    const path = '/projects/places/env'
    const add = async (key: string, given: object) => {
      const body = { key, value: 'x', type: 'encrypted', ...given }
      const made = await server.call(`POST /v10${path}`, { token, body })
      assert.equal(made.status, 201, JSON.stringify(made.body))
    }
    const placesOf = async (key: string) => {
      const { body } = await server.call(`GET /v9${path}`, { token })
      const one = body.envs.find((each: { key: string }) => each.key === key)
      return one && [...one.target, ...(one.customEnvironmentIds ?? [])]
    }
    await add('BOTH', { target: ['preview'], customEnvironmentIds: [staging, qa] })
    await add('PLAIN', { target: ['production'] })
    for (const [query, count] of [
      [`customEnvironmentId=${qa}`, 1],
      ['customEnvironmentSlug=qa', 1],
      ['customEnvironmentSlug=none', 0],
      ['customEnvironmentId=none', 0],
      ['customEnvironmentId=', 2],
    ] as const) {
      const { body } = await server.call(`GET /v10${path}?${query}`, { token })
      assert.equal(body.envs.length, count, query)
    }
    const remove = (key: string, target: string) =>
      server.call(`DELETE /v4${path}/${key}?target=${target}`, { token })
    for (const [target, left] of [
      [staging, ['preview', qa]],
      ['preview', [qa]],
      [qa, undefined],
    ] as const) {
      assert.equal((await remove('BOTH', target)).status, 200)
      assert.deepEqual(await placesOf('BOTH'), left)
      assert.equal((await remove('BOTH', target)).status, 404)
    }
    await add('ALONE', { target: ['preview'], customEnvironmentId: staging })
    assert.equal((await remove('ALONE', staging)).status, 200)
    assert.equal(await placesOf('ALONE'), undefined)
    await add('ALL', { target: ['preview', 'production'] })
    assert.equal((await remove('ALL', '')).status, 200)
    assert.equal(await placesOf('ALL'), undefined)
  })

  test('several variables are removed at once, and those of others stay', async () => {
    const [{ token }, other] = [await server.signUp(), await server.signUp()]
    const add = async (of: string, project: string, key: string): Promise<string> => {
      const body = { key, value: 'x', type: 'encrypted', target: ['preview'] }
      return (await server.call(`POST /v10/projects/${project}/env`, { token: of, body })).body.created.id
    }
    for (const name of ['several', 'beside'])
      await server.call('POST /v10/projects', { token, body: { name } })
    await server.call('POST /v10/projects', { token: other.token, body: { name: 'theirs' } })
    const [one, two] = [await add(token, 'several', 'ONE'), await add(token, 'several', 'TWO')]
    await add(token, 'several', 'KEPT')
    const ids = [one, two, await add(token, 'beside', 'BESIDE'), await add(other.token, 'theirs', 'THEIRS')]
    const remove = (body: unknown, of = token) =>
      server.call('DELETE /v1/projects/several/env', { token: of, body })
    assert.equal((await remove({ ids }, other.token)).status, 404)
    for (const wrong of [{}, { ids: one }, undefined, null, []])
      assert.equal((await remove(wrong)).status, 400)
    const { status, body } = await remove({ ids })
    assert.deepEqual([status, body.deleted, body.ids.toSorted()], [200, 2, [one, two].toSorted()])
    const keysOf = async (of: string, project: string) =>
      (await server.call(`GET /v9/projects/${project}/env`, { token: of })).body.envs.map(
        ({ key }: { key: string }) => key,
      )
    assert.deepEqual(await keysOf(token, 'several'), ['KEPT'])
    assert.deepEqual(await keysOf(token, 'beside'), ['BESIDE'])
    assert.deepEqual(await keysOf(other.token, 'theirs'), ['THEIRS'])
  })

  test('what is longer than any list of a client is refused before it is read', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', { token, body: { name: 'longer' } })
    const refusal = async (on: string, body: string) => {
      const answer = await server.call(on, { token, body })
      return [answer.status, answer.body.error?.message]
    }
    const zeros = JSON.stringify(new Array(101).fill(0))
    const tooMany = [400, 'Invalid request: the request should have at most 100 items.']
    for (const on of ['v4', 'v5', 'v9'].map((version) => `POST /${version}/projects/longer/env`))
      assert.deepEqual(await refusal(on, zeros), tooMany, on)
    for (const on of ['POST /v1/projects', 'PATCH /v1/projects/longer', 'POST /v2/teams/x/members']) {
      assert.deepEqual(await refusal(on, zeros), tooMany, on)
      assert.deepEqual(
        await refusal(on, JSON.stringify('a'.repeat(1000))),
        [400, 'Invalid request: the request should be an object or array.'],
        on,
      )
    }
    assert.deepEqual(
      await refusal('DELETE /v1/projects/longer/env', JSON.stringify({ ids: new Array(1001).fill('') })),
      [400, 'Invalid request: `ids` should have at most 1000 items.'],
    )
    const all = Array.from({ length: 100 }, (_, n) => ({
      key: `KEY_${n}`,
      value: 'x'.repeat(10_000),
      target: 'preview',
    }))
    const made = await server.call('POST /v9/projects/longer/env', { token, body: all })
    assert.deepEqual([made.status, made.body.length], [201, 100])
  })

  test('what is no object is refused where one is read', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', { token, body: { name: 'objects' } })
    const { body: team } = await server.call('POST /v1/teams', {
      token,
      body: { slug: `objects-${server.clock.now()}` },
    })
    const variable = { key: 'KEY', value: 'x', type: 'encrypted', target: 'preview' }
    const environment = ['v4', 'v5', 'v9'].map((version) => `POST /${version}/projects/objects/env`)
    for (const on of [...environment, 'PUT /v8/certs', `PATCH /v2/teams/${team.id}`])
      for (const body of [undefined, null, [null], [variable, null], [0], ['x'], [[variable]]]) {
        const { status } = await server.call(on, { token, body })
        assert.equal(status, 400, `${on} ${JSON.stringify(body)}`)
      }
    const { body: list } = await server.call('GET /v9/projects/objects/env', { token })
    assert.deepEqual(list.envs, [])
  })

  test('the first versions keep variables as secrets and list them without a frame', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', { token, body: { name: 'first' } })
    const secret = await server.call('POST /v2/now/secrets/KEY', {
      token,
      body: { name: 'key-production', value: 'hidden', projectId: 'first', decryptable: false },
    })
    assert.deepEqual([secret.status, secret.body.name], [200, 'key-production'])
    const body = [{ key: 'KEY', value: secret.body.uid, target: 'production' }]
    const made = await server.call('POST /v4/projects/first/env', { token, body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { body: list } = await server.call('GET /v4/projects/first/env?target=production', { token })
    assert.deepEqual(
      list.map(({ key, type, value }: { key: string; type: string; value: string }) => [key, type, value]),
      [['KEY', 'secret', secret.body.uid]],
    )
    const absent = await server.call('GET /now/aliases/nobody.example.com', { token })
    assert.deepEqual([absent.status, absent.body], [200, null])
  })

  test('a variable says that nothing was found wrong with it, where a version asks', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', { token, body: { name: 'looked-at' } })
    const body = { type: 'plain', key: 'KEY', value: 'value', target: ['production'] }
    await server.call('POST /v10/projects/looked-at/env', { token, body })
    const { body: later } = await server.call('GET /v10/projects/looked-at/env', { token })
    assert.deepEqual(later.envs[0].securityIssues, [])
    const { body: native } = await server.call('GET /v9/projects/looked-at/env', { token })
    assert.equal('securityIssues' in native.envs[0], false)
  })

  test('a secret is looked up by its name or id wherever it is in the list, and its value by nobody', async () => {
    const { token } = await server.signUp()
    const made: { uid: string; name: string }[] = []
    for (let i = 0; i < 102; i++) {
      const body = { name: `secret-${i}`, value: 'hidden' }
      made.push((await server.call('POST /v2/platform/secrets', { token, body })).body)
    }
    const [first, last] = [made[0], made.at(-1)]
    for (const [path, wanted] of [
      [`/now/secrets/${first?.name}`, first],
      [`/v2/now/secrets/${first?.uid}`, first],
      [`/v3/secrets/${last?.name}`, last],
    ] as const) {
      const { status, body } = await server.call(`GET ${path}`, { token })
      assert.deepEqual([status, body.uid, body.name], [200, wanted?.uid, wanted?.name], path)
      assert.equal('value' in body, false)
    }
    const read = await server.call(`GET /v2/now/secrets/${last?.name}?decrypt=true`, { token })
    assert.deepEqual([read.status, read.body.error.code], [403, 'forbidden'])
    assert.equal((await server.call('GET /now/secrets/absent', { token })).status, 404)
    assert.equal((await server.call('DELETE /now/secrets/secret-0', { token })).body.name, 'secret-0')
    const other = await server.signUp()
    assert.equal((await server.call('GET /now/secrets/secret-1', { token: other.token })).status, 404)
  })

  test('one signs in without a prefix, and the name of the client may come later', async () => {
    const asked = await server.call('POST /registration', { body: { email: 'stock@aloft.test' } })
    assert.deepEqual([asked.status, typeof asked.body.securityCode], [200, 'string'])
    const waiting = await server.call(
      `GET /registration/verify?email=stock%40aloft.test&token=${asked.body.token}&tokenName=CLI`,
    )
    assert.deepEqual([waiting.status, waiting.body.error.message], [400, 'Confirmation incomplete'])
  })

  test('deployments are listed by what clients filter them by, and never more than that', async () => {
    const { token } = await server.signUp()
    const list = async (query: string) => {
      const { status, body } = await server.call(`GET /v6/deployments?${query}`, { token })
      return status === 200 ? body.deployments.map(({ name }: { name: string }) => name).sort() : status
    }
    const first = await deploy(token, 'first')
    await deploy(token, 'second', 'production')
    const body = {
      ...{ name: 'third', version: 2, files: [{ file: 'index.html', data: 'x' }] },
      meta: { gitBranch: 'feat/x', gitCommitSha: 'a1b2' },
    }
    const { body: third } = await server.call('POST /v8/platform/deployments', { token, body })
    const { stores } = server.parts
    await stores.deployments.update(third.id, { state: 'DEPLOYING' })
    for (const [query, expected] of [
      ['', ['first', 'second', 'third']],
      ['branch=feat%2Fx', ['third']],
      ['branch=', ['first', 'second', 'third']],
      ['branch=main', []],
      ['sha=a1b2', ['third']],
      ['state=READY,QUEUED', ['first', 'second']],
      ['state=building,CANCELED', ['third']],
      ['state=CANCELED', []],
      ['state=WRONG', 400],
      ['target=production', ['second']],
      ['target=elsewhere', []],
      [`projectIds=${first.projectId}`, ['first']],
      [`projectIds=${first.projectId}&projectIds=${third.projectId}`, 400],
    ] as const)
      assert.deepEqual(await list(query), expected, query)
  })

  test('later clients page through projects with `from`, in which a time still asks for newer ones', async () => {
    const { token } = await server.signUp()
    const times: number[] = []
    for (const name of ['one', 'two', 'three']) {
      times.push((await server.call('POST /v10/projects', { token, body: { name } })).body.updatedAt)
      server.clock.advance(10)
    }
    const list = async (query: string) =>
      (await server.call(`GET /v10/projects?limit=1${query}`, { token })).body
    for (const name of ['from', 'until']) {
      const seen: string[] = []
      for (let page = await list(''); ; page = await list(`&${name}=${page.pagination.next}`)) {
        seen.push(...page.projects.map((each: { name: string }) => each.name))
        if (page.pagination.next === null) break
        assert.ok(Number.isSafeInteger(page.pagination.next) && seen.length < 4)
      }
      assert.deepEqual(seen, ['three', 'two', 'one'], name)
    }
    const newer = await list(`&from=${times[1]}`)
    assert.deepEqual([newer.projects[0].name, newer.pagination.next], ['three', null])
    const older = await list(`&until=${times[1]}`)
    assert.equal(older.projects[0].name, 'one')
  })

  test('how a domain of a project is set up is told, whether the account has the domain or not', async () => {
    const { token } = await server.signUp()
    await deploy(token, 'sold', 'production')
    const { price } = (await server.call('GET /v4/domains/price?name=sold-here.com', { token })).body
    await server.call('POST /v4/domains/buy', {
      token,
      body: { name: 'sold-here.com', expectedPrice: price },
    })
    for (const name of ['shop.customer.com', 'www.sold-here.com', 'sold-here.com'])
      await server.call('POST /v10/projects/sold/domains', { token, body: { name } })
    const config = (name: string, caller = token) =>
      server.call(`GET /v6/domains/${name}/config`, { token: caller })
    const customer = await config('Shop.customer.com')
    assert.deepEqual([customer.status, customer.body.misconfigured], [200, true])
    assert.deepEqual(
      [customer.body.serviceType, customer.body.configuredBy, customer.body.nameservers],
      ['external', null, []],
    )
    assert.deepEqual(
      customer.body.recommendedCNAME.map(({ rank }: { rank: number }) => rank),
      [1],
    )
    // Of itself, and not of the domain above it, which has no CNAME.
    const [www, apex] = [await config('www.sold-here.com'), await config('sold-here.com')]
    assert.deepEqual([www.body.serviceType, apex.body.serviceType], ['zeit.world', 'zeit.world'])
    const { token: foreign } = await server.signUp()
    assert.equal((await config('shop.customer.com', foreign)).status, 404)
    assert.equal((await config('nobodys.com')).status, 404)
  })

  test('aliases of a promotion are told with the deployment that they were to show', async () => {
    const { token } = await server.signUp()
    const { id } = await deploy(token, 'moved', 'production')
    await server.call(`POST /v10/projects/moved/promote/${id}`, { token })
    for (const on of ['promote', 'rollback']) {
      const { body } = await server.call(`GET /v9/projects/moved/${on}/aliases`, { token })
      assert.ok(body.aliases.length > 0)
      for (const { alias } of body.aliases) assert.equal(alias.deploymentId, id)
    }
  })

  test('aliases, domains, records and certificates are found at the addresses of each version', async () => {
    const { token } = await server.signUp()
    const { id, alias } = await deploy(token, 'names', 'production')
    const { body: found } = await server.call(`GET /now/aliases/${alias[0]}`, { token })
    assert.equal(found.deploymentId, id)
    assert.equal((await server.call(`GET /v4/aliases/${found.uid}`, { token })).body.alias, alias[0])
    const { price } = (await server.call('GET /v3/domains/price?name=names.com', { token })).body
    const at = '/v1/registrar/domains/names.com'
    const { body: all } = await server.call(`GET ${at}/price`, { token })
    assert.deepEqual([all.years, all.purchasePrice], [1, price])
    assert.ok(all.renewalPrice > 0 && all.transferPrice > 0)
    assert.deepEqual((await server.call(`GET ${at}/availability`, { token })).body, { available: true })
    const ordered = (domain: string, years: number) =>
      server.call(`POST /v1/registrar/domains/${domain}/buy`, {
        token,
        body: { autoRenew: true, years, expectedPrice: price, contactInformation: { firstName: 'Ada' } },
      })
    const tooLong = await ordered('ordered.com', 2)
    assert.deepEqual([tooLong.status, tooLong.body.error.code], [400, 'bad_request'])
    const order = await ordered('ordered.com', 1)
    const { href, method } = order.body._links.domain
    const { body: owned } = await server.call(`${method} ${href}`, { token })
    assert.deepEqual(
      [order.status, order.body.orderId, owned.domain.name],
      [200, owned.domain.id, 'ordered.com'],
    )
    const bought = await server.call('POST /v5/domains/buy', {
      token,
      body: { name: 'names.com', expectedPrice: price, renew: true },
    })
    assert.deepEqual([bought.status, bought.body.domain.verified], [201, true])
    const { body: domain } = await server.call('GET /v5/domains/names.com', { token })
    assert.deepEqual([domain.domain.serviceType, domain.domain.customNameservers], ['zeit.world', []])
    const { body: record } = await server.call('POST /v3/domains/names.com/records', {
      token,
      body: { type: 'MX', name: '', value: 'mx.names.com', mxPriority: 10 },
    })
    const { body: located } = await server.call(`GET /v5/domains/records/${record.uid}`, { token })
    assert.deepEqual([located.domain, located.value], ['names.com', '10 mx.names.com'])
    const { body: listed } = await server.call('GET /v5/domains/names.com/records', { token })
    const mail = listed.records.find(({ id }: { id: string }) => id === record.uid)
    // The command line prints a priority of its own before the value.
    assert.deepEqual([mail.value, mail.mxPriority, mail.priority], ['10 mx.names.com', undefined, undefined])
    const changed = await server.call(`PATCH /v1/domains/records/${record.uid}`, {
      token,
      body: { value: '20 mx.names.com' },
    })
    assert.deepEqual([changed.body.id, changed.body.value], [record.uid, '20 mx.names.com'])
    const other = await server.signUp()
    assert.equal(
      (await server.call(`GET /v5/domains/records/${record.uid}`, { token: other.token })).status,
      404,
    )
    const issued = await server.call('POST /v7/certs', { token, body: { cns: ['names.com'] } })
    assert.deepEqual(issued.body.cns, ['names.com'])
    assert.equal(
      (await server.call(`GET /v6/now/certs/${issued.body.id}`, { token })).body.uid,
      issued.body.id,
    )
  })

  test('the own id as a team is the personal account, and a foreign one is not', async () => {
    const [mine, other] = [await server.signUp(), await server.signUp()]
    await deploy(mine.token, 'own')
    const { body } = await server.call(`GET /v9/projects?teamId=${mine.id}`, { token: mine.token })
    assert.equal(body.projects.length, 1)
    assert.equal(
      (await server.call(`GET /v9/projects?teamId=${mine.id}`, { token: other.token })).status,
      403,
    )
  })

  test('each member of a team is told their own role, whoever made the team', async () => {
    const [mine, owner, member] = [await server.signUp(), await server.signUp(), await server.signUp()]
    const slug = `roles-${mine.username}`
    const { body: team } = await server.call('POST /v1/teams', { token: mine.token, body: { slug } })
    for (const [{ email }, role] of [
      [owner, 'OWNER'],
      [member, 'MEMBER'],
    ] as const)
      await server.call(`POST /v1/teams/${team.id}/members`, { token: mine.token, body: { email, role } })
    const rolesOf = async ({ token }: { token: string }) => {
      const { body: list } = await server.call('GET /v2/teams', { token })
      const { body: one } = await server.call(`GET /v2/teams/${team.id}`, { token })
      return [list.teams[0].membership.role, one.membership.role]
    }
    assert.deepEqual(await rolesOf(mine), ['OWNER', 'OWNER'])
    assert.deepEqual(await rolesOf(owner), ['OWNER', 'OWNER'])
    assert.deepEqual(await rolesOf(member), ['MEMBER', 'MEMBER'])
    const { token } = mine
    await server.call(`PATCH /v1/teams/${team.id}/members/${mine.id}`, { token, body: { role: 'MEMBER' } })
    assert.deepEqual(await rolesOf(mine), ['MEMBER', 'MEMBER'])
  })

  test('a member is added with the role that was asked for, or not at all', async () => {
    const [mine, guest, other] = [await server.signUp(), await server.signUp(), await server.signUp()]
    const slug = `added-${mine.username}`
    const { body: team } = await server.call('POST /v1/teams', { token: mine.token, body: { slug } })
    const add = (body: unknown) =>
      server.call(`POST /v2/teams/${team.id}/members`, { token: mine.token, body })
    const [{ email }, { email: second }] = [guest, other]
    for (const role of ['VIEWER', 'DEVELOPER', 'BILLING', 'CONTRIBUTOR'])
      for (const body of [{ email, role }, [{ email, role }]]) {
        const refused = await add(body)
        assert.equal(refused.status, 400, role)
        assert.match(refused.body.error.message, /`role`/)
      }
    for (const body of [[{ email }, { email: second }], [], [null], ['x']])
      assert.equal((await add(body)).status, 400, JSON.stringify(body))
    const members = async () =>
      (await server.call(`GET /v1/teams/${team.id}/members`, { token: mine.token })).body.map(
        ({ uid, role }: { uid: string; role: string }) => [uid, role],
      )
    assert.deepEqual(await members(), [[mine.id, 'OWNER']])
    const made = await add([{ email, role: 'OWNER' }])
    assert.deepEqual([made.status, made.body.role, made.body.email], [200, 'OWNER', email])
    assert.equal((await add({ email: second })).body.role, 'MEMBER')
    assert.deepEqual(await members(), [
      [mine.id, 'OWNER'],
      [guest.id, 'OWNER'],
      [other.id, 'MEMBER'],
    ])
  })

  test('nobody sees more at another address than at our own', async () => {
    const [mine, other] = [await server.signUp(), await server.signUp()]
    const { id, projectId } = await deploy(mine.token, 'walled')
    for (const path of [
      `/v13/deployments/${id}`,
      `/v3/now/deployments/${id}/events`,
      `/v7/deployments/${id}/files/${sha1('<h1>walled</h1>')}`,
      `/v11/deployments/${id}/builds`,
    ]) {
      assert.equal((await server.call(`GET ${path}`, { token: other.token })).status, 403, path)
      assert.equal((await server.call(`GET ${path}`)).body.error.missingToken, true, path)
    }
    for (const path of [`/v8/projects/${projectId}`, `/v1/env/pull/${projectId}`])
      assert.equal((await server.call(`GET ${path}`, { token: other.token })).status, 404, path)
  })

  test('what is not there is named, and the operator sees what was asked for most', async () => {
    const { token } = await server.operator()
    for (let i = 0; i < 3; i++) {
      const refused = await server.call(`GET /v7/widgets/wid_${i}`, { token })
      assert.deepEqual([refused.status, refused.body.error.code], [404, 'not_found'])
      assert.equal(refused.body.error.message, `There is no endpoint \`GET /v7/widgets/wid_${i}\`.`)
    }
    const refused = await server.call('PUT /v13/deployments', { token })
    assert.deepEqual([refused.status, refused.body.error.code], [405, 'method_unknown'])
    assert.equal(
      refused.body.error.message,
      'There is no endpoint `PUT /v13/deployments`. This path accepts: POST.',
    )
    const { body } = await server.call('GET /v1/operator/unknown-endpoints', { token })
    assert.deepEqual(
      body.endpoints
        .slice(0, 2)
        .map(({ endpoint, count }: { endpoint: string; count: number }) => [endpoint, count]),
      [
        ['GET /v7/widgets/:id', 3],
        ['PUT /v13/deployments', 1],
      ],
    )
    for (const word of 'abcdefghijkl') await server.call(`GET /v7/${word}`, { token })
    const { body: more } = await server.call('GET /v1/operator/unknown-endpoints', { token })
    assert.equal(more.endpoints.length, 10)
    assert.equal(more.endpoints[0].endpoint, 'GET /v7/widgets/:id')
    const other = await server.signUp()
    assert.equal(
      (await server.call('GET /v1/operator/unknown-endpoints', { token: other.token })).status,
      403,
    )
  })
})

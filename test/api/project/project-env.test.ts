import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openValues } from '#core/deployment/env/frozen-values.ts'
import { createSiteNames } from '#core/deployment/env/site-names.ts'
import { surroundings } from '#core/deployment/env/system-env.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'

const ALL = ['production', 'preview', 'development']
const FILES = [{ file: 'index.html', data: 'home' }]

apiSuite('variables of projects', (server) => {
  const begin = async (name = 'site') => {
    const account = await server.signUp()
    const { body: project } = await server.call('POST /v10/projects', {
      token: account.token,
      body: { name },
    })
    return { ...account, project }
  }
  const add = (token: string, body: unknown, query = '') =>
    server.call(`POST /v10/projects/site/env${query}`, { token, body })
  const list = async (token: string, query = '') =>
    (await server.call(`GET /v9/projects/site/env${query}`, { token })).body.envs
  const secret = async (token: string, name: string, value: string) =>
    (await server.call('POST /v2/platform/secrets', { token, body: { name, value } })).body.uid
  const plain = (key: string, value = 'x', more: object = {}) => ({
    key,
    value,
    type: 'plain',
    target: ['production', 'preview'],
    ...more,
  })
  /** The variables that a new deployment runs and is built with. */
  const deployed = async (token: string, more: object = {}) => {
    const { body } = await server.call('POST /v8/platform/deployments', {
      token,
      body: { name: 'site', version: 2, files: FILES, ...more },
    })
    assert.ok(body.id, JSON.stringify(body))
    const { deployments } = server.parts.stores
    const deployment = await deployments.find(body.id)
    const sealed = await deployments.sealedEnv(body.id)
    assert.ok(deployment && sealed)
    const values = openValues(server.parts.vault, body.id, sealed)
    const names = await createSiteNames({ ...server.parts.stores, domain: 'localhost' })(deployment)
    return { ...values, around: surroundings(deployment, values, names), id: body.id, url: body.url }
  }

  test('each type is stored, listed and read as it should', async () => {
    const { token, project } = await begin()
    const uid = await secret(token, 'db', 'postgres://')
    const created = []
    for (const [type, value] of [
      ['plain', 'in the clear'],
      ['encrypted', 'kept safe'],
      ['sensitive', 'never again'],
      ['secret', '@db'],
      ['system', 'PLATFORM_URL'],
    ] as const) {
      const made = await add(token, {
        key: `A_${type.toUpperCase()}`,
        value,
        type,
        target: 'production',
        comment: 'why',
      })
      assert.equal(made.status, 201)
      assert.deepEqual(made.body.failed, [])
      created.push(made.body.created)
      server.clock.advance(1)
    }
    const encrypted = created[1]
    assertGolden('project/variable', { ...encrypted, id: '<id>', value: '<sealed>' })
    assert.match(encrypted.id, /^[0-9A-Za-z]{16}$/)

    const values = (envs: { type: string; value: string; decrypted: boolean }[]) =>
      Object.fromEntries(envs.map(({ type, value, decrypted }) => [type, [value, decrypted]]))
    const shown = values(await list(token))
    assert.deepEqual(shown.plain, ['in the clear', true])
    assert.equal(shown.encrypted?.[1], false)
    assert.doesNotMatch(String(shown.encrypted?.[0]), /kept safe/)
    assert.deepEqual(shown.sensitive, ['', false])
    assert.deepEqual(shown.secret, [uid, false])
    assert.deepEqual(shown.system, ['PLATFORM_URL', false])
    const decrypted = values(await list(token, '?decrypt=true'))
    assert.deepEqual(decrypted.encrypted, ['kept safe', true])
    assert.deepEqual(decrypted.sensitive, ['', false])
    for (const { id, type } of created) {
      const one = await server.call(`GET /v1/projects/${project.id}/env/${id}`, { token })
      assert.deepEqual([one.body.value, one.body.decrypted], decrypted[type])
    }
    const stored = JSON.stringify(await server.parts.stores.envVariables.list(project.id))
    assert.doesNotMatch(stored, /kept safe|never again|postgres:/)
    assert.deepEqual(
      (await list(token)).map(({ id }: { id: string }) => id),
      created.map(({ id }) => id).reverse(),
    )
  })

  test('what cannot be is refused', async () => {
    const { token } = await begin()
    const bad: [object, string][] = [
      [{ value: 'x', type: 'plain', target: ALL }, 'bad_request'],
      [{ key: 'A', type: 'plain', target: ALL }, 'bad_request'],
      [{ key: 'A', value: 'x', target: ALL }, 'bad_request'],
      [{ key: 'A', value: 'x', type: 'plain' }, 'bad_request'],
      [plain('A', 'x', { target: [] }), 'bad_request'],
      [plain('A', 'x', { target: 'elsewhere' }), 'bad_request'],
      [plain('A', 'x', { type: 'open' }), 'bad_request'],
      [plain('A', 'x', { colour: 'red' }), 'bad_request'],
      [plain('A-B'), 'env_key_invalid_characters'],
      [plain('A'.repeat(257)), 'env_key_invalid_length'],
      [plain('A', 'x'.repeat(65_537)), 'env_value_invalid_length'],
      [plain('A', 'x', { type: 'sensitive', target: ALL }), 'bad_request'],
      [plain('A', 'x', { type: 'system' }), 'bad_request'],
      [plain('A', '@none', { type: 'secret' }), 'env_secret_missing'],
      [plain('A', 'x', { gitBranch: 'dev' }), 'bad_request'],
      [plain('A', 'x', { target: ['preview'], gitBranch: 'x'.repeat(251) }), 'bad_request'],
      [plain('A', 'x', { comment: 'x'.repeat(501) }), 'bad_request'],
    ]
    for (const [body, code] of bad) {
      const answer = await add(token, body)
      assert.deepEqual(
        [answer.status, answer.body.error?.code],
        [400, code],
        JSON.stringify(body).slice(0, 200),
      )
    }
    const named = await add(token, { value: 'x', type: 'plain', target: ALL })
    assert.match(named.body.error.message, /`key`/)
    assert.deepEqual(await list(token), [])
    assert.equal((await server.call('GET /v9/projects/none/env', { token })).status, 404)
    assert.equal((await server.call('GET /v1/projects/site/env/none', { token })).status, 404)
    const unnamed = await server.call('GET /v1/projects/site/env/none')
    assert.equal(unnamed.status, 401)
  })

  test('a production branch is no branch of previews', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', {
      token,
      body: { name: 'site', gitRepository: { type: 'github', repo: 'a/b' } },
    })
    const on = (gitBranch: string) => add(token, plain('A', 'x', { target: ['preview'], gitBranch }))
    assert.equal((await on('main')).status, 400)
    assert.equal((await on('dev')).status, 201)
    await server.call('PATCH /v9/projects/site', { token, body: { productionBranch: 'trunk' } })
    assert.equal((await on('trunk')).status, 400)
    assert.equal((await on('main')).status, 201)
  })

  test('two variables of a name are apart by target, branch and environment', async () => {
    const { token } = await begin()
    const first = await add(token, plain('A'))
    const taken = await add(token, plain('A', 'y', { target: ['preview', 'development'] }))
    assert.equal(taken.status, 403)
    assertGolden('project/variable-taken', { ...taken.body.error, envVarId: '<id>' })
    assert.equal(taken.body.error.envVarId, first.body.created.id)
    for (const more of [
      { target: ['development'] },
      { target: ['preview'], gitBranch: 'dev' },
      { target: ['preview'], gitBranch: 'other' },
      { target: ['preview'], customEnvironmentId: 'env_1' },
    ])
      assert.equal((await add(token, plain('A', 'y', more))).status, 201, JSON.stringify(more))
    assert.equal((await list(token)).length, 5)
    assert.equal((await list(token, '?gitBranch=dev')).length, 1)
    assert.equal((await list(token, '?customEnvironmentId=env_1')).length, 1)
  })

  test('many are created at once, and those that clash are told apart', async () => {
    const { token } = await begin()
    await add(token, plain('A'))
    const made = await add(token, [plain('A'), plain('B'), plain('B'), plain('C')])
    assert.equal(made.status, 201)
    assert.deepEqual(
      made.body.created.map(({ key }: { key: string }) => key),
      ['B', 'C'],
    )
    assert.deepEqual(
      made.body.failed.map(({ error }: { error: { code: string; key: string } }) => [error.code, error.key]),
      [
        ['ENV_CONFLICT', 'A'],
        ['ENV_CONFLICT', 'B'],
      ],
    )
    // What there is not is left out: clients take null for a mistake.
    assert.ok(!('gitBranch' in made.body.failed[0].error))
    const invalid = await add(token, [plain('D'), plain('E-E')])
    assert.equal(invalid.status, 400)
    assert.equal((await list(token)).length, 3)
  })

  test('upsert changes the one that is there, and takes targets from others', async () => {
    const { token } = await begin()
    const { body: one } = await add(token, plain('A', 'old', { target: ['production'] }))
    server.clock.advance(1)
    await add(token, plain('A', 'old', { target: ['preview', 'development'] }))
    const { body: three } = await add(
      token,
      plain('A', 'new', { type: 'encrypted', target: ['production', 'preview'], comment: 'both' }),
      '?upsert=true',
    )
    assert.equal(three.created.id, one.created.id)
    const rest = (await list(token, '?decrypt=1')).map(
      ({ value, target, type }: { value: string; target: string[]; type: string }) => [value, type, target],
    )
    assert.deepEqual(rest, [
      ['old', 'plain', ['development']],
      ['new', 'encrypted', ['production', 'preview']],
    ])
    await add(token, plain('A', 'last', { target: ALL }), '?upsert=true')
    assert.equal((await list(token)).length, 1)
  })

  test('a variable is changed and removed', async () => {
    const { token } = await begin()
    const { body } = await add(token, plain('A', 'x', { type: 'encrypted' }))
    await add(token, plain('B'))
    const { id } = body.created
    const change = (given: object) => server.call(`PATCH /v9/projects/site/env/${id}`, { token, body: given })
    const changed = await change({ comment: 'now', target: ['preview'], gitBranch: 'dev' })
    assert.deepEqual(
      [changed.status, changed.body.comment, changed.body.target, changed.body.gitBranch],
      [200, 'now', ['preview'], 'dev'],
    )
    assert.equal((await list(token, '?decrypt=true&gitBranch=dev'))[0].value, 'x')
    assert.equal((await change({ gitBranch: null })).body.gitBranch, undefined)
    const clash = await change({ key: 'B' })
    assert.deepEqual([clash.status, clash.body.error.code], [403, 'ENV_ALREADY_EXISTS'])
    assert.equal((await change({ value: 'plain', type: 'plain' })).body.value, 'plain')
    assert.equal((await change({ type: 'sensitive' })).body.value, '')
    assert.equal((await change({ type: 'plain' })).status, 400)
    assert.equal((await change({ type: 'plain', value: 'y' })).status, 400)
    assert.equal((await change({ target: ['development'] })).status, 400)
    assert.equal((await change({ value: 'z' })).status, 200)
    const elsewhere = `DELETE /v9/projects/site/env/${id}?customEnvironmentId=env_1`
    assert.equal((await server.call(elsewhere, { token })).status, 404)
    const removed = await server.call(`DELETE /v9/projects/site/env/${id}`, { token })
    assert.deepEqual([removed.status, removed.body.id], [200, id])
    assert.equal((await server.call(`DELETE /v9/projects/site/env/${id}`, { token })).status, 404)
    assert.equal((await change({ value: 'z' })).status, 404)
  })

  test('v1: variables are secrets that are set everywhere', async () => {
    const { token } = await begin()
    await secret(token, 'one', '1')
    await secret(token, 'two', '2')
    await add(token, plain('OTHER'))
    const on = (method: string, path: string, body?: object) =>
      server.call(`${method} /v1/projects/site/env${path}`, { token, body })
    const pairs = ({ body }: { body: { key: string; value: string }[] }) =>
      body.map(({ key, value }) => [key, value]).sort()
    const set = await on('POST', '', { key: 'A', value: '@one' })
    assertGolden('project/variable-first', set.body)
    assert.deepEqual(pairs(await on('POST', '', { key: 'A', value: '@two' })), [['A', '@two']])
    assert.equal((await on('POST', '', { key: 'B', value: 'plain' })).status, 400)
    assert.equal((await on('POST', '', { key: 'B', value: '@none' })).status, 400)
    const put = await on('PUT', '', { env: { B: '@one', C: '@two' } })
    assert.deepEqual(pairs(put), [
      ['B', '@one'],
      ['C', '@two'],
    ])
    assert.deepEqual(pairs(await on('DELETE', '/B')), [['C', '@two']])
    assert.equal((await on('DELETE', '/B')).status, 404)
    assert.deepEqual(pairs(await on('GET', '')), [['C', '@two']])
    assert.equal((await list(token)).length, 2)
    await server.call('PATCH /v2/platform/secrets/two', { token, body: { name: 'zwei' } })
    assert.deepEqual(pairs(await on('GET', '')), [['C', '@zwei']])
  })

  test('deployments are given what is meant for them, as it was when they were made', async () => {
    const { token } = await begin()
    const uid = await secret(token, 'db', 'the secret')
    for (const body of [
      plain('PROD', 'p', { target: ['production'] }),
      plain('PREV', 'general', { target: ['preview'] }),
      plain('PREV', 'of the branch', { target: ['preview'], gitBranch: 'dev' }),
      plain('DEV', 'd', { target: ['development'] }),
      plain('CUSTOM', 'c', { customEnvironmentId: 'env_1' }),
      plain('SAFE', 'kept safe', { type: 'sensitive' }),
      plain('DB', uid, { type: 'secret' }),
      plain('ADDRESS', 'PLATFORM_URL', { type: 'system' }),
      plain('OVER', 'project'),
    ])
      assert.equal((await add(token, body)).status, 201)
    const preview = await deployed(token, { env: { OVER: 'request' }, build: { env: { OVER: 'build' } } })
    assert.deepEqual(preview.env, { PREV: 'general', SAFE: 'kept safe', DB: 'the secret', OVER: 'request' })
    assert.deepEqual(preview.buildEnv, { ...preview.env, OVER: 'build' })
    assert.deepEqual(preview.secrets.toSorted(), ['kept safe', 'the secret'])
    assert.deepEqual([preview.around.ADDRESS, preview.around.PLATFORM], [preview.url, '1'])
    for (const meta of [{ gitBranch: 'dev' }, { githubCommitRef: 'dev' }])
      assert.equal((await deployed(token, { meta, env: { ...meta } })).env.PREV, 'of the branch')
    const production = await deployed(token, { target: 'production' })
    assert.deepEqual(production.env, { PROD: 'p', SAFE: 'kept safe', DB: 'the secret', OVER: 'project' })

    assert.equal((await deployed(token, { target: 'production' })).id, production.id)
    server.clock.advance(1)
    await add(token, plain('PROD', 'q', { target: ['production'] }), '?upsert=1')
    const anew = await deployed(token, { target: 'production' })
    assert.notEqual(anew.id, production.id)
    assert.equal(anew.env.PROD, 'q')
    await server.call('DELETE /v2/platform/secrets/db', { token })
    const missing = await server.call('POST /v8/platform/deployments?forceNew=1', {
      token,
      body: { name: 'site', version: 2, files: FILES },
    })
    assert.deepEqual([missing.status, missing.body.error.code], [400, 'env_secret_missing'])
  })

  test('code is told the names of its project in production and of its branch', async () => {
    const { token, project } = await begin('named')
    const first = await deployed(token, { name: 'named', meta: { gitBranch: 'feature' } })
    assert.equal(first.around.VERCEL_PROJECT_PRODUCTION_URL, 'named.localhost')
    assert.equal(first.around.PLATFORM_PROJECT_PRODUCTION_URL, 'named.localhost')
    assert.equal(first.around.VERCEL_BRANCH_URL, undefined)
    assert.equal(first.around.VERCEL_TARGET_ENV, 'preview')

    const added = async (name: string, more: object = {}) => {
      const path = `POST /v10/projects/${project.id}/domains`
      const { status } = await server.call(path, { token, body: { name, ...more } })
      assert.equal(status, 200)
    }
    await added('www.longer.example')
    await added('shop.example')
    await added('feature.shop.example', { gitBranch: 'feature' })
    const later = await deployed(token, {
      name: 'named',
      target: 'staging',
      forceNew: true,
      meta: { gitBranch: 'feature' },
    })
    assert.equal(later.around.VERCEL_PROJECT_PRODUCTION_URL, 'shop.example')
    assert.equal(later.around.VERCEL_BRANCH_URL, 'feature.shop.example')
    assert.deepEqual([later.around.VERCEL_ENV, later.around.VERCEL_TARGET_ENV], ['preview', 'staging'])
  })

  test('a name that another project was faster to take is not called the project’s own', async () => {
    const holder = await begin()
    await deployed(holder.token, { target: 'production' })
    const { token } = await begin()
    const { around } = await deployed(token)
    assert.match(String(around.VERCEL_PROJECT_PRODUCTION_URL), /^site-.+\.localhost$/)
  })

  test('system variables are left out where a project does not want them', async () => {
    const { token } = await begin()
    await add(token, plain('REGION', 'PLATFORM_REGION', { type: 'system' }))
    await server.call('PATCH /v9/projects/site', { token, body: { autoExposeSystemEnvs: false } })
    const { around } = await deployed(token)
    assert.deepEqual(around, { REGION: 'iad1' })
  })

  test('a project begins with variables, or not at all', async () => {
    const { token } = await server.signUp()
    const create = (environmentVariables: object[]) =>
      server.call('POST /v10/projects', { token, body: { name: 'site', environmentVariables } })
    assert.equal((await create([{ key: 'A-A', value: 'x', target: 'preview' }])).status, 400)
    assert.equal((await server.call('GET /v9/projects/site', { token })).status, 404)
    assert.equal((await create([{ key: 'A', value: 'x', target: ['preview'] }, plain('B')])).status, 200)
    assert.deepEqual(
      (await list(token)).map(({ key, type }: { key: string; type: string }) => [key, type]).sort(),
      [
        ['A', 'encrypted'],
        ['B', 'plain'],
      ],
    )
  })

  test('a member may change production variables only where the team allows it', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner, member)
    const query = `?teamId=${team.id}`
    await server.call(`POST /v10/projects${query}`, { token: owner.token, body: { name: 'site' } })
    const { body: made } = await add(owner.token, plain('A'), query)
    await server.call(`PATCH /v1/teams/${team.id}`, {
      token: owner.token,
      body: { membersMayEditProduction: false },
    })
    const as = (on: string, body?: object) =>
      server.call(`${on}${query}`, { token: member.token, body }).then(({ status }) => status)
    const path = `/v9/projects/site/env/${made.created.id}`
    assert.equal(await as('POST /v10/projects/site/env', plain('B')), 403)
    assert.equal(await as('POST /v10/projects/site/env', plain('B', 'x', { target: 'preview' })), 201)
    assert.equal(await as(`PATCH ${path}`, { target: ['preview'] }), 403)
    assert.equal(await as(`DELETE ${path}`), 403)
    const preview = plain('A', 'mine', { target: ['preview'] })
    const upsert = (body: object) =>
      server.call(`POST /v10/projects/site/env${query}&upsert=true`, { token: member.token, body })
    for (const body of [preview, [preview], plain('A', 'mine', { target: ['preview', 'development'] })])
      assert.equal((await upsert(body)).body.error?.code, 'forbidden')
    assert.equal((await upsert(plain('B', 'again', { target: 'preview' }))).status, 201)
    const { body: kept } = await server.call(`GET /v9/projects/site/env${query}`, { token: owner.token })
    assert.deepEqual(
      kept.envs.find(({ key }: { key: string }) => key === 'A'),
      made.created,
    )
    assert.equal(await as('GET /v9/projects/site/env'), 200)
    assert.equal((await add(owner.token, plain('C'), query)).status, 201)
    await server.call(`PATCH /v1/teams/${team.id}`, {
      token: owner.token,
      body: { membersMayEditProduction: true },
    })
    assert.equal(await as(`DELETE ${path}`), 200)
  })

  test('a secret of a production variable is deleted by an OWNER where only they change those', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner, member)
    await server.call(`PATCH /v1/teams/${team.id}`, {
      token: owner.token,
      body: { membersMayEditProduction: false },
    })
    const query = `?teamId=${team.id}`
    await server.call(`POST /v10/projects${query}`, { token: owner.token, body: { name: 'site' } })
    for (const [name, target] of [
      ['live', 'production'],
      ['tried', 'preview'],
    ] as const) {
      const body = { name, value: 'hidden' }
      await server.call(`POST /v2/platform/secrets${query}`, { token: owner.token, body })
      const uses = { key: name.toUpperCase(), value: `@${name}`, type: 'secret', target }
      assert.equal((await add(owner.token, uses, query)).status, 201)
    }
    const remove = (name: string, token = member.token) =>
      server.call(`DELETE /v2/platform/secrets/${name}${query}`, { token })
    const refused = await remove('live')
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
    assert.equal((await remove('tried')).status, 200)
    assert.equal((await remove('live', owner.token)).status, 200)
  })

  test('a variable that refers to a secret becomes another kind with a value of its own only', async () => {
    const { token } = await begin()
    await secret(token, 'db', 'the secret')
    const { id } = (await add(token, plain('DB', '@db', { type: 'secret' }))).body.created
    const change = (body: object) => server.call(`PATCH /v9/projects/site/env/${id}`, { token, body })
    const refused = await change({ type: 'plain' })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'bad_request'])
    assert.equal((await change({ comment: 'the same' })).status, 200)
    assert.equal((await change({ type: 'plain', value: 'own' })).status, 200)
    assert.equal((await list(token, '?decrypt=true'))[0].value, 'own')
  })

  test('who may not change production variables does not set them by a deployment either', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner, member)
    const query = `?teamId=${team.id}`
    const allow = (membersMayEditProduction: boolean) =>
      server.call(`PATCH /v1/teams/${team.id}`, { token: owner.token, body: { membersMayEditProduction } })
    const deploy = (more: object, token = member.token, path = '/v8/platform/deployments') =>
      server.call(`POST ${path}${query}`, {
        token,
        body: { name: 'site', version: 2, files: [{ file: 'a.html', data: 'a' }], forceNew: true, ...more },
      })
    const env = { DATABASE: 'mine' }
    await allow(false)
    for (const more of [{ env }, { build: { env } }]) {
      const refused = await deploy({ ...more, target: 'production' })
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
      assert.equal((await deploy({ ...more, target: 'production' }, owner.token)).status, 200)
    }
    assert.equal((await deploy({ target: 'production' })).status, 200)
    const { body: plainOne } = await deploy({})
    const { body: preview } = await deploy({ env })
    assert.equal(preview.readyState, 'READY')
    const promote = (id: string, token = member.token) =>
      server
        .call(`POST /v10/projects/site/promote/${id}${query}`, { token, body: {} })
        .then(({ status }) => status)
    const point = (id: string, alias: string) =>
      server
        .call(`POST /v2/platform/deployments/${id}/aliases${query}`, { token: member.token, body: { alias } })
        .then(({ status }) => status)
    assert.equal(await promote(preview.id), 403)
    assert.equal(await point(preview.id, 'site'), 403)
    assert.equal(await point(preview.id, 'a-preview-of-it'), 200)
    assert.equal(await promote(plainOne.id), 202)
    assert.equal(await promote(preview.id, owner.token), 202)
    await allow(true)
    assert.equal((await deploy({ env, target: 'production' })).status, 200)
    assert.equal(await promote(preview.id), 202)
  })

  test('a preview with variables of its own is shown under no name of production, whatever that shows now', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner, member)
    await server.call(`PATCH /v1/teams/${team.id}`, {
      token: owner.token,
      body: { membersMayEditProduction: false },
    })
    const as = (on: string, given?: object, token = member.token) =>
      server.call(`${on}?teamId=${team.id}`, { token, body: given })
    const deploy = async (name: string, more: object) => {
      const all = { name, version: 2, files: FILES, forceNew: true, ...more }
      const made = await as('POST /v8/platform/deployments', all)
      assert.equal(made.body.readyState, 'READY')
      return made.body.id
    }
    const env = { DATABASE: 'mine' }
    await deploy('env-shop', { target: 'production' })
    assert.equal(
      (await as('POST /v10/projects/env-shop/domains', { name: 'env-sale.localhost' })).status,
      200,
    )
    const preview = await deploy('env-shop', { env, meta: { gitBranch: 'dev' } })
    const elsewhere = await deploy('env-other', { env })
    const bare = await deploy('env-shop', { meta: { gitBranch: 'bare' } })

    const point = async (id: string, alias: string, token?: string) => {
      const { status, body } = await as(`POST /v2/platform/deployments/${id}/aliases`, { alias }, token)
      return [status, body.error?.code]
    }
    const refused = [403, 'forbidden']
    for (const alias of ['env-shop', 'env-sale']) {
      assert.equal((await as(`DELETE /v2/platform/aliases/${alias}.localhost`)).status, 200, alias)
      for (const id of [preview, elsewhere]) assert.deepEqual(await point(id, alias), refused, alias)
    }
    assert.deepEqual(await point(bare, 'env-shop'), [200, undefined])
    assert.deepEqual(await point(preview, 'env-shop', owner.token), [200, undefined])

    const follow = async (gitBranch: string | null) => {
      const { status, body } = await as('PATCH /v9/projects/env-shop/domains/env-sale.localhost', {
        gitBranch,
      })
      return [status, body.error?.code]
    }
    assert.deepEqual(await follow('dev'), refused)
    assert.deepEqual(await follow('bare'), [200, undefined])
    // It is no name of production any more.
    assert.deepEqual(await follow('dev'), [200, undefined])
    assert.deepEqual(await follow(null), [200, undefined])
    assert.deepEqual(await follow('dev'), refused)
  })

  test('variables that come at once all stay, and one name is taken once', async () => {
    const { token } = await begin()
    const same = await Promise.all(Array.from({ length: 5 }, () => add(token, plain('SAME'))))
    assert.deepEqual(same.map(({ status }) => status).sort(), [201, 403, 403, 403, 403])
    await Promise.all(Array.from({ length: 8 }, (_, i) => add(token, plain(`V${i}`))))
    assert.equal((await list(token)).length, 9)
  })

  test('variables are gone with their project', async () => {
    const { token, project } = await begin()
    await add(token, plain('A'))
    await server.call('DELETE /v9/projects/site', { token })
    assert.deepEqual(await server.parts.stores.envVariables.list(project.id), [])
  })
})

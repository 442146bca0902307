import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOf } from '#contract/endpoint.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { listEndpoints } from '#test/support/endpoints.ts'

const LIMIT_HEADERS = ['limit', 'remaining', 'reset'].flatMap((name) => [
  `x-ratelimit-${name}`,
  `x-rate-limit-${name}`,
])

apiSuite('conventions', (server) => {
  test('a missing token and a bad one are told apart, in the words of each generation', async () => {
    const missing = await server.call('GET /v1/teams')
    assert.equal(missing.status, 403)
    assert.equal(missing.body.error.code, 'forbidden')
    assert.equal(missing.body.error.missingToken, true)
    assert.equal('url' in missing.body.error, false)

    for (const authorization of ['Bearer nope', 'Basic dTpw', 'Bearer', 'nonsense']) {
      const bad = await server.call('GET /v1/teams', { headers: { authorization } })
      assert.deepEqual([bad.status, bad.body.error.invalidToken], [403, true], authorization)
    }
    const old = await server.call('GET /teams')
    assert.equal(old.status, 403)
    assert.equal(old.body.error.code, 'authentication_error')
    assert.equal(old.body.error.url, 'http://aloft.test/errors/authentication_error')
  })

  test('the scheme word is read without case, and a token in the query is not looked at', async () => {
    const { token } = await server.signUp()
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      assert.equal(
        (await server.call('GET /v2/user', { headers: { authorization: `${scheme} ${token}` } })).status,
        200,
      )
    assert.equal((await server.call(`GET /v2/user?token=${token}&access_token=${token}`)).status, 403)
  })

  test('an unknown path or version is 404 before anybody is asked who they are', async () => {
    for (const path of ['/nope', '/v9/teams', '/v1/teams/x/y/z', '/v1', '/teams/a/b/c/d'])
      for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
        const answer = await server.call(`${method} ${path}`)
        assert.deepEqual([answer.status, answer.body.error.code], [404, 'not_found'], `${method} ${path}`)
      }
  })

  test('a wrong method is 405 with the accepted ones, before anybody is asked who they are', async () => {
    const answer = await server.call('PUT /v1/teams')
    assert.deepEqual([answer.status, answer.body.error.code], [405, 'method_unknown'])
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST')
    assert.match(answer.body.error.message, /GET, HEAD, POST/)
    for (const method of ['OPTIONS', 'PROPFIND', 'DELETE'])
      assert.equal((await server.call(`${method} /v1/teams`)).status, 405, method)
    const old = await server.call('PUT /teams/x')
    assert.equal(old.body.error.url, 'http://aloft.test/errors/method_unknown')
  })

  test('HEAD is GET without a body', async () => {
    const { token } = await server.signUp()
    const head = await server.call('HEAD /v2/user', { token })
    assert.deepEqual([head.status, head.body], [200, ''])
    const { body: made } = await server.call('POST /v8/platform/deployments', {
      token,
      body: { name: 'head', version: 2, files: [{ file: 'index.html', data: 'five!' }] },
    })
    const files = `/v5/platform/deployments/${made.id}/files`
    const { body: tree } = await server.call(`GET ${files}`, { token })
    for (const [at, length] of [
      [`${files}/${tree[0].uid}`, '5'],
      // What is written as it is made has no length beforehand.
      [files, null],
    ] as const) {
      const { status, headers, body } = await server.call(`HEAD ${at}`, { token })
      assert.deepEqual([status, headers.get('content-length'), body], [200, length, ''])
    }
  })

  test('every answer carries the allowance in both spellings, also errors and anonymous ones', async () => {
    const { token } = await server.signUp()
    const answers = [
      await server.call('GET /v2/user', { token }),
      await server.call('GET /v2/user'),
      await server.call('GET /nope'),
      await server.call('PUT /v1/teams'),
      await server.call('GET /healthz'),
      await server.call('POST /v1/teams', { token, body: '{' }),
      await server.call('POST /platform/registration', { body: {} }),
      await server.call('GET /%zz'),
    ]
    for (const { headers, status } of answers) {
      for (const name of LIMIT_HEADERS)
        assert.match(headers.get(name) ?? '', /^\d+$/, `${name} on a ${status}`)
      const reset = Number(headers.get('x-ratelimit-reset'))
      assert.ok(reset * 1000 >= server.clock.now() && reset * 1000 <= server.clock.now() + 61_000)
      assert.match(headers.get('x-request-id') ?? '', /^req_/)
      assert.equal(headers.get('access-control-allow-origin'), null)
    }
  })

  test("the team to act for must be one of the caller's", async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    const { body: team } = await server.call('POST /v1/teams', { token: a.token, body: { slug: 'context' } })
    assert.equal((await server.call(`GET /v2/user?teamId=${team.id}`, { token: a.token })).status, 200)
    for (const [id, token] of [
      [team.id, b.token],
      ['team_nope', a.token],
    ]) {
      const refused = await server.call(`GET /v2/user?teamId=${id}`, { token })
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
    }
    assert.equal((await server.call('GET /v2/user?teamId=a&teamId=b', { token: a.token })).status, 400)
  })

  test('a team is named by its slug at endpoints of projects, webhooks, drains and applications', async () => {
    const families = /^(?:\/v\d+)?\/(?:projects|webhooks|log-drains|integrations)(?:\/|$)/
    for (const row of listEndpoints())
      if (families.test(pathOf(row)) && row.access.kind !== 'public')
        assert.equal(row.teamBySlug, true, row.on)

    const operator = await server.operator()
    const [{ id, token }, stranger] = [await server.signUp(), await server.signUp()]
    const slug = `by-slug-${id.toLowerCase().slice(0, 8)}`
    const { body: team } = await server.call('POST /v1/teams', { token, body: { slug } })
    await server.call(`PATCH /v1/operator/accounts/${team.id}`, {
      token: operator.token,
      body: { plan: 'pro' },
    })
    const application = { name: 'Of a team', redirectUrl: 'https://app.example/', scopes: { user: 'read' } }
    for (const [path, body] of [
      ['/v1/webhooks', { url: 'https://hooks.example/', events: ['project.created'] }],
      ['/v1/integrations/applications', application],
    ] as const) {
      const made = await server.call(`POST ${path}?slug=${slug}`, { token, body })
      assert.deepEqual([made.status, made.body.ownerId], [200, team.id], path)
      const of = (query: string) => server.call(`GET ${path}/${made.body.id}?${query}`, { token })
      assert.equal((await of(`slug=${slug}`)).status, 200, path)
      assert.equal((await of('')).status, 404, path)
      const foreign = await server.call(`POST ${path}?slug=${slug}`, { token: stranger.token, body })
      assert.equal(foreign.status, 403, path)
    }
  })

  test('JSON is read by its content, and everything else is refused', async () => {
    const { token } = await server.signUp()
    const send = (body: string, type?: string) =>
      server.call('POST /v1/teams', { token, body, ...(type ? { headers: { 'content-type': type } } : {}) })
    assert.equal((await send('{"slug":"plain"}', 'text/plain')).status, 200)
    assert.equal((await send('{"slug":"curl"}', 'application/x-www-form-urlencoded')).status, 200)
    assert.equal((await send('  {"slug":"spaces"}\n', 'application/json')).status, 200)
    for (const [n, type] of ['undefined', 'json', ';', 'application/json, application/json'].entries())
      assert.equal((await send(`{"slug":"type-${n}"}`, type)).status, 200, type)
    assert.equal((await server.call('POST /nope', { token, headers: { 'content-type': 'x' } })).status, 404)
    for (const [body, type] of [
      ['slug=form', 'application/x-www-form-urlencoded'],
      ['{"slug":', 'application/json'],
      ['', 'application/json'],
      ['null', 'application/json'],
      ['{"slug":"a\\u0000b"}', 'application/json'],
      ['{"slug":"ok","__proto__":{"x":1}}', 'application/json'],
      ['{"slug":"ok","constructor":{"prototype":{}}}', 'application/json'],
      // The same in other spellings.
      ['{"slug":"ok","__pr\\u006fto__":{"x":1}}', 'application/json'],
      ['{"slug":"ok","c\\u006Fnstructor":{"prototype":{}}}', 'application/json'],
      ['<xml/>', 'application/xml'],
    ] as const) {
      const refused = await send(body, type)
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'bad_request'], body)
    }
  })

  test('unknown keys are ignored', async () => {
    const { token } = await server.signUp()
    const made = await server.call('POST /v1/teams', { token, body: { slug: 'unknown-keys', colour: 'red' } })
    assert.equal(made.status, 200)
  })

  test('a body that is too large is 413, whether it says so or not', async () => {
    const { token } = await server.signUp()
    const body = `{"slug":"${'x'.repeat(10_000_001)}"}`
    const said = await server.call('POST /v1/teams', { token, body })
    assert.deepEqual([said.status, said.body.error.code], [413, 'payload_too_large'])
    assert.equal((await server.call('GET /v2/user', { token })).status, 200)
  })

  test('help links of older errors lead to a page', async () => {
    for (const path of ['/errors/authentication_error', '/errors/teams/slug_taken', '/errors/rate_limited']) {
      const page = await server.call(`GET ${path}`)
      assert.equal(page.status, 200)
      assert.match(page.headers.get('content-type') ?? '', /text\/html/)
    }
    assert.equal((await server.call('GET /errors/nope')).status, 404)
    assert.equal((await server.call('GET /errors/teams/missing_files')).status, 404)
  })

  test('health, metrics, description and docs are there', async () => {
    const health = await server.call('GET /healthz')
    assert.deepEqual([health.status, health.body.status, health.body.origin], [200, 'ok', 'iad1'])
    const metrics = await server.call('GET /metrics')
    assert.match(metrics.body, /^aloft_http_requests_total\{.*route="\/healthz".*\} \d+$/m)
    const docs = await server.call('GET /docs')
    assert.match(docs.body, /\/v1\/teams\/:id\/members/)
    assert.match((await server.call('GET /')).body, /<title>(?:Aloft<|Aloft is running)/)
  })
})

apiSuite(
  'rate limits',
  (server) => {
    test('an exceeded allowance is 429 with when to come back; other endpoints stay usable', async () => {
      const { token } = await server.signUp()
      for (let left = 4; left >= 0; left--) {
        const { status, headers } = await server.call('GET /v1/teams', { token })
        assert.equal(status, 200)
        assert.equal(headers.get('x-ratelimit-limit'), '5')
        assert.equal(headers.get('x-rate-limit-remaining'), String(left))
      }
      const refused = await server.call('GET /v1/teams', { token })
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_requests'])
      const { limit } = refused.body.error
      assert.deepEqual([limit.total, limit.remaining], [5, 0])
      assert.equal(limit.reset, Math.ceil(limit.resetMs / 1000))
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      assert.equal((await server.call('GET /v3/user/tokens', { token })).status, 200)
    })

    test('accounts are counted apart, and strangers by address', async () => {
      for (let i = 0; i < 5; i++) assert.equal((await server.call('GET /teams')).status, 403)
      const refused = await server.call('GET /teams')
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
      const { token } = await server.signUp('counted@aloft.test')
      assert.equal((await server.call('GET /teams', { token })).status, 200)
    })
  },
  { env: { ALOFT_RATE_LIMIT: '5' } },
)

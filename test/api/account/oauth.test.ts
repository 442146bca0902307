import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { AuthorizationCode } from 'simple-oauth2'
import { MINUTE } from '#contract/time.ts'
import { beginSession, csrfOf } from '#core/session/sessions.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import {
  consent,
  exchange,
  form,
  install,
  ledTo,
  REDIRECT_URL,
  registerApplication,
} from '#test/support/integrations.ts'
import { sampleToken } from '#test/support/samples.ts'
import type { Account } from '#test/support/server.ts'

apiSuite('OAuth', (server) => {
  const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
  const VERIFIER = 'a-verifier-that-is-long-enough-to-be-one-0123456789'
  const authorizeUrl = (fields: Record<string, string>) =>
    `GET /oauth/authorize?${new URLSearchParams(fields)}`
  const hiddenField = (page: string, name: string) =>
    new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(page)?.[1] ?? ''
  /** A browser in which somebody is signed in. */
  const signIn = async ({ id }: Account) => {
    const { bearer } = await beginSession(server.parts.stores.sessions, {
      userId: id,
      visit: { ip: '192.0.2.1', userAgent: 'test', secure: false, log: server.parts.log },
      now: server.clock.now(),
    })
    const headers = { cookie: `aloft_session=${bearer}`, 'sec-fetch-site': 'same-origin' }
    return { csrf: csrfOf(bearer), headers }
  }

  test('an application is let in, gets a token, and acts with it', async () => {
    const user = await server.signUp()
    const application = await registerApplication(server, user.token, { scopes: { user: 'read' } })
    const back = await consent(server, user.token, application, { state: 'the state' })
    assert.deepEqual([...back.keys()].sort(), ['code', 'configurationId', 'from', 'iss', 'next', 'state'])
    assert.equal(back.get('iss'), 'http://aloft.test')
    assert.equal(back.get('from'), 'aloft')
    assert.equal(back.get('state'), 'the state')
    assert.equal(back.get('next'), 'http://aloft.test/')
    const answer = await exchange(server, application, back.get('code') ?? '')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.deepEqual(answer.body, {
      token_type: 'Bearer',
      access_token: answer.body.access_token,
      installation_id: back.get('configurationId'),
      user_id: user.id,
      team_id: null,
    })
    assertGolden('oauth/access-token', { ...answer.body, access_token: '<token>' })
    const me = await server.call('GET /v2/user', { token: answer.body.access_token })
    assert.equal(me.body.user.id, user.id)
  })

  test('in a team, its id comes back, and only an OWNER may let anything in', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner, member)
    const application = await registerApplication(server, owner.token)
    const back = await consent(server, owner.token, application, { teamId: team.id })
    assert.equal(back.get('teamId'), team.id)
    assert.equal((await exchange(server, application, back.get('code') ?? '')).body.team_id, team.id)
    for (const { token } of [member, await server.signUp()]) {
      const { body, headers } = form({ client_id: application.clientId, teamId: team.id })
      assert.equal((await server.call('POST /oauth/authorize', { token, body, headers })).status, 403)
    }
  })

  test('who lets the same application in again finds it there, with what was chosen last', async () => {
    const { token } = await server.signUp()
    const { body: project } = await server.call('POST /v10/projects', { token, body: { name: 'chosen' } })
    const application = await registerApplication(server, token, {
      scopes: { 'integration-configuration': 'read' },
    })
    const first = await install(server, token, application)
    const second = await install(server, token, application, {
      projectSelection: 'selected',
      [`project ${project.id}`]: '1',
    })
    assert.equal(second.configurationId, first.configurationId)
    const seen = await server.call(`GET /v1/integrations/configuration/${first.configurationId}`, {
      token: first.token,
    })
    assert.deepEqual([seen.body.projectSelection, seen.body.projects], ['selected', [project.id]])
  })

  test('people at a browser are asked by a page without script', async () => {
    const user = await server.signUp()
    const { headers, csrf } = await signIn(user)
    await server.call('POST /v10/projects', { token: user.token, body: { name: 'my-<b>site' } })
    const application = await registerApplication(server, user.token, {
      name: '<i>Watcher</i>',
      scopes: { project: 'read', deployment: 'read-write' },
      note: 'To watch',
    })
    const asked = { client_id: application.clientId, state: '"><script>', response_type: 'code' }
    const page = await server.call(authorizeUrl(asked), { headers: { ...headers, accept: 'text/html' } })
    assert.equal(page.status, 200)
    assert.match(page.body, /View projects and their settings/)
    assert.match(page.body, /create and delete deployments/)
    assert.ok(page.body.includes('&lt;i&gt;Watcher&lt;/i&gt;') && !page.body.includes('<i>'))
    assert.ok(!page.body.includes('<script') && page.body.includes(csrf))
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /form-action 'self' https:\/\/app\.example;/)
    assert.match(policy, /default-src 'none'/)

    const post = (fields: Record<string, string>, other: Record<string, string> = {}) => {
      const sent = form({ ...asked, ...fields })
      return server.call('POST /oauth/authorize', {
        body: sent.body,
        headers: { ...headers, ...sent.headers, ...other },
      })
    }
    assert.equal((await post({})).status, 403, 'without the value of the session')
    assert.equal((await post({ csrf: csrfOf('of another session') })).status, 403)
    assert.equal((await post({ csrf }, { 'sec-fetch-site': 'cross-site' })).status, 403)
    const refused = ledTo(await post({ csrf, decision: 'deny' }))
    assert.deepEqual([refused.get('error'), refused.get('state')], ['access_denied', asked.state])
    assert.equal(refused.get('code'), null)
    const shown = hiddenField(page.body, 'shown')
    const allowed = ledTo(await post({ csrf, shown, decision: 'allow', projectSelection: 'all' }))
    assert.equal((await exchange(server, application, allowed.get('code') ?? '')).status, 200)
  })

  test('an application that asks for more while its page is open gets it once a page has shown it', async () => {
    const [owner, user] = [await server.signUp(), await server.signUp()]
    const { headers, csrf } = await signIn(user)
    const scopes = { 'integration-configuration': 'read', project: 'read' } as const
    const application = await registerApplication(server, owner.token, { scopes })
    const asked = { client_id: application.clientId, state: 's' }
    const opened = hiddenField((await server.call(authorizeUrl(asked), { headers })).body, 'shown')
    const change = { scopes: { ...scopes, project: 'read-write' } }
    const changed = await server.call(`PATCH /v1/integrations/applications/${application.id}`, {
      token: owner.token,
      body: change,
    })
    assert.equal(changed.status, 200)
    const allow = (fields: Record<string, string>) => {
      const sent = form({ ...asked, csrf, decision: 'allow', ...fields })
      return server.call('POST /oauth/authorize', {
        body: sent.body,
        headers: { ...headers, ...sent.headers },
      })
    }
    let shownAgain = ''
    for (const shown of [opened, '']) {
      const again = await allow({ shown })
      assert.deepEqual([again.status, again.headers.get('location')], [200, null])
      assert.match(again.body, /has changed the access it requests/)
      assert.match(again.body, /View, edit and delete projects/)
      const seen = await server.call('GET /v1/integrations/configurations', { token: user.token })
      assert.deepEqual(seen.body, [])
      shownAgain = hiddenField(again.body, 'shown')
    }
    const back = ledTo(await allow({ shown: shownAgain }))
    assert.equal(back.get('state'), 's')
    const seen = await server.call('GET /v1/integrations/configurations', { token: user.token })
    assert.deepEqual(seen.body[0].scopes, ['read:integration-configuration', 'read-write:project'])
  })

  test('whoever is not signed in is sent to sign in, and comes back', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token)
    const asked = { client_id: application.clientId, state: 's' }
    for (const answer of [
      await server.call(authorizeUrl(asked)),
      await server.call('POST /oauth/authorize', form(asked)),
    ]) {
      assert.equal(answer.status, 303)
      const next = new URL(answer.headers.get('location') ?? '', server.url).searchParams.get('next')
      assert.equal(next, `/oauth/authorize?client_id=${application.clientId}&state=s`)
    }
  })

  test('nobody is sent to an address that is not registered', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token)
    for (const redirect_uri of [
      'https://evil.example/',
      `${REDIRECT_URL}&more`,
      'https://app.example/callback',
      '',
      'javascript:alert(1)',
    ]) {
      const asked = { client_id: application.clientId, redirect_uri }
      const { body, headers } = form(asked)
      const answers = [
        await server.call(authorizeUrl(asked), { token }),
        await server.call('POST /oauth/authorize', { token, body, headers }),
        await server.call(authorizeUrl(asked)),
      ]
      for (const answer of answers) {
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'redirect_uri_mismatch'])
        assert.equal(answer.headers.get('location'), null)
      }
    }
  })

  test('an unknown client is not found, in the words of whoever asks', async () => {
    const { token } = await server.signUp()
    const json = await server.call(authorizeUrl({ client_id: 'cl_unknown' }), { token })
    assert.deepEqual([json.status, json.body.error.code], [404, 'not_found'])
    const headers = { accept: 'text/html,*/*;q=0.8' }
    const page = await server.call(authorizeUrl({ client_id: 'cl_unknown' }), { headers })
    assert.equal(page.status, 404)
    assert.match(page.body, /<h1>Not found<\/h1>/)
    assert.equal((await server.call('GET /oauth/authorize')).status, 400)
    const exchanged = await server.call(
      'POST /v2/oauth/access_token',
      form({ client_id: 'cl_unknown', client_secret: 'x', code: 'x', redirect_uri: 'https://x.example' }),
    )
    assert.deepEqual([exchanged.status, exchanged.body.error.code], [404, 'not_found'])
  })

  test('a request that cannot be met goes back to the application with an error', async () => {
    const { token } = await server.signUp()
    const { clientId: client_id } = await registerApplication(server, token)
    const challenge = s256(VERIFIER)
    for (const [fields, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: challenge }, 'invalid_request'],
      [{ code_challenge: VERIFIER, code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    ] as const) {
      const asked = { client_id, state: 's', ...fields }
      for (const answer of [
        await server.call(authorizeUrl(asked), { token }),
        await server.call('POST /oauth/authorize', { token, ...form(asked) }),
      ]) {
        const back = ledTo(answer)
        assert.deepEqual([back.get('error'), back.get('state')], [error, 's'])
      }
    }
  })

  test('a code is exchanged once, in time, and by the application it was given to', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token, { scopes: { user: 'read' } })
    const other = await registerApplication(server, token)
    const newCode = async () => (await consent(server, token, application)).get('code') ?? ''
    const refused = async (code: string, fields: Record<string, string> = {}, by = application) => {
      const { status, body } = await exchange(server, by, code, fields)
      return [status, body.error?.code]
    }
    const code = await newCode()
    assert.deepEqual(await refused('unknown'), [400, 'invalid_grant'])
    assert.deepEqual(await refused(code, {}, other), [400, 'invalid_grant'])
    assert.deepEqual(await refused(code, { client_secret: 'wrong' }), [401, 'invalid_client'])
    assert.deepEqual(await refused(code, { client_secret: '' }), [401, 'invalid_client'])
    assert.deepEqual(await refused(code, { redirect_uri: 'https://x.example' }), [
      400,
      'redirect_uri_mismatch',
    ])
    assert.deepEqual(await refused(code, { redirect_uri: '' }), [400, 'bad_request'])
    assert.deepEqual(await refused(code, { grant_type: 'password' }), [400, 'bad_request'])
    assert.deepEqual(await refused(code, { code_verifier: VERIFIER }), [400, 'invalid_grant'])
    const granted = await exchange(server, application, code, { grant_type: 'authorization_code' })
    const me = () => server.call('GET /v2/user', { token: granted.body.access_token })
    assert.equal((await me()).status, 200)
    assert.deepEqual(await refused(code), [400, 'invalid_grant'])
    const revoked = await me()
    assert.deepEqual([revoked.status, revoked.body.error.invalidToken], [403, true])

    const late = await newCode()
    server.clock.advance(30 * MINUTE + 1)
    assert.deepEqual(await refused(late), [400, 'invalid_grant'])
    const inTime = await newCode()
    server.clock.advance(29 * MINUTE)
    assert.equal((await exchange(server, application, inTime)).status, 200)
  })

  test('an application that is let in again and again keeps a hundred tokens: the one used least recently is revoked', async () => {
    const { token, id } = await server.signUp()
    const application = await registerApplication(server, token, { scopes: { user: 'read' } })
    const first = await install(server, token, application)
    const { tokens } = server.parts.stores
    for (let n = 0; n < 99; n++)
      await tokens.insert(
        sampleToken({ userId: id, kind: 'oauth2', installationId: first.configurationId, activeAt: n }),
        `hash of ${id} ${n}`,
      )
    const code = (await consent(server, token, application)).get('code') ?? ''
    assert.equal((await exchange(server, application, code)).status, 200)
    assert.equal(await tokens.byHash(`hash of ${id} 0`), undefined)
    assert.ok(await tokens.byHash(`hash of ${id} 1`))
  })

  test('a code that is used twice revokes its token also where that was handed over to somebody else', async () => {
    const [owner, heir] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner)
    await server.call(`POST /v1/teams/${team.id}/members`, {
      token: owner.token,
      body: { email: heir.email, role: 'OWNER' },
    })
    const application = await registerApplication(server, owner.token)
    const code = (await consent(server, owner.token, application, { teamId: team.id })).get('code') ?? ''
    const { body } = await exchange(server, application, code)
    const moved = await server.call(
      `POST /v1/integrations/configuration/${body.installation_id}/transfer?teamId=${team.id}`,
      { token: owner.token, body: { userId: heir.id } },
    )
    assert.equal(moved.status, 200)
    const projects = () => server.call(`GET /v9/projects?teamId=${team.id}`, { token: body.access_token })
    assert.equal((await projects()).status, 200)
    assert.equal((await exchange(server, application, code)).status, 400)
    assert.equal((await projects()).status, 401)
  })

  test('of two exchanges at the same moment one gets a token', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token)
    const code = (await consent(server, token, application)).get('code') ?? ''
    const answers = await Promise.all([1, 2, 3].map(() => exchange(server, application, code)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
  })

  test('with PKCE only whoever began can end', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token)
    const asked = { code_challenge: s256(VERIFIER), code_challenge_method: 'S256' }
    const code = (await consent(server, token, application, asked)).get('code') ?? ''
    assert.equal((await exchange(server, application, code)).status, 400)
    const wrong = await exchange(server, application, code, { code_verifier: `${VERIFIER}x` })
    assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'invalid_grant'])
    assert.equal((await exchange(server, application, code, { code_verifier: VERIFIER })).status, 200)
  })

  test('the token of an application cannot let another one in', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token)
    const installed = await install(server, token, application)
    const { body, headers } = form({ client_id: application.clientId })
    const answer = await server.call('POST /oauth/authorize', { token: installed.token, body, headers })
    assert.equal(answer.status, 403)
  })

  test('JSON is understood as well, and a client that says who it is in the header', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token)
    const codes = [await consent(server, token, application), await consent(server, token, application)]
    const [first, second] = codes.map((back) => back.get('code') ?? '')
    const { clientId: client_id, clientSecret: client_secret, redirectUrl: redirect_uri } = application
    const json = await server.call('POST /v2/oauth/access_token', {
      body: { client_id, client_secret, redirect_uri, code: first },
    })
    assert.equal(json.status, 200)
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`,
    })
    const wrong = await server.call('POST /v2/oauth/access_token', {
      headers: basic('wrong'),
      body: { redirect_uri, code: second },
    })
    assert.deepEqual([wrong.status, wrong.headers.get('www-authenticate')], [401, 'Basic realm="oauth"'])
    const byPage = await server.call('POST /v2/oauth/access_token', {
      headers: { ...basic('wrong'), origin: 'https://hostile.test' },
      body: { redirect_uri, code: second },
    })
    assert.deepEqual([byPage.status, byPage.headers.get('www-authenticate')], [401, null])
    const right = await server.call('POST /v2/oauth/access_token', {
      headers: basic(client_secret),
      body: { redirect_uri, code: second },
    })
    assert.equal(right.status, 200)
  })

  test('simple-oauth2 gets a token', async () => {
    const { token } = await server.signUp()
    const application = await registerApplication(server, token, { scopes: { user: 'read' } })
    for (const authorizationMethod of ['header', 'body'] as const) {
      const client = new AuthorizationCode({
        client: { id: application.clientId, secret: application.clientSecret },
        auth: {
          tokenHost: server.url,
          tokenPath: '/v2/oauth/access_token',
          authorizePath: '/oauth/authorize',
        },
        options: { authorizationMethod },
      })
      const url = new URL(client.authorizeURL({ redirect_uri: REDIRECT_URL, state: 's' }))
      const answer = await server.call('POST /oauth/authorize', {
        token,
        ...form(Object.fromEntries(url.searchParams)),
      })
      const code = ledTo(answer).get('code') ?? ''
      const granted = await client.getToken({ code, redirect_uri: REDIRECT_URL })
      const me = await server.call('GET /v2/user', { token: granted.token.access_token as string })
      assert.equal(me.status, 200)
    }
  })

  test('openid-client gets a token, with PKCE', async () => {
    const { token } = await server.signUp()
    // It takes whatever follows the path for an answer.
    const redirectUrl = 'https://app.example/callback'
    const application = await registerApplication(server, token, { scopes: { user: 'read' }, redirectUrl })
    const client = new openid.Configuration(
      {
        issuer: 'http://aloft.test',
        authorization_response_iss_parameter_supported: true,
        authorization_endpoint: `${server.url}/oauth/authorize`,
        token_endpoint: `${server.url}/v2/oauth/access_token`,
      },
      application.clientId,
      application.clientSecret,
    )
    openid.allowInsecureRequests(client)
    const verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const url = openid.buildAuthorizationUrl(client, {
      redirect_uri: redirectUrl,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const answer = await server.call('POST /oauth/authorize', {
      token,
      ...form(Object.fromEntries(url.searchParams)),
    })
    const granted = await openid.authorizationCodeGrant(
      client,
      new URL(answer.headers.get('location') ?? ''),
      { pkceCodeVerifier: verifier, expectedState: state },
    )
    assert.equal((await server.call('GET /v2/user', { token: granted.access_token })).status, 200)
  })
})

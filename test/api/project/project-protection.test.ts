import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'

apiSuite('protection of projects', (server) => {
  const deploy = async (token: string, name: string, more: object = {}) => {
    const body = { name, version: 2, files: [{ file: 'index.html', data: 'home' }], ...more }
    const made = await server.call('POST /v8/platform/deployments?forceNew=1', { token, body })
    assert.equal(made.status, 200)
    return made.body
  }
  const patch = (token: string, name: string, body: object) =>
    server.call(`PATCH /v9/projects/${name}`, { token, body })
  const bypass = (token: string, name: string, body: object) =>
    server.call(`PATCH /v1/projects/${name}/protection-bypass`, { token, body })
  const statusOf = async (host: string, headers: Record<string, string> = {}) =>
    (await server.visit(host, '/', headers)).status

  async function enter(host: string, password: string) {
    const sent = request(server.url, {
      method: 'POST',
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    })
    sent.end(new URLSearchParams({ _platform_password: password }).toString())
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    return { status: answer.statusCode, cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
  }

  test('what protects a project holds at once, on the hosts that it covers', async () => {
    const { token } = await server.signUp()
    const live = await deploy(token, 'guarded', { target: 'production' })
    const preview = await deploy(token, 'guarded')
    const alias = live.alias.find((host: string) => host === 'guarded.localhost') ?? live.aliasFinal[0]
    const all = () => Promise.all([alias, live.url, preview.url].map((host) => statusOf(host)))
    assert.deepEqual(await all(), [200, 200, 200])
    await patch(token, 'guarded', { ssoProtection: { deploymentType: 'preview' } })
    assert.deepEqual(await all(), [200, 200, 401])
    await patch(token, 'guarded', {
      ssoProtection: { deploymentType: 'prod_deployment_urls_and_all_previews' },
    })
    assert.deepEqual(await all(), [200, 401, 401])
    await patch(token, 'guarded', { ssoProtection: { deploymentType: 'all' } })
    assert.deepEqual(await all(), [401, 401, 401])
    const trusted = (value: string) => ({ addresses: [{ value }], protectionMode: 'exclusive' })
    await patch(token, 'guarded', { trustedIps: { deploymentType: 'production', ...trusted('127.0.0.0/8') } })
    assert.deepEqual(await all(), [200, 200, 401])
    await patch(token, 'guarded', {
      ssoProtection: null,
      trustedIps: { deploymentType: 'all', ...trusted('10.0.0.1') },
    })
    assert.deepEqual(await all(), [404, 404, 404])
    await patch(token, 'guarded', { trustedIps: null })
    assert.deepEqual(await all(), [200, 200, 200])
  })

  test('a password lets visitors in until it is changed', async () => {
    const { token } = await server.signUp()
    const { url } = await deploy(token, 'locked')
    const set = (password?: string, deploymentType = 'all') =>
      patch(token, 'locked', { passwordProtection: { deploymentType, ...(password && { password }) } })
    await set('open sesame')
    assert.equal((await enter(url, 'wrong')).status, 401)
    const { status, cookie } = await enter(url, 'open sesame')
    assert.deepEqual([status, await statusOf(url, { cookie })], [303, 200])
    await set(undefined, 'preview')
    assert.equal(await statusOf(url, { cookie }), 200, 'the password is the same')
    await set('another')
    assert.equal(await statusOf(url, { cookie }), 401)
    assert.equal((await enter(url, 'another')).status, 303)
  })

  test('the owner is let in with a pass, others are not', async () => {
    const owner = await server.signUp()
    const stranger = await server.signUp()
    const { url } = await deploy(owner.token, 'members')
    await patch(owner.token, 'members', { ssoProtection: { deploymentType: 'preview' } })
    const away = await server.visit(url, '/?a=b', { accept: 'text/html' })
    const location = new URL(away.headers.get('location') ?? '')
    assert.deepEqual(
      [away.status, location.origin, location.searchParams.get('url')],
      [302, 'http://aloft.test', `http://${url}/?a=b`],
    )
    const signOn = `GET ${location.pathname}${location.search}`
    assert.equal((await server.call(signOn, { token: stranger.token })).status, 403)
    const back = new URL((await server.call(signOn, { token: owner.token })).headers.get('location') ?? '')
    const entered = await server.visit(back.host, `${back.pathname}${back.search}`)
    assert.deepEqual([entered.status, entered.headers.get('location')], [303, `http://${url}/?a=b`])
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    assert.equal(await statusOf(url, { cookie }), 200)
    assert.equal((await server.visit(back.host, `${back.pathname}${back.search}`)).status, 401)
  })

  test('secrets let programs pass: made, given, shown, replaced and revoked', async () => {
    const { id, token } = await server.signUp()
    const { url } = await deploy(token, 'automated')
    await patch(token, 'automated', { ssoProtection: { deploymentType: 'preview' } })
    const passes = (secret: string) => statusOf(url, { 'x-platform-protection-bypass': secret })
    const shown = async () =>
      (await server.call('GET /v9/projects/automated', { token })).body.protectionBypass
    assert.equal(await shown(), undefined)

    const made = await bypass(token, 'automated', {})
    const [secret = ''] = Object.keys(made.body.protectionBypass)
    assert.equal(made.status, 200)
    assert.match(secret, /^[0-9A-Za-z]{32}$/)
    const { createdAt, ...rest } = made.body.protectionBypass[secret]
    assert.ok(Number.isInteger(createdAt))
    assert.deepEqual(rest, { createdBy: id, scope: 'automation-bypass' })
    assert.deepEqual(await shown(), made.body.protectionBypass)
    assert.equal(await passes(secret), 200)

    const own = 'x'.repeat(32)
    await bypass(token, 'automated', { generate: { secret: own } })
    assert.deepEqual([await passes(own), await passes(secret)], [200, 200])
    assert.equal((await bypass(token, 'automated', { generate: { secret: own } })).status, 409)
    for (const wrong of [
      { generate: { secret: 'short' } },
      { generate: { secret: `${'x'.repeat(31)}-` } },
      { revoke: { secret: own } },
    ])
      assert.equal((await bypass(token, 'automated', wrong)).status, 400)
    assert.equal(
      (await bypass(token, 'automated', { revoke: { secret: 'unknown', regenerate: true } })).status,
      404,
    )
    assert.equal((await bypass(token, 'nothing', {})).status, 404)

    const replaced = await bypass(token, 'automated', { revoke: { secret, regenerate: true } })
    const secrets = Object.keys(replaced.body.protectionBypass)
    assert.equal(secrets.length, 2)
    assert.deepEqual(await Promise.all([secret, ...secrets].map(passes)), [401, 200, 200])
    for (const one of secrets)
      await bypass(token, 'automated', { revoke: { secret: one, regenerate: false } })
    assert.deepEqual(await Promise.all(secrets.map(passes)), [401, 401])
    assert.equal(await shown(), undefined)

    for (let i = 0; i < 10; i++) assert.equal((await bypass(token, 'automated', {})).status, 200)
    assert.equal((await bypass(token, 'automated', { generate: {} })).status, 400)
  })
})

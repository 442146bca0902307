import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { type Attacked, type Called, callApi, signUp, tried, useAttacked } from '#test/support/attacked.ts'

const REDIRECT = 'https://app.example/callback'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

interface Application {
  readonly clientId: string
  readonly clientSecret: string
}

describe('OAuth of a running installation', () => {
  const attacked = useAttacked()
  let [victim, stranger]: Attacked[] = []
  let [good, evil]: Application[] = []

  const register = async (by: Attacked, redirectUrl: string): Promise<Application> => {
    const body = { name: 'An application', redirectUrl, scopes: { user: 'read' } }
    const answer = await callApi(by, 'POST /v1/integrations/applications', body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  before(async () => {
    const run = randomBytes(4).toString('hex')
    victim = await signUp(attacked(), `victim-${run}@aloft.test`)
    stranger = await signUp(attacked(), `stranger-${run}@aloft.test`)
    good = await register(victim, REDIRECT)
    evil = await register(stranger, 'https://evil.example/callback')
  })

  const post = (path: string, fields: Record<string, string>, token?: string): Promise<Called> =>
    callApi(
      { ...attacked(), ...(token === undefined ? {} : { token }) },
      `POST ${path}`,
      new URLSearchParams(fields).toString(),
      FORM,
    )
  const codeFor = async (fields: Record<string, string> = {}): Promise<string> => {
    const answer = await post(
      '/oauth/authorize',
      { client_id: (good as Application).clientId, ...fields },
      victim?.token,
    )
    assert.equal(answer.status, 303, JSON.stringify(answer.body))
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  const exchange = (application: Application, fields: Record<string, string>) =>
    post('/v2/oauth/access_token', {
      client_id: application.clientId,
      client_secret: application.clientSecret,
      redirect_uri: REDIRECT,
      ...fields,
    })

  test('nobody is led to an address that only looks like the registered one', async (t) => {
    const { clientId } = good as Application
    const near = [
      'https://app.example/callback/',
      'https://app.example/callback?x=1',
      'https://app.example/callback#x',
      'https://app.example/callback/../evil',
      'https://app.example/callback%2f..%2fevil',
      'https://app.example:443/callback',
      'https://app.example./callback',
      'https://APP.example/callback',
      'http://app.example/callback',
      'https://app.example@evil.example/callback',
      'https://evil.example/callback?https://app.example/callback',
      'https://app.example.evil.example/callback',
      'https://app.example\\@evil.example/callback',
      '//app.example/callback',
      'javascript:alert(1)//https://app.example/callback',
      'data:text/html,x',
      `${REDIRECT}\r\nlocation: https://evil.example/`,
      ` ${REDIRECT}`,
      `${REDIRECT} `,
      '',
    ]
    for (const redirect_uri of near) {
      const query = new URLSearchParams({ client_id: clientId, redirect_uri, response_type: 'code' })
      for (const answer of [
        await callApi(victim as Attacked, `GET /oauth/authorize?${query}`),
        await post('/oauth/authorize', { client_id: clientId, redirect_uri }, victim?.token),
      ]) {
        assert.equal(answer.headers.get('location'), null, redirect_uri)
        assert.ok(answer.status >= 400, redirect_uri)
      }
    }
    tried(t, near.length * 2)
  })

  test('what a client sends along breaks no header and replaces no answer', async (t) => {
    const { clientId } = good as Application
    const states = ['x\r\nset-cookie: a=b', '&code=stolen', '#&code=stolen', '\u0000', '%0d%0aX: y', 'é🙂']
    for (const state of states) {
      const answer = await post('/oauth/authorize', { client_id: clientId, state }, victim?.token)
      if (answer.status === 400) continue
      const back = new URL(answer.headers.get('location') ?? '')
      assert.equal(back.origin + back.pathname, REDIRECT)
      assert.equal(back.searchParams.get('state'), state)
      assert.equal(back.searchParams.getAll('code').length, 1)
      assert.equal(answer.headers.get('set-cookie'), null)
    }
    tried(t, states.length)
  })

  test('a code is of no use to another application, with another secret, or for another address', async (t) => {
    const code = await codeFor()
    const [a, b] = [good as Application, evil as Application]
    const attempts: readonly (readonly [Application, Record<string, string>])[] = [
      [b, { code }],
      [b, { code, redirect_uri: 'https://evil.example/callback' }],
      [{ clientId: b.clientId, clientSecret: a.clientSecret }, { code }],
      [{ clientId: a.clientId, clientSecret: b.clientSecret }, { code }],
      [{ clientId: a.clientId, clientSecret: '' }, { code }],
      [a, { code, redirect_uri: 'https://evil.example/callback' }],
      [a, { code: `${code} ` }],
      [a, { code: code.toLowerCase() }],
      [a, { code: code.slice(0, -1) }],
      [a, { code, grant_type: 'client_credentials' }],
      [a, { code, grant_type: 'refresh_token' }],
    ]
    for (const [application, fields] of attempts)
      assert.ok((await exchange(application, fields)).status >= 400, JSON.stringify(fields))
    assert.equal((await exchange(a, { code })).status, 200, 'and it is still good for whom it is meant')
    tried(t, attempts.length)
  })

  test('PKCE cannot be left out, weakened or guessed', async (t) => {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = { code_challenge: s256(verifier), code_challenge_method: 'S256' }
    const code = await codeFor(challenge)
    const attempts = [
      {},
      { code_verifier: '' },
      { code_verifier: challenge.code_challenge },
      { code_verifier: `${verifier}=` },
      { code_verifier: verifier.slice(1) },
    ]
    for (const fields of attempts)
      assert.ok((await exchange(good as Application, { code, ...fields })).status >= 400)
    // A code that was asked for without a challenge cannot be made to look as if it had one.
    const plain = await codeFor()
    assert.ok((await exchange(good as Application, { code: plain, code_verifier: verifier })).status >= 400)
    for (const weak of [
      { code_challenge: verifier, code_challenge_method: 'plain' },
      { code_challenge: verifier },
      { code_challenge: 'short', code_challenge_method: 'S256' },
      { code_challenge_method: 'S256' },
    ]) {
      const answer = await post(
        '/oauth/authorize',
        { client_id: (good as Application).clientId, ...(weak as Record<string, string>) },
        victim?.token,
      )
      const back = new URL(answer.headers.get('location') ?? '')
      assert.deepEqual(
        [back.searchParams.get('error'), back.searchParams.get('code')],
        ['invalid_request', null],
      )
    }
    assert.equal((await exchange(good as Application, { code, code_verifier: verifier })).status, 200)
    tried(t, attempts.length + 5)
  })

  test('a code that is used again takes back what it was exchanged for, and racing gets one token', async (t) => {
    const code = await codeFor()
    const racing = await Promise.all(Array.from({ length: 8 }, () => exchange(good as Application, { code })))
    const granted = racing.filter(({ status }) => status === 200)
    assert.equal(granted.length, 1)
    assert.ok((await exchange(good as Application, { code })).status >= 400)
    const token = granted[0]?.body.access_token
    assert.equal((await callApi({ ...attacked(), token }, 'GET /v2/user')).status, 403)
    tried(t, 9)
  })
})

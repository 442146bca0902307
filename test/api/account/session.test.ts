import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { DAY, MINUTE } from '#contract/time.ts'
import { csrfOf } from '#core/session/sessions.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { createBrowser, hiddenIn } from '#test/support/browser/browser.ts'

apiSuite('sessions', (server) => {
  const deploy = async (token: string, name: string, query = ''): Promise<string> => {
    const { body } = await server.call(`POST /v8/platform/deployments${query}`, {
      token,
      body: { name, version: 2, files: [{ file: 'index.html', data: name }] },
    })
    return body.url
  }

  test('signing in by the mail, with a page that goes on by itself, and no token left behind', async () => {
    const browser = createBrowser(server)
    const email = 'grace.hopper@aloft.test'
    const form = await browser.call('GET /login?next=%2Fdocs%3Fa%3D1')
    assert.equal(form.status, 200)
    assert.match(form.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    const sent = await browser.post('/login', { email, ...hiddenIn(form.body) })
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/login/wait?next=%2Fdocs%3Fa%3D1'])

    const wait = await browser.call('GET /login/wait?next=%2Fdocs%3Fa%3D1')
    assert.equal(wait.status, 200)
    assert.match(wait.body, /<meta http-equiv="refresh" content="3">/)
    const mail = (await server.mails(email)).at(-1)
    const code = /[A-Z][a-z]+ [A-Z][a-z]+$/.exec(mail?.subject ?? '')?.[0] ?? 'none'
    assert.ok(wait.body.includes(code) && wait.body.includes(email))
    assert.equal(browser.cookies.has('aloft_session'), false)

    await server.call(`POST ${/\/login\/accept\?token=\w+/.exec(mail?.text ?? '')?.[0]}`)
    const done = await browser.call('GET /login/wait?next=%2Fdocs%3Fa%3D1')
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/docs?a=1'])
    assert.equal(done.headers.get('cache-control'), 'no-store')
    const [session, login] = done.headers.getSetCookie()
    assert.match(
      session ?? '',
      /^aloft_session=[0-9A-Za-z]{24}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
    )
    assert.match(login ?? '', /^aloft_login=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)

    const me = await browser.call('GET /v2/user')
    assert.equal(me.body.user.username, 'grace-hopper')
    const tokens = await browser.call('GET /v3/user/tokens')
    assert.deepEqual([tokens.status, tokens.body.tokens], [200, []])
  })

  test('who is signed in goes straight on, or is told who they are', async () => {
    const browser = createBrowser(server)
    await browser.signIn('ann@aloft.test')
    const on = await browser.call('GET /login?next=%2Fdocs')
    assert.deepEqual([on.status, on.headers.get('location')], [302, '/docs'])
    const page = await browser.call('GET /login')
    assert.equal(page.status, 200)
    assert.ok(page.body.includes('ann@aloft.test') && page.body.includes('Not you?'))
    const left = await browser.post('/logout', hiddenIn(page.body))
    assert.deepEqual([left.status, left.headers.get('location')], [303, '/login'])
    assert.equal(browser.cookies.has('aloft_session'), false)
  })

  test('without a mail server the pages say where the link is', async () => {
    const browser = createBrowser(server)
    const form = await browser.call('GET /login')
    assert.match(form.body, /printed in the server&#39;s terminal/)
    await browser.post('/login', { email: 'nomail@aloft.test', ...hiddenIn(form.body) })
    const wait = await browser.call('GET /login/wait')
    assert.match(wait.body, /<title>Check the server&#39;s terminal/)
    assert.doesNotMatch(wait.body, /We sent/)
    const { body } = await server.call('GET /v1/login-methods')
    assert.equal(body.mail, false)
    assert.match(body.approveUrl, /^https?:\/\/[^/]+\/login\/approve$/)
  })

  test('a signed-in browser accepts a login of its own person, and of nobody else', async () => {
    const email = 'approver@aloft.test'
    const browser = createBrowser(server)
    const first = await browser.call('GET /login/approve')
    assert.deepEqual([first.status, first.headers.get('location')], [303, '/login?next=%2Flogin%2Fapprove'])
    await browser.signIn(email)
    assert.match((await browser.call('GET /login/approve')).body, /No login is waiting/)
    const ask = async (who: string) =>
      (await server.call('POST /platform/registration', { body: { email: who, tokenName: 'my laptop' } }))
        .body
    const verify = (who: string, token: string) =>
      server.call(`GET /platform/registration/verify?email=${who}&token=${token}`)
    const mine = await ask(email)
    const other = await ask('somebody@aloft.test')
    const page = await browser.call('GET /login/approve')
    assert.ok(page.body.includes(mine.securityCode) && page.body.includes('my laptop'))
    assert.ok(!page.body.includes('somebody@'))
    const [foreign] = await server.parts.stores.logins.waiting('somebody@aloft.test', 0)
    const { id = '', csrf = '' } = hiddenIn(page.body)
    assert.equal((await browser.post('/login/approve', { id: foreign?.id ?? '', csrf })).status, 404)
    assert.equal((await browser.post('/login/approve', { id, csrf: 'wrong' })).status, 403)
    assert.equal((await verify(email, mine.token)).status, 400)
    assert.equal((await browser.post('/login/approve', { id, csrf })).status, 200)
    const got = await verify(email, mine.token)
    assert.deepEqual([got.status, got.body.email], [200, email])
    assert.equal((await verify('somebody@aloft.test', other.token)).status, 400)
  })

  test('signing out ends the session, whoever kept the cookie', async () => {
    const browser = createBrowser(server)
    await browser.signIn('leaver@aloft.test')
    const kept = new Map(browser.cookies)
    const page = await browser.call('GET /logout')
    assert.ok(page.body.includes('leaver@aloft.test'))
    assert.equal((await browser.post('/logout', hiddenIn(page.body))).status, 303)
    assert.equal((await browser.call('GET /logout')).headers.get('location'), '/login')
    assert.equal((await browser.post('/logout', {})).status, 303, 'there is nothing to leave')
    for (const [name, value] of kept) browser.cookies.set(name, value)
    assert.equal((await browser.call('GET /v2/user')).status, 403)
  })

  test('what is wrong with a sign-in is said on a page, and nobody learns which addresses are known', async () => {
    await server.signUp('member@aloft.test')
    const browser = createBrowser(server)
    const form = hiddenIn((await browser.call('GET /login')).body)
    const stranger = createBrowser(server)
    const sendings = [
      ['no address', () => browser.post('/login', { ...form, email: 'nonsense' }), 400],
      ['a script in it', () => browser.post('/login', { ...form, email: '<script>@x' }), 400],
      ['no field', () => browser.post('/login', form), 400],
      ['two fields', () => browser.call('POST /login', { body: 'email=a@b.c&email=d@e.f' }), 400],
      ['too long', () => browser.post('/login', { ...form, email: `${'a'.repeat(300)}@x.test` }), 400],
      ['too large', () => browser.post('/login', { ...form, email: 'a'.repeat(70_000) }), 413],
      ['no cookie', () => stranger.post('/login', { ...form, email: 'a@b.test' }), 403],
      ['another csrf', () => browser.post('/login', { ...form, csrf: csrfOf('x'), email: 'a@b.test' }), 403],
      ['no csrf', () => browser.post('/login', { email: 'a@b.test' }), 403],
      ['known', () => browser.post('/login', { ...form, email: 'member@aloft.test' }), 303],
    ] as const
    for (const [what, send, status] of sendings) {
      const answer = await send()
      assert.equal(answer.status, status, what)
      if (status === 303) continue
      assert.match(answer.headers.get('content-type') ?? '', /text\/html/, what)
      assert.doesNotMatch(answer.body, /<script/, what)
    }
    const fresh = createBrowser(server)
    const again = hiddenIn((await fresh.call('GET /login')).body)
    const unknown = await fresh.post('/login', { ...again, email: 'nobody-yet@aloft.test' })
    assert.deepEqual([unknown.status, unknown.headers.get('location')], [303, '/login/wait'])
  })

  test('a sign-in that nobody accepts in time is over', async () => {
    const browser = createBrowser(server)
    const form = hiddenIn((await browser.call('GET /login')).body)
    await browser.post('/login', { ...form, email: 'slow-browser@aloft.test' })
    server.clock.advance(31 * MINUTE)
    const over = await browser.call('GET /login/wait?next=%2Fdocs')
    assert.equal(over.status, 404)
    assert.ok(over.body.includes('href="/login?next=%2Fdocs"'))
    const without = await createBrowser(server).call('GET /login/wait')
    assert.deepEqual([without.status, without.headers.get('location')], [302, '/login'])
  })

  test('signing in anew ends the session before it; two tabs make one', async () => {
    const browser = createBrowser(server)
    await browser.signIn('tabs@aloft.test')
    const first = new Map(browser.cookies)
    // The page for those who are signed in has no form for an address, so it is asked for without the cookie.
    const other = createBrowser(server)
    const form = hiddenIn((await other.call('GET /login')).body)
    await other.post('/login', { ...form, email: 'tabs@aloft.test' })
    const mail = (await server.mails('tabs@aloft.test')).at(-1)
    await server.call(`POST ${/\/login\/accept\?token=\w+/.exec(mail?.text ?? '')?.[0]}`)
    other.cookies.set('aloft_session', first.get('aloft_session') as string)
    const cookies = new Map(other.cookies)
    assert.equal((await other.call('GET /login/wait')).status, 303)
    assert.equal((await other.call('GET /v2/user')).status, 200)
    assert.equal((await browser.call('GET /v2/user')).status, 403, 'the one before is over')
    other.cookies.set('aloft_login', cookies.get('aloft_login') as string)
    const late = await other.call('GET /login/wait?next=%2Fdocs')
    assert.deepEqual([late.status, late.headers.get('location')], [302, '/docs'])
  })

  test('a session lives 30 days from its last use', async () => {
    const browser = createBrowser(server)
    await browser.signIn('idle@aloft.test')
    for (let i = 0; i < 3; i++) {
      server.clock.advance(29 * DAY)
      assert.equal((await browser.call('GET /v2/user')).status, 200)
    }
    server.clock.advance(30 * DAY)
    assert.equal((await browser.call('GET /v2/user')).status, 403)
    const { token } = await server.operator()
    await server.call('POST /v1/operator/jobs/sessions.clean-up/run', { token })
    await server.runJobs()
    const cookie = browser.cookies.get('aloft_session') as string
    assert.equal(await server.parts.stores.sessions.byHash(hash('sha256', cookie)), undefined)
  })

  test('the API takes the cookie from our own pages alone, and changes only with their value', async () => {
    const browser = createBrowser(server)
    await browser.signIn('caller@aloft.test')
    const cookie = `aloft_session=${browser.cookies.get('aloft_session')}`
    const csrf = csrfOf(browser.cookies.get('aloft_session') as string)
    const host = new URL(server.url).host
    const send = (method: string, headers: Record<string, string>) =>
      server.call(method === 'GET' ? 'GET /v2/user' : 'POST /v3/user/tokens', {
        headers: { cookie, ...headers },
        ...(method === 'GET' ? {} : { body: { name: 'by session' } }),
      })
    const cases: [string, Record<string, string>, number][] = [
      ['GET', {}, 200],
      ['GET', { 'sec-fetch-site': 'same-origin' }, 200],
      ['GET', { 'sec-fetch-site': 'none' }, 200],
      ['GET', { 'sec-fetch-site': 'same-site' }, 403],
      ['GET', { 'sec-fetch-site': 'cross-site' }, 403],
      ['GET', { origin: 'http://evil.test' }, 403],
      ['POST', { 'x-aloft-csrf': csrf, 'sec-fetch-site': 'same-origin' }, 200],
      ['POST', { 'x-aloft-csrf': csrf, 'sec-fetch-site': 'none' }, 200],
      ['POST', { 'x-aloft-csrf': csrf, origin: `http://${host}` }, 200],
      ['POST', { 'x-aloft-csrf': csrf, origin: 'http://aloft.test' }, 200],
      ['POST', { 'x-aloft-csrf': csrf }, 403],
      ['POST', { 'x-aloft-csrf': csrf, origin: 'null' }, 403],
      ['POST', { 'x-aloft-csrf': csrf, origin: `https://${host}` }, 403],
      ['POST', { 'x-aloft-csrf': csrf, origin: 'http://site.aloft.test' }, 403],
      ['POST', { 'x-aloft-csrf': csrf, origin: `http://${host}.evil.test` }, 403],
      ['POST', { 'x-aloft-csrf': csrf, 'sec-fetch-site': 'same-site' }, 403],
      ['POST', { 'x-aloft-csrf': csrf, 'sec-fetch-site': 'cross-site', origin: `http://${host}` }, 403],
      ['POST', { 'sec-fetch-site': 'same-origin' }, 403],
      ['POST', { 'sec-fetch-site': 'same-origin', 'x-aloft-csrf': '' }, 403],
      ['POST', { 'sec-fetch-site': 'same-origin', 'x-aloft-csrf': csrfOf('another') }, 403],
    ]
    for (const [method, headers, status] of cases) {
      const answer = await send(method, headers)
      assert.equal(answer.status, status, `${method} ${JSON.stringify(headers)}`)
      if (status === 403) assert.equal(answer.body.error.code, 'forbidden')
    }
    const made = (await browser.call('GET /v3/user/tokens')).body.tokens.length
    assert.equal(made, 4, 'what was refused was not done')
    assert.equal((await browser.call('GET /v3/user/tokens/current')).status, 404, 'a session is no token')

    const other = await server.signUp('bearer@aloft.test')
    const both = await browser.call('GET /v2/user', { token: other.token })
    assert.equal(both.body.user.email, other.email, 'a token wins')
    const bad = await browser.call('GET /v2/user', { token: 'wrong' })
    assert.deepEqual([bad.status, bad.body.error.invalidToken], [403, true])
    for (const value of ['x', '', `${cookie.slice(14)}; aloft_session=0123456789abcdefghijABCD`]) {
      const refused = await server.call('GET /v2/user', { headers: { cookie: `aloft_session=${value}` } })
      assert.deepEqual([refused.status, refused.body.error.missingToken], [403, true], value)
    }
  })

  test('forms that other sites send are refused', async () => {
    const browser = createBrowser(server)
    await browser.signIn('victim@aloft.test')
    const leave = hiddenIn((await browser.call('GET /logout')).body)
    const fresh = createBrowser(server)
    const login = { ...hiddenIn((await fresh.call('GET /login')).body), email: 'attacker@aloft.test' }
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: server.url },
    ]
    for (const headers of foreign) {
      assert.equal((await browser.post('/logout', leave, headers)).status, 403)
      assert.equal((await fresh.post('/login', login, headers)).status, 403)
    }
    assert.equal((await browser.post('/logout', { next: '/' })).status, 403)
    assert.equal((await browser.post('/logout', { csrf: csrfOf('x') })).status, 403)
    assert.equal((await browser.call('GET /v2/user')).status, 200)
    assert.deepEqual(await server.mails('attacker@aloft.test'), [])
    // Nor can they have a sign-in of their own finished in this browser.
    await fresh.post('/login', login)
    const led = await fresh.call('GET /login/wait', { headers: { 'sec-fetch-site': 'cross-site' } })
    assert.deepEqual([led.status, led.headers.get('location')], [302, '/login'])
  })

  test('no page sends anybody to another host', async () => {
    const browser = createBrowser(server)
    for (const next of [
      '//evil.test',
      'https://evil.test',
      '/\\evil.test',
      '/.//evil.test',
      '/\t/evil.test',
    ]) {
      const given = encodeURIComponent(next)
      const form = hiddenIn((await browser.call(`GET /login?next=${given}`)).body)
      assert.equal(form.next, '/', next)
    }
    assert.equal(await browser.signIn('open@aloft.test', '//evil.test'), '/')
    assert.equal((await browser.call('GET /login?next=%2F%2Fevil.test')).headers.get('location'), '/')
    const leave = hiddenIn((await browser.call('GET /logout')).body)
    const left = await browser.post('/logout', { ...leave, next: 'https://evil.test' })
    assert.equal(left.headers.get('location'), '/')
  })

  test('a user sees the browsers they are signed in with, and signs them out', async () => {
    const [here, there] = [createBrowser(server), createBrowser(server)]
    await here.signIn('many@aloft.test')
    server.clock.advance(1)
    await there.signIn('many@aloft.test')
    const foreign = createBrowser(server)
    await foreign.signIn('few@aloft.test')
    const { body } = await here.call('GET /v1/user/sessions')
    assert.deepEqual(
      body.sessions.map(({ current, ip }: { current: boolean; ip: string }) => [current, ip]),
      [
        [false, '127.0.0.1'],
        [true, '127.0.0.1'],
      ],
    )
    assert.deepEqual(Object.keys(body.sessions[0]).sort(), [
      'activeAt',
      'createdAt',
      'current',
      'expiresAt',
      'id',
      'ip',
      'userAgent',
    ])
    const csrfHeader = (browser: typeof here) => ({
      headers: { 'x-aloft-csrf': csrfOf(browser.cookies.get('aloft_session') as string) },
    })
    const on = `DELETE /v1/user/sessions/${body.sessions[0].id}`
    assert.equal((await foreign.call(on, csrfHeader(foreign))).status, 404)
    assert.deepEqual((await here.call(on, csrfHeader(here))).body, { id: body.sessions[0].id })
    assert.equal((await there.call('GET /v2/user')).status, 403)
    await there.signIn('many@aloft.test')
    assert.deepEqual((await here.call('DELETE /v1/user/sessions', csrfHeader(here))).body, { ended: 1 })
    assert.equal((await there.call('GET /v2/user')).status, 403)
    assert.equal((await here.call('DELETE /v1/user/sessions/current', csrfHeader(here))).status, 200)
    assert.equal((await here.call('GET /v2/user')).status, 403)
    assert.equal((await foreign.call('GET /v2/user')).status, 200)
  })

  test('whoever may open a guarded site is sent back with a pass for it, once', async () => {
    const owner = await server.signUp('sso-owner@aloft.test')
    const host = await deploy(owner.token, 'sso-own')
    const browser = createBrowser(server)
    const ask = `/sso?url=${encodeURIComponent(`http://${host}:3000//a/b?c=d&e=%2F`)}`
    const first = await browser.call(`GET ${ask}`, { headers: { 'sec-fetch-site': 'cross-site' } })
    const login = `/login?next=${encodeURIComponent(ask)}`
    assert.deepEqual([first.status, first.headers.get('location')], [302, login])
    assert.equal(await browser.signIn(owner.email, ask), ask)

    const back = await browser.call(`GET ${ask}`, { headers: { 'sec-fetch-site': 'cross-site' } })
    assert.equal(back.status, 302)
    const to = new URL(back.headers.get('location') ?? '')
    assert.equal(`${to.origin}${to.pathname}`, `http://${host}:3000/_platform/sso`)
    assert.deepEqual([...to.searchParams.keys()], ['nonce', 'url'])
    assert.equal(to.searchParams.get('url'), '/a/b?c=d&e=%2F')
    const nonce = to.searchParams.get('nonce') ?? ''
    assert.match(nonce, /^[0-9A-Za-z]{24}$/)
    const { ssoPasses } = server.parts.stores
    const now = server.clock.now()
    const hashed = hash('sha256', nonce)
    const pass = await ssoPasses.take(hashed, host, now)
    assert.deepEqual([pass?.host, pass?.userId], [host, owner.id])
    assert.ok(pass && pass.expiresAt > now && pass.expiresAt <= now + 5 * MINUTE)
    assert.equal(await ssoPasses.take(hashed, host, now), undefined)

    const script = await server.call(`GET ${ask}`, { token: owner.token })
    assert.equal(script.status, 302)
    assert.equal((await server.call(`GET ${ask}`, { token: 'wrong' })).status, 403)
    const mixed = await browser.call(`GET ${ask}`, { token: 'wrong' })
    assert.equal(mixed.status, 403, 'a bad token is not made good by a cookie')
  })

  test('members of a team open its sites; nobody else does, nor learns anything', async () => {
    const [owner, member] = [
      await server.signUp('t-owner@aloft.test'),
      await server.signUp('t-member@aloft.test'),
    ]
    const team = await server.newTeam(owner, member)
    const host = await deploy(owner.token, 'sso-shared', `?teamId=${team.id}`)
    const ask = `/sso?url=${encodeURIComponent(`https://${host.toUpperCase()}./x`)}`
    const browser = createBrowser(server)
    await browser.signIn(member.email)
    const back = await browser.call(`GET ${ask}`)
    assert.ok(back.headers.get('location')?.startsWith(`https://${host}/_platform/sso?nonce=`))
    await server.call(`DELETE /v1/teams/${team.id}/members/${member.id}`, { token: owner.token })
    assert.equal((await browser.call(`GET ${ask}`)).status, 403, 'not a member any more')

    const stranger = createBrowser(server)
    await stranger.signIn('t-stranger@aloft.test')
    const refused = await stranger.call(`GET ${ask}`)
    assert.equal(refused.status, 403)
    assert.ok(refused.body.includes('t-stranger@aloft.test') && refused.body.includes(host))
    assert.doesNotMatch(refused.body, new RegExp(`t-owner@|${team.id}`))
    const switched = await stranger.post('/logout', hiddenIn(refused.body))
    assert.equal(switched.headers.get('location'), `/login?next=${encodeURIComponent(ask)}`)
  })

  test('only sites of this installation are opened', async () => {
    const { token } = await server.signUp()
    const host = await deploy(token, 'sso-here')
    for (const url of [
      '',
      'x',
      `//${host}/`,
      'javascript:alert(1)',
      `ftp://${host}/`,
      'http://',
      'http://evil.test/',
      `http://${host}.evil.test/`,
      `http://evil.test/${host}`,
      `http://${host}@evil.test/`,
      `http://${host}:4444/`,
      'http://localhost:3000/',
      `http://${'a.'.repeat(200)}localhost/`,
      `http://${'x'.repeat(5000)}/`,
    ])
      for (const who of [{ token }, {}]) {
        const answer = await server.call(`GET /sso?url=${encodeURIComponent(url)}`, who)
        assert.equal(answer.status, 400, url)
        assert.match(answer.headers.get('content-type') ?? '', /text\/html/)
      }
    assert.equal((await server.call('GET /sso', { token })).status, 400)
    const credentials = await server.call(`GET /sso?url=${encodeURIComponent(`http://user:pass@${host}/`)}`, {
      token,
    })
    assert.ok(credentials.headers.get('location')?.startsWith(`http://${host}/_platform/sso?`))
    const port = new URL(server.url).port
    const here = await server.call(`GET /sso?url=${encodeURIComponent(`http://${host}:${port}/`)}`, { token })
    assert.ok(here.headers.get('location')?.startsWith(`http://${host}:${port}/_platform/sso?`))
  })
})

apiSuite(
  'sessions over TLS',
  (server) => {
    test('cookies are for TLS and for this host alone', async () => {
      const browser = createBrowser(server)
      const form = await browser.call('GET /login')
      assert.match(
        form.headers.getSetCookie()[0] ?? '',
        /^__Host-aloft_login=\w{24}; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/,
      )
      const planted = await server.call('POST /login', {
        body: `email=a@b.test&csrf=${csrfOf('0123456789abcdefghijABCD')}`,
        headers: {
          cookie: 'aloft_login=0123456789abcdefghijABCD',
          'content-type': 'application/x-www-form-urlencoded',
        },
      })
      assert.equal(planted.status, 403, 'a cookie that another host may have set does not count')
      await browser.signIn('tls@aloft.test')
      const cookie = browser.cookies.get('__Host-aloft_session') as string
      assert.equal((await browser.call('GET /v2/user')).status, 200)
      const plain = await server.call('GET /v2/user', { headers: { cookie: `aloft_session=${cookie}` } })
      assert.equal(plain.status, 403)
    })
  },
  { env: { ALOFT_BASE_URL: 'https://aloft.test' } },
)

apiSuite(
  'sign-in limits',
  (server) => {
    test('pages draw on the same allowance of mails as programs', async () => {
      const browser = createBrowser(server)
      const email = 'flooded@aloft.test'
      for (let i = 0; i < 9; i++) {
        const asked = await server.call('POST /platform/registration', { body: { email, tokenName: 'x' } })
        assert.equal(asked.status, 200)
      }
      const send = async () =>
        browser.post('/login', { ...hiddenIn((await browser.call('GET /login')).body), email })
      assert.equal((await send()).status, 303)
      assert.equal((await send()).status, 303)
      assert.equal((await server.mails(email)).length, 10)
      assert.match((await browser.call('GET /login/wait')).body, /enter this security code/)
    })
  },
  { env: { ALOFT_RATE_LIMIT: '' } },
)

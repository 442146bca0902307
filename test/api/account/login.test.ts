import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, MINUTE } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'

apiSuite('login', (server) => {
  const ask = (email: string, query = '') =>
    server.call(`POST /platform/registration${query}`, {
      body: { email, tokenName: 'My <laptop>' },
      headers: { 'user-agent': 'curl/8 & friends' },
    })
  const verify = (email: string, token: string) =>
    server.call(`GET /platform/registration/verify?email=${encodeURIComponent(email)}&token=${token}`)
  const linkOf = async (email: string) => {
    const mail = (await server.mails(email)).at(-1)
    const link = /http:\/\/aloft\.test(\/login\/accept\?token=\w+)/.exec(mail?.text ?? '')?.[1]
    assert.ok(link, 'the mail holds the link')
    return link
  }

  test('a stranger’s words in a mail are few and lead nowhere', async () => {
    const tokenName = `Your account is locked, confirm at https://evil.example/login or evil.example \u202e ${'now '.repeat(40)}`
    const body = { email: 'victim@aloft.test', tokenName }
    assert.equal((await server.call('POST /platform/registration', { body })).status, 200)
    const mail = (await server.mails(body.email)).at(-1)
    for (const text of [mail?.text ?? '', mail?.html ?? '']) {
      assert.ok(text !== '')
      assert.doesNotMatch(text, /evil\.example|\u202e/)
      assert.ok(!text.includes('now now now'))
    }
  })

  test('asking, accepting by the mailed link, and fetching the token', async () => {
    const email = 'ada.lovelace@aloft.test'
    const asked = await ask(email)
    assert.equal(asked.status, 200)
    assert.deepEqual(Object.keys(asked.body).sort(), ['securityCode', 'token'])
    assert.match(asked.body.securityCode, /^[A-Z][a-z]+ [A-Z][a-z]+$/)

    const pending = await verify(email, asked.body.token)
    assert.equal(pending.status, 400)
    assert.equal(pending.body.error.code, 'confirmation_incomplete')
    assert.equal(pending.body.error.message, 'Confirmation incomplete')

    const mail = (await server.mails(email)).at(-1)
    assert.ok(mail?.text?.includes(asked.body.securityCode))
    assert.ok(mail?.subject?.includes(asked.body.securityCode))
    assert.equal(mail?.text?.match(/https?:\/\//g)?.length, 1, 'one link')
    const link = await linkOf(email)

    const page = await server.call(`GET ${link}`)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /text\/html/)
    assert.ok(page.body.includes(asked.body.securityCode))
    assert.ok(page.body.includes('My &lt;laptop&gt;'), 'what strangers send is escaped')
    assert.ok(page.body.includes('127.0.0.1') && page.body.includes('curl/8 &amp; friends'))
    assert.equal((await verify(email, asked.body.token)).status, 400, 'looking at the page accepts nothing')

    const token = link.split('token=')[1]
    const accepted = await server.call('POST /login/accept', {
      body: `token=${token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(accepted.status, 200)

    const done = await verify(email.toUpperCase(), asked.body.token)
    assert.equal(done.status, 200)
    assert.match(done.body.token, /^[0-9A-Za-z]{24}$/)
    assert.deepEqual({ ...done.body, token: '' }, { token: '', email, teamId: null })
    assert.equal((await verify(email, asked.body.token)).status, 404, 'the token is handed out once')

    const me = await server.call('GET /v2/user', { token: done.body.token })
    assert.equal(me.body.user.username, 'ada-lovelace')
    assert.equal(me.body.user.operator, false)
    assert.equal(me.body.user.plan, 'enterprise')
  })

  test('asking alone makes no account, and `mode=login` needs one', async () => {
    const email = 'ghost@aloft.test'
    await ask(email)
    const refused = await ask(email, '?mode=login')
    assert.deepEqual([refused.status, refused.body.error.code], [404, 'not_exists'])
    const { email: known } = await server.signUp('known@aloft.test')
    assert.equal((await ask(known, '?mode=login')).status, 200)
    assert.equal((await ask(known, '?mode=signup')).status, 200)
    assert.equal((await ask(known, '?mode=other')).status, 400)
  })

  test('a request lives 30 minutes', async () => {
    const email = 'slow@aloft.test'
    const asked = await ask(email)
    const link = await linkOf(email)
    server.clock.advance(31 * MINUTE)
    assert.equal((await server.call(`GET ${link}`)).status, 404)
    assert.equal((await server.call(`POST ${link}`)).status, 404)
    assert.equal((await verify(email, asked.body.token)).status, 404)
  })

  test('a wrong token, a wrong address and a used link give nothing', async () => {
    const email = 'exact@aloft.test'
    const asked = await ask(email)
    const link = await linkOf(email)
    assert.equal((await verify(email, 'nonsense')).status, 404)
    assert.equal((await verify('other@aloft.test', asked.body.token)).status, 404)
    assert.equal((await server.call(`POST ${link}`)).status, 200)
    assert.equal((await server.call(`POST ${link}`)).status, 200, 'accepting twice is accepting')
    assert.equal((await verify('other@aloft.test', asked.body.token)).status, 404)
    const both = await Promise.all([verify(email, asked.body.token), verify(email, asked.body.token)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404])
    assert.equal((await server.call(`GET ${link}`)).status, 404)
    assert.equal((await server.call('POST /login/accept')).status, 400)
  })

  test('addresses with the same local part get different usernames', async () => {
    const [a, b] = [await server.signUp('same@one.test'), await server.signUp('same@two.test')]
    assert.equal(a.username, 'same')
    assert.match(b.username, /^same-[0-9a-f]{4}$/)
  })

  test('a login lapses after ten days without use, and use keeps it alive', async () => {
    const { token } = await server.signUp()
    for (let i = 0; i < 3; i++) {
      server.clock.advance(9 * DAY)
      assert.equal((await server.call('GET /v2/user', { token })).status, 200)
    }
    server.clock.advance(10 * DAY + MINUTE)
    const lapsed = await server.call('GET /v2/user', { token })
    assert.deepEqual([lapsed.status, lapsed.body.error.invalidToken], [403, true])
  })

  test('malformed requests are refused', async () => {
    const bad = [
      {},
      { email: 'a@b.test' },
      { tokenName: 'x' },
      { email: 'a', tokenName: 'x' },
      { email: 'a@b.test\r\nBcc: c@d.test', tokenName: 'x' },
      { email: 'a@b.test', tokenName: 'x\ny' },
      { email: ['a@b.test'], tokenName: 'x' },
      { email: `${'a'.repeat(300)}@b.test`, tokenName: 'x' },
    ]
    for (const body of bad)
      assert.equal(
        (await server.call('POST /platform/registration', { body })).status,
        400,
        JSON.stringify(body),
      )
  })

  test('old requests are forgotten by a job', async () => {
    await ask('forgotten@aloft.test')
    server.clock.advance(2 * 60 * MINUTE)
    const { token } = await server.operator()
    const run = await server.call('POST /v1/operator/jobs/logins.clean-up/run', { token })
    assert.deepEqual([run.status, run.body.state], [200, 'queued'])
    await server.runJobs()
    assert.equal(await server.parts.stores.logins.deleteExpired(server.clock.now()), 0)
  })
})

apiSuite(
  'login limits',
  (server) => {
    const email = 'many@aloft.test'
    const ask = async (): Promise<{ token: string; securityCode: string }> => {
      const asked = await server.call('POST /platform/registration', { body: { email, tokenName: 'x' } })
      assert.equal(asked.status, 200)
      return asked.body
    }
    const isAccepted = async (token: string) =>
      (await server.call(`GET /platform/registration/verify?email=${email}&token=${token}`)).status === 200
    const newestLink = async () =>
      /token=(\w+)/.exec((await server.mails(email)).at(-1)?.text ?? '')?.[1] as string
    const accept = (token: string, code?: string) =>
      server.call('POST /login/accept', {
        body: new URLSearchParams({ token, ...(code && { code }) }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })

    test('one network has one address mailed at most so often, and the mail that waits serves again', async () => {
      const strangers = [await ask()]
      assert.doesNotMatch(
        (await server.call(`GET /login/accept?token=${await newestLink()}`)).body,
        /name="code"/,
      )
      for (let i = 0; i < 9; i++) strangers.push(await ask())
      const [mine, other] = [await ask(), await ask()]
      assert.equal((await server.mails(email)).length, 10)
      assert.notEqual(mine.securityCode, other.securityCode)

      const link = await newestLink()
      assert.match((await server.call(`GET /login/accept?token=${link}`)).body, /name="code"/)
      assert.equal((await accept(link, 'No Such')).status, 400)
      assert.equal((await accept(link, mine.securityCode.toLowerCase())).status, 200)
      assert.equal(await isAccepted(mine.token), true)
      for (const { token } of [...strangers, other]) assert.equal(await isAccepted(token), false)
    })

    test('a mail is sent all the same when none is waiting any more', async () => {
      server.clock.advance(21 * MINUTE)
      const mails = (await server.mails(email)).length
      await ask()
      await ask()
      assert.equal((await server.mails(email)).length, mails + 1)
    })
  },
  { env: { ALOFT_RATE_LIMIT: '' } },
)

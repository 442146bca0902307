import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#src/config.ts'
import { createUseCases } from '#src/process/use-cases.ts'
import { apiSuite } from '#test/support/api-suite.ts'

apiSuite('operator', (server) => {
  const operators = () => createUseCases(readConfig({}), server.parts).operators

  test('the one-time link makes one operator, and only once', async () => {
    const token = await operators().openSetup()
    assert.ok(token)
    const page = await server.call(`GET /setup?token=${token}`)
    assert.equal(page.status, 200)
    assert.match(page.body, /<form method="post"/)
    assert.equal((await server.call('GET /setup?token=wrong')).status, 404)
    assert.equal(
      (await server.call('POST /setup', { body: { token: 'wrong', email: 'thief@aloft.test' } })).status,
      404,
    )
    assert.equal((await server.call('POST /setup', { body: { token, email: 'not an address' } })).status, 400)

    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const both = await Promise.all(
      ['first@aloft.test', 'second@aloft.test'].map((email) =>
        server.call('POST /setup', {
          body: `token=${token}&email=${encodeURIComponent(email)}`,
          headers: form,
        }),
      ),
    )
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404])
    const done = both.find(({ status }) => status === 200)
    const bearer = />([0-9A-Za-z]{24})</.exec(done?.body)?.[1] as string
    const me = await server.call('GET /v2/user', { token: bearer })
    assert.equal(me.body.user.operator, true)
    const cookie = /aloft_session=\w{24}(?=;)/.exec(done?.headers.get('set-cookie') ?? '')?.[0] ?? ''
    const byCookie = await server.call('GET /v2/user', {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    })
    assert.equal(byCookie.body.user?.email, me.body.user.email, 'the browser is signed in')
    assert.equal(await operators().openSetup(), undefined, 'no further link is made')
    assert.equal((await server.call(`GET /setup?token=${token}`)).status, 404)
  })

  test('the first stranger to register is no operator', async () => {
    const { token } = await server.signUp()
    const refused = await server.call('GET /v1/operator/jobs', { token })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
  })

  test('a bootstrap account that exists stays as it is', async () => {
    const { email, token } = await server.signUp()
    await operators().bootstrap({ email, token: 'another-token-000' })
    assert.equal((await server.call('GET /v2/user', { token: 'another-token-000' })).status, 403)
    assert.equal((await server.call('GET /v2/user', { token })).body.user.operator, false)
  })

  test('machines that start at once all find the bootstrap account', async () => {
    for (let round = 0; round < 10; round++) {
      const given = { email: `bootstrap-${round}@example.com`, token: `bootstrap-token-${round}-000` }
      await Promise.all(Array.from({ length: 6 }, () => operators().bootstrap(given)))
      const me = await server.call('GET /v2/user', { token: given.token })
      assert.deepEqual([me.body.user?.email, me.body.user?.operator], [given.email, true])
    }
  })

  test('plan and block are changed by id, address or slug, for users and teams', async () => {
    const operator = await server.operator()
    const user = await server.signUp()
    const { body: team } = await server.call('POST /v1/teams', {
      token: user.token,
      body: { slug: 'planned' },
    })
    for (const key of [user.id, user.email, user.username]) {
      const changed = await server.call(`PATCH /v1/operator/accounts/${key}`, {
        token: operator.token,
        body: { plan: 'pro' },
      })
      assert.deepEqual(changed.body, {
        id: user.id,
        kind: 'user',
        slug: user.username,
        email: user.email,
        plan: 'pro',
        softBlocked: false,
      })
    }
    for (const key of [team.id, 'planned']) {
      const changed = await server.call(`PATCH /v1/operator/accounts/${key}`, {
        token: operator.token,
        body: { plan: 'oss', softBlocked: false },
      })
      assert.deepEqual(changed.body, {
        id: team.id,
        kind: 'team',
        slug: 'planned',
        plan: 'oss',
        softBlocked: false,
      })
    }
    for (const body of [{}, { plan: 'gold' }, { softBlocked: 'yes' }])
      assert.equal(
        (await server.call(`PATCH /v1/operator/accounts/${user.id}`, { token: operator.token, body })).status,
        400,
      )
    const unknown = await server.call('PATCH /v1/operator/accounts/nobody', {
      token: operator.token,
      body: { plan: 'pro' },
    })
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'not_found'])
  })

  test('a blocked account reads and does not write', async () => {
    const operator = await server.operator()
    const { id, token } = await server.signUp()
    const set = (softBlocked: boolean) =>
      server.call(`PATCH /v1/operator/accounts/${id}`, { token: operator.token, body: { softBlocked } })
    await set(true)
    const refused = await server.call('POST /v1/teams', { token, body: { slug: 'unpaid' } })
    assert.deepEqual([refused.status, refused.body.error.code], [402, 'payment_required'])
    assert.equal((await server.call('GET /v1/teams', { token })).status, 200)
    await set(false)
    assert.equal((await server.call('POST /v1/teams', { token, body: { slug: 'unpaid' } })).status, 200)
  })

  test('jobs are listed and run by name', async () => {
    const { token } = await server.operator()
    const { body } = await server.call('GET /v1/operator/jobs', { token })
    assert.ok(body.jobs.length > 0)
    for (const { name } of body.jobs) {
      const run = await server.call(`POST /v1/operator/jobs/${name}/run`, { token })
      assert.equal(run.status, 200)
      assert.match(run.body.jobId, /^job_/)
    }
    await server.runJobs()
    assert.deepEqual((await server.call('GET /v1/operator/jobs', { token })).body.queue, {
      queued: 0,
      running: 0,
      failed: 0,
    })
    const unknown = await server.call('POST /v1/operator/jobs/none/run', { token })
    assert.equal(unknown.status, 404)
  })
})

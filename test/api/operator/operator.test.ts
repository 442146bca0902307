import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#src/config/config.ts'
import { createUseCases } from '#src/process/compose/use-cases.ts'
import { apiSuite } from '#test/support/api-suite.ts'

apiSuite('operator', (server) => {
  const operators = () => createUseCases(readConfig({}), server.parts).operators

  test('the one-time link makes one operator, and only once', async () => {
    const token = await operators().openSetup()
    assert.ok(token)
    const page = await server.call(`GET /setup?token=${token}`)
    assert.equal(page.status, 200)
    assert.match(page.body, /<form method="post"/)
    const early = await server.call('GET /login', { headers: { accept: 'text/html' } })
    assert.match(early.body, /<h1>Not set up yet<\/h1>[\s\S]*printed in the terminal/)
    assert.match((await server.call('GET /login?anyway=1')).body, /<h1>Sign in<\/h1>/)
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
    assert.match((await server.call('GET /login')).body, /<h1>Sign in<\/h1>/)
    assert.equal((await server.call(`GET /setup?token=${token}`)).status, 404)
  })

  test('the first stranger to register is no operator', async () => {
    const { token } = await server.signUp()
    const refused = await server.call('GET /v1/operator/jobs', { token })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
  })

  test('a restart that nothing could carry out is refused with the reason, and to others altogether', async () => {
    const { token } = await server.operator()
    const refused = await server.call('POST /v1/operator/restart', { token })
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    assert.match(refused.body.error.message, /^The server was not restarted.*without a supervisor/)
    const other = await server.signUp()
    assert.equal((await server.call('POST /v1/operator/restart', { token: other.token })).status, 403)
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

  test('accounts are listed newest first, searched, and counted', async () => {
    const { token } = await server.operator()
    const anna = await server.signUp('anna.search@aloft.test')
    server.clock.advance(1)
    const { body: team } = await server.call('POST /v1/teams', {
      token: anna.token,
      body: { slug: 'search-team' },
    })
    for (const name of ['one', 'two'])
      await server.call('POST /v8/platform/deployments', {
        token: anna.token,
        body: { version: 2, name, files: [{ file: 'index.html', data: name }] },
      })
    const { body } = await server.call('GET /v1/operator/accounts?search=SEARCH', { token })
    assert.deepEqual(
      body.accounts.map(({ id }: { id: string }) => id),
      [team.id, anna.id],
    )
    assert.equal(body.pagination.next, null)
    const [ofTeam, ofUser] = body.accounts
    assert.deepEqual(
      { ...ofUser, createdAt: 0 },
      {
        id: anna.id,
        kind: 'user',
        slug: anna.username,
        email: anna.email,
        plan: 'enterprise',
        softBlocked: false,
        operator: false,
        createdAt: 0,
        projects: 2,
        deployments: 2,
      },
    )
    assert.deepEqual([ofTeam.kind, ofTeam.projects, ofTeam.email], ['team', 0, undefined])

    const first = await server.call('GET /v1/operator/accounts?limit=1', { token })
    assert.equal(first.body.accounts.length, 1)
    const all: string[] = []
    for (let until = ''; ; ) {
      const page = await server.call(`GET /v1/operator/accounts?limit=2${until}`, { token })
      all.push(...page.body.accounts.map(({ id }: { id: string }) => id))
      if (page.body.pagination.next === null) break
      until = `&until=${page.body.pagination.next}`
    }
    assert.equal(new Set(all).size, all.length)
    assert.ok(all.includes(anna.id) && all.includes(team.id))
    // What means something in a pattern is looked for as it is.
    for (const text of ['%25', '_nna', '%5C'])
      assert.deepEqual(
        (await server.call(`GET /v1/operator/accounts?search=${text}`, { token })).body.accounts,
        [],
      )
  })

  test('a job that failed for good shows why, is tried again or forgotten', async () => {
    const { token } = await server.operator()
    const { jobs } = server.parts.stores
    const bury = async (key?: string) => {
      const id = await jobs.enqueue({ kind: 'no.such', payload: {}, ...(key ? { key } : {}) })
      const now = server.clock.now()
      await jobs.claim({ kinds: ['no.such'], worker: 'w', now, leaseUntil: now + 1, limit: 9 })
      await jobs.bury(id, 'w', 'the disk is full', now)
      server.clock.advance(1)
      return id
    }
    const [first, second] = [await bury(), await bury('once')]
    const listed = await server.call('GET /v1/operator/jobs/failed', { token })
    assert.deepEqual(
      listed.body.jobs.map(({ id, name, error, attempts }: Record<string, unknown>) => [
        id,
        name,
        error,
        attempts,
      ]),
      [
        [second, 'no.such', 'the disk is full', 1],
        [first, 'no.such', 'the disk is full', 1],
      ],
    )
    const retried = await server.call(`POST /v1/operator/jobs/failed/${first}/retry`, { token })
    assert.deepEqual(retried.body, { id: first, name: 'no.such', state: 'queued' })
    const waiting = await jobs.enqueue({ kind: 'no.such', payload: {}, key: 'once' })
    const joined = await server.call(`POST /v1/operator/jobs/failed/${second}/retry`, { token })
    assert.equal(joined.body.id, waiting, 'one that waits already stands for it')
    assert.deepEqual((await server.call('GET /v1/operator/jobs/failed', { token })).body.jobs, [])
    for (const on of [
      `POST /v1/operator/jobs/failed/${first}/retry`,
      `DELETE /v1/operator/jobs/failed/${first}`,
    ])
      assert.equal((await server.call(on, { token })).status, 404, on)
    const third = await bury()
    assert.equal((await server.call(`DELETE /v1/operator/jobs/failed/${third}`, { token })).status, 204)
    assert.deepEqual((await server.call('GET /v1/operator/jobs/failed', { token })).body.jobs, [])
  })

  test('the status tells what there is, and a check for each thing that can go wrong', async () => {
    const { token } = await server.operator()
    const { body } = await server.call('GET /v1/operator/status', { token })
    const mail = body.checks.find(({ name }: { name: string }) => name === 'mail')
    assert.deepEqual([mail.ok, mail.warning], [true, true], 'no mail server is a warning, not a tick')
    assert.equal(body.node, process.versions.node)
    assert.ok(body.time <= server.clock.now() && body.startedAt < body.time)
    assert.ok(body.database.bytes > 0 && body.disk.total > body.disk.free && body.disk.free > 0)
    assert.match(body.database.schema, /^\d{4}-/)
    assert.deepEqual(body.certificates, { authority: 'local', expiring: 0 })
    assert.deepEqual([body.mail, body.runtime, body.sandbox.kind], ['outbox', 'process', null])
    assert.equal(body.processes[0].pid, process.pid)
    assert.deepEqual(
      body.checks.map(({ name }: { name: string }) => name),
      [
        'disk',
        'contents',
        'logs',
        'processes',
        'sandbox',
        'git',
        'certificates',
        'mail',
        'jobs',
        'periodic jobs',
        'https',
        'stores',
      ],
    )
    assert.doesNotMatch(JSON.stringify(body), /postgres:\/\/|password/)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MINUTE } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { sampleDomain } from '#test/support/samples.ts'
import type { Account } from '#test/support/server.ts'

apiSuite('schedules', (server) => {
  const deploy = async (
    { token }: Account,
    name: string,
    crons: readonly object[] | undefined,
    more: object = {},
  ) => {
    const files = [
      { file: 'index.html', data: `hello ${name}` },
      { file: 'task.txt', data: 'done' },
      ...(crons ? [{ file: 'vercel.json', data: JSON.stringify({ crons }) }] : []),
    ]
    const answer = await server.call('POST /v8/platform/deployments', {
      token,
      body: { name, version: 2, target: 'production', files, ...more },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const list = async ({ token }: Account, project: string) =>
    (await server.call(`GET /v1/projects/${project}/crons`, { token })).body.crons
  const runs = async ({ token }: Account, project: string, id: string) =>
    (await server.call(`GET /v1/projects/${project}/crons/${id}/runs`, { token })).body.runs
  const change = ({ token }: Account, project: string, id: string, body: object) =>
    server.call(`PATCH /v1/projects/${project}/crons/${id}`, { token, body })
  /** Time passes up to a moment after the next run of a schedule. */
  const until = async (at: number) => {
    server.clock.advance(Math.max(0, at - server.clock.now()) + 100)
    await server.runJobs()
  }

  test('those of the configuration file follow the production deployment', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'sched', [{ path: '/task.txt', schedule: '0 5 * * *' }], { target: 'staging' })
    assert.deepEqual(await list(ada, 'sched'), [])
    const first = await deploy(ada, 'sched', [
      { path: '/task.txt', schedule: '0 5 * * *' },
      { path: '/gone', schedule: '0 6 * * 1', timeZone: 'Europe/Paris' },
    ])
    const [gone, task] = await list(ada, 'sched')
    assert.deepEqual(
      [task.path, task.schedule, task.timeZone, task.source, task.enabled, gone.timeZone],
      ['/task.txt', '0 5 * * *', 'UTC', 'config', true, 'Europe/Paris'],
    )
    assert.equal(new Date(task.nextAt).toISOString().slice(11), '05:00:00.000Z')
    await deploy(ada, 'sched', [{ path: '/task.txt', schedule: '0 5 * * *' }], { env: { A: '1' } })
    assert.deepEqual(
      (await list(ada, 'sched')).map(({ id }: { id: string }) => id),
      [task.id],
      'what stays is the same, what is not named any more is gone',
    )
    await server.call(`POST /v10/projects/sched/promote/${first.id}`, { token: ada.token })
    assert.equal((await list(ada, 'sched')).length, 2, 'a rollback brings back what there was')
  })

  test('those of the configuration file are of what production shows when a deployment or a name is gone', async () => {
    const ada = await server.signUp()
    const paths = async () => (await list(ada, 'fallen')).map(({ path }: { path: string }) => path)
    const call = async (on: string, body?: object) => {
      const answer = await server.call(on, { token: ada.token, ...(body && { body }) })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
    const first = await deploy(ada, 'fallen', [{ path: '/first', schedule: '0 5 * * *' }])
    server.clock.advance(1)
    const second = await deploy(ada, 'fallen', [{ path: '/second', schedule: '0 5 * * *' }])
    assert.deepEqual(await paths(), ['/second'])
    await call(`POST /v2/platform/deployments/${first.id}/aliases`, { alias: 'fallen.localhost' })
    assert.deepEqual(await paths(), ['/first'])
    await call('DELETE /v2/platform/aliases/fallen.localhost')
    assert.deepEqual(await paths(), ['/second'], 'the newest is what is left')
    await call(`DELETE /v8/platform/deployments/${second.id}`)
    assert.deepEqual(await paths(), ['/first'])
    await call(`DELETE /v8/platform/deployments/${first.id}`)
    assert.deepEqual(await paths(), [])
  })

  test('those of the configuration file are of what production shows when a domain is taken away', async () => {
    const ada = await server.signUp()
    const paths = async () => (await list(ada, 'parted')).map(({ path }: { path: string }) => path)
    const call = async (on: string, body?: object) => {
      const answer = await server.call(on, { token: ada.token, ...(body && { body }) })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
    const first = await deploy(ada, 'parted', [{ path: '/first', schedule: '0 5 * * *' }])
    server.clock.advance(1)
    const second = await deploy(ada, 'parted', [{ path: '/second', schedule: '0 5 * * *' }])
    await call('POST /v10/projects/parted/domains', { name: 'parted-shop.localhost' })
    await call(`POST /v2/platform/deployments/${first.id}/aliases`, { alias: 'parted.localhost' })
    assert.deepEqual(await paths(), ['/second'], 'the domain still shows the newer one')
    await call('DELETE /v9/projects/parted/domains/parted-shop.localhost')
    assert.deepEqual(await paths(), ['/first'])
    const { id: ownerId, username } = ada
    const name = `${username}.example`
    await server.parts.stores.domains.add(
      sampleDomain({ ownerId, creatorId: ownerId, txtVerifiedAt: 1, name }),
    )
    await call(`POST /v2/platform/deployments/${second.id}/aliases`, { alias: `www.${name}` })
    assert.deepEqual(await paths(), ['/first'], 'an alias of a newer one is not what the project shows')
    await call('DELETE /v2/platform/aliases/parted.localhost')
    assert.deepEqual(await paths(), ['/second'])
    await call(`POST /v2/platform/deployments/${first.id}/aliases`, { alias: `www.${name}` })
    assert.deepEqual(await paths(), ['/first'])
    await call(`DELETE /v2/domains/${name}`)
    assert.deepEqual(await paths(), ['/second'], 'the newest is what is left')
  })

  test('a run requests the production deployment, is recorded, and orders the next', async () => {
    const ada = await server.signUp()
    const { id: deploymentId } = await deploy(ada, 'runs', [{ path: '/task.txt', schedule: '30 * * * *' }])
    const [cron] = await list(ada, 'runs')
    await until(cron.nextAt)
    const [after] = await list(ada, 'runs')
    assert.equal(after.nextAt, cron.nextAt + HOUR)
    const [run, ...others] = await runs(ada, 'runs', cron.id)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [run.state, run.status, run.trigger, run.dueAt, run.deploymentId],
      ['succeeded', 200, 'schedule', cron.nextAt, deploymentId],
    )
    assert.ok(run.durationMs >= 0)
    await server.flushLogs()
    const log = await server.call(
      `GET /v1/projects/runs/logs?requestId=${encodeURIComponent(run.requestId)}`,
      {
        token: ada.token,
      },
    )
    assert.equal(log.body.entries[0].path, '/task.txt')
    assert.equal(log.body.entries[0].userAgent, 'vercel-cron/1.0')
  })

  test('a run whose job falls due too early, after a clock was ahead, is done when it is due', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'early', [{ path: '/task.txt', schedule: '0 5 * * *' }])
    const [cron] = await list(ada, 'early')
    const { jobs } = server.parts.stores
    const jobOf = async () => (await jobs.scheduled([`crons.run:${cron.id}:${cron.nextAt}`]))[0]
    const job = await jobOf()
    assert.ok(job)
    assert.ok(await jobs.reschedule(job, server.clock.now()))
    await server.runJobs()
    assert.deepEqual(await runs(ada, 'early', cron.id), [])
    assert.equal((await list(ada, 'early'))[0].nextAt, cron.nextAt)
    assert.equal((await jobOf())?.dueAt, cron.nextAt)
    await until(cron.nextAt)
    assert.equal((await runs(ada, 'early', cron.id))[0]?.state, 'succeeded')
  })

  test('a run that is due is not lost when its schedule is changed before it begins', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'due', [{ path: '/task.txt', schedule: '30 * * * *' }])
    const [cron] = await list(ada, 'due')
    server.clock.advance(cron.nextAt - server.clock.now() + 100)
    const changed = await change(ada, 'due', cron.id, { makeUp: true, enabled: true })
    assert.equal(changed.body.nextAt, cron.nextAt)
    await server.runJobs()
    assert.equal((await runs(ada, 'due', cron.id))[0]?.state, 'succeeded')
    assert.equal((await list(ada, 'due'))[0].nextAt, cron.nextAt + HOUR)
  })

  test('what protects a site keeps nobody from its own schedules', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'closed', [{ path: '/task.txt', schedule: '30 * * * *' }])
    const closed = await server.call('PATCH /v9/projects/closed', {
      token: ada.token,
      body: { ssoProtection: { deploymentType: 'prod_deployment_urls_and_all_previews' } },
    })
    assert.equal(closed.status, 200, JSON.stringify(closed.body))
    const [cron] = await list(ada, 'closed')
    await until(cron.nextAt)
    assert.equal((await runs(ada, 'closed', cron.id))[0].status, 200)
  })

  test('three failures in a row are told by mail and event, once', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'failing', [{ path: '/nowhere', schedule: '* * * * *' }])
    const hook = await server.call('POST /v1/webhooks', {
      token: ada.token,
      body: { url: 'https://example.com/hook', events: ['cron.failed', 'cron.missed'] },
    })
    assert.equal(hook.status, 200, JSON.stringify(hook.body))
    for (let i = 0; i < 4; i++) await until((await list(ada, 'failing'))[0].nextAt)
    const [cron] = await list(ada, 'failing')
    assert.equal(cron.failures, 4)
    assert.deepEqual([cron.lastRun.state, cron.lastRun.status], ['failed', 404])
    const mails = (await server.mails(ada.email)).filter(({ subject }) =>
      /failing keeps failing/.test(subject ?? ''),
    )
    assert.equal(mails.length, 1)
    assert.match(mails[0]?.text ?? '', /\/nowhere/)
    const { body } = await server.call(`GET /v1/webhooks/${hook.body.id}/deliveries`, { token: ada.token })
    assert.deepEqual(
      body.deliveries.map(({ event, type }: { event?: string; type?: string }) => event ?? type),
      ['cron.failed'],
    )
  })

  test('a run that was missed is shown and told, and made up for once where that is asked for', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'missing', [
      { path: '/task.txt', schedule: '0 * * * *' },
      { path: '/', schedule: '* * * * *' },
    ])
    const all = await list(ada, 'missing')
    const [plain, eager] = ['/task.txt', '/'].map((path) =>
      all.find((cron: { path: string }) => cron.path === path),
    )
    assert.equal((await change(ada, 'missing', eager.id, { makeUp: true })).status, 200)
    // Nobody was there for three hours.
    server.clock.advance(3 * HOUR + 10 * MINUTE)
    await server.runJobs()
    const missed = await runs(ada, 'missing', plain.id)
    assert.deepEqual(
      missed.map(({ state }: { state: string }) => state),
      ['missed'],
    )
    assert.match(missed[0].message, /[23] more runs were missed/)
    const made = await runs(ada, 'missing', eager.id)
    assert.match(
      made.find(({ state }: { state: string }) => state === 'missed').message,
      /At least 99 more runs were missed/,
    )
    assert.deepEqual(made.map((run: { state: string; trigger: string }) => [run.state, run.trigger]).sort(), [
      ['missed', 'schedule'],
      ['succeeded', 'make-up'],
    ])
    const mails = await server.mails(ada.email)
    assert.equal(mails.filter(({ subject }) => /did not run/.test(subject ?? '')).length, 2)
  })

  test('schedules of people are made, changed, paused, run by hand and removed', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'own', [{ path: '/task.txt', schedule: '0 5 * * *' }])
    const create = (body: object) => server.call('POST /v1/projects/own/crons', { token: ada.token, body })
    const made = await create({ path: '/', schedule: '0 * * * *', timeZone: 'Asia/Tokyo' })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const { id } = made.body
    for (const [body, why] of [
      [{ path: 'task', schedule: '0 0 * * *' }, /`path` should start/],
      [{ path: '//evil.example', schedule: '0 0 * * *' }, /`path` should start/],
      [{ path: '/', schedule: 'daily' }, /five fields/],
      [{ path: '/', schedule: '0 0 * * *', timeZone: 'Nowhere' }, /time zone/],
    ] as const) {
      const refused = await create(body)
      assert.equal(refused.status, 400)
      assert.match(refused.body.error.message, why)
    }
    const paused = await change(ada, 'own', id, { enabled: false })
    assert.deepEqual([paused.body.enabled, paused.body.nextAt], [false, null])
    await until(made.body.nextAt)
    assert.deepEqual(await runs(ada, 'own', id), [], 'what is paused does not run')
    const now = await server.call(`POST /v1/projects/own/crons/${id}/runs`, { token: ada.token })
    assert.equal(now.status, 202)
    await server.runJobs()
    const [run] = await runs(ada, 'own', id)
    assert.deepEqual([run.id, run.trigger, run.state], [now.body.id, 'manual', 'succeeded'])
    const resumed = await change(ada, 'own', id, { enabled: true, schedule: '*/5 * * * *' })
    assert.ok(resumed.body.nextAt - server.clock.now() <= 5 * MINUTE)

    const other = await create({ path: '/', schedule: '30 12 * * *' })
    const { updatedAt: _, ...before } = resumed.body
    const { updatedAt: __, ...after } = (
      await change(ada, 'own', id, { id: other.body.id, ownerId: 'x', createdAt: 1, source: 'config' })
    ).body
    assert.deepEqual(after, before, 'what is not its settings stays')
    assert.equal(
      (await server.call(`DELETE /v1/projects/own/crons/${other.body.id}`, { token: ada.token })).status,
      204,
    )
    const config = (await list(ada, 'own')).find(({ source }: { source: string }) => source === 'config')
    assert.equal((await change(ada, 'own', config.id, { schedule: '1 1 * * *' })).status, 409)
    const path = `/v1/projects/own/crons`
    assert.equal((await server.call(`DELETE ${path}/${config.id}`, { token: ada.token })).status, 409)
    assert.equal((await server.call(`DELETE ${path}/${id}`, { token: ada.token })).status, 204)
    assert.equal((await list(ada, 'own')).length, 1)
    const eve = await server.signUp()
    assert.equal((await server.call('GET /v1/projects/own/crons', { token: eve.token })).status, 404)
  })

  test('nothing runs for a project that is paused or gone', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'quiet', [{ path: '/task.txt', schedule: '30 * * * *' }])
    const { body } = await server.call('GET /v9/projects/quiet', { token: ada.token })
    await server.call(`POST /v1/projects/${body.id}/pause`, { token: ada.token })
    const [cron] = await list(ada, 'quiet')
    await until(cron.nextAt)
    const [run] = await runs(ada, 'quiet', cron.id)
    assert.deepEqual([run.state, run.message], ['skipped', 'The project is paused.'])
    assert.equal((await server.call('DELETE /v9/projects/quiet', { token: ada.token })).status, 204)
    server.clock.advance(2 * HOUR)
    await server.runJobs()
    const failed = await server.call('GET /v1/operator/jobs/failed', {
      token: (await server.operator()).token,
    })
    assert.deepEqual(
      failed.body.jobs.filter(({ kind }: { kind: string }) => kind === 'crons.run'),
      [],
    )
  })

  test('nothing runs while the account is blocked, and nobody is told that it failed', async () => {
    const ada = await server.signUp()
    await deploy(ada, 'blocked', [{ path: '/task.txt', schedule: '30 * * * *' }])
    const block = async (softBlocked: boolean) =>
      server.call(`PATCH /v1/operator/accounts/${ada.email}`, {
        ...{ token: (await server.operator()).token, body: { softBlocked } },
      })
    await block(true)
    const [cron] = await list(ada, 'blocked')
    await until(cron.nextAt)
    await block(false)
    const [run] = await runs(ada, 'blocked', cron.id)
    assert.deepEqual([run.state, run.message], ['skipped', 'The account is blocked.'])
  })

  test('a schedule that cannot be is said when it is deployed', async () => {
    const ada = await server.signUp()
    const made = await server.call('POST /v8/platform/deployments', {
      token: ada.token,
      body: {
        name: 'wrong',
        version: 2,
        target: 'production',
        files: [
          { file: 'index.html', data: 'x' },
          { file: 'vercel.json', data: JSON.stringify({ crons: [{ path: '/a', schedule: 'daily' }] }) },
        ],
      },
    })
    assert.match(made.body.errorMessage ?? '', /`crons\[0\]\.schedule` should have five fields/)
  })
})

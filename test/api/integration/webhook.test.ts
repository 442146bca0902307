import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { type Receiver, startReceiver } from '#test/support/http/receiver.ts'

/** Tests receive on this machine; what is refused otherwise is tested with the client itself. */
const env = { ALOFT_PRIVATE_TARGETS: '127.0.0.1' }
/** Between the attempts of a delivery. */
const PAUSES = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR]
const workers = { outbound: createOutbound({ allows: () => true }) }
after(() => workers.outbound.close())

apiSuite(
  'webhooks',
  (server) => {
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
    })
    after(() => receiver.close())

    const create = (token: string, body: object = {}) =>
      server.call('POST /v1/webhooks', {
        token,
        body: { url: receiver.url, events: ['project.created'], ...body },
      })
    const makeProject = (token: string, name: string, query = '') =>
      server.call(`POST /v10/projects${query}`, { token, body: { name } })
    /** What was sent to one path of the receiver. */
    const sentTo = (path: string) => receiver.received.filter((request) => request.path === path)
    const deliveries = async (token: string, id: string) =>
      (await server.call(`GET /v1/webhooks/${id}/deliveries`, { token })).body.deliveries

    test('a webhook is made, listed, read, changed and removed', async () => {
      const { token } = await server.signUp()
      const project = await makeProject(token, 'one')
      const created = await create(token, { projectIds: [project.body.id] })
      assert.equal(created.status, 200)
      assertGolden('webhook/created', { ...created.body, url: '<url>', secret: '<secret>' })
      const { secret, ...shown } = created.body
      assert.match(secret, /^[0-9a-f]{48}$/)
      assert.deepEqual((await server.call('GET /v1/webhooks', { token })).body, [shown])
      assert.deepEqual((await server.call(`GET /v1/webhooks/${shown.id}`, { token })).body, shown)
      const of = (projectId: string) => server.call(`GET /v1/webhooks?projectId=${projectId}`, { token })
      assert.equal((await of(project.body.id)).body.length, 1)
      assert.equal((await of('prj_other')).body.length, 0)

      const changed = await server.call(`PATCH /v1/webhooks/${shown.id}`, {
        token,
        body: { events: ['deployment.ready', 'deployment.ready'], projectIds: null, enabled: false },
      })
      assert.deepEqual(changed.body.events, ['deployment.ready'])
      assert.equal('projectIds' in changed.body, false)
      assert.equal(typeof changed.body.disabledAt, 'number')

      const removed = await server.call(`DELETE /v1/webhooks/${shown.id}`, { token })
      assert.equal(removed.status, 204)
      assert.equal((await server.call(`DELETE /v1/webhooks/${shown.id}`, { token })).status, 404)
      assert.deepEqual((await server.call('GET /v1/webhooks', { token })).body, [])
    })

    test('an event arrives signed, once, as the same for everybody', async () => {
      const { id: userId, token } = await server.signUp()
      const url = `${receiver.url}/signed?a=1`
      const { secret, id } = (await create(token, { url })).body
      const project = (await makeProject(token, 'told')).body
      await server.runJobs()
      const [request, ...more] = sentTo('/signed?a=1')
      assert.equal(more.length, 0)
      assert.ok(request)
      for (const name of ['x-platform-signature', 'x-vercel-signature'])
        assert.equal(
          request.headers[name],
          createHmac('sha1', secret).update(request.body).digest('hex'),
          name,
        )
      const event = JSON.parse(request.body)
      assertGolden('webhook/project-created', event)
      assert.deepEqual(event.payload, {
        team: { id: null },
        user: { id: userId },
        project: { id: project.id, name: 'told' },
      })
      const [delivery] = await deliveries(token, id)
      const attempts = delivery.attempts.map((attempt: object) => ({
        ...attempt,
        ms: '<ms>',
        answer: '<answer>',
      }))
      assertGolden('webhook/delivery', { ...delivery, id: '<delivery>', attempts })
      assert.deepEqual(
        [delivery.state, delivery.eventId, delivery.attempts[0].status],
        ['delivered', event.id, 200],
      )
    })

    test('the life of a project and its deployments is told in order', async () => {
      const { token } = await server.signUp()
      const url = `${receiver.url}/life`
      const events = [
        'project.created',
        'project.removed',
        'deployment.created',
        'deployment.succeeded',
        'deployment.ready',
        'deployment.error',
        'deployment.canceled',
        'deployment.promoted',
      ]
      await create(token, { url, events })
      const deploy = async (body: object) =>
        (await server.call('POST /v8/platform/deployments', { token, body: { version: 2, ...body } })).body
      const file = { file: 'index.html', data: 'hello' }
      const live = await deploy({ name: 'life', target: 'production', files: [file] })
      // There is nothing here that could build it.
      await deploy({ name: 'life', files: [{ file: 'package.json', data: '{"scripts":{"build":"x"}}' }] })
      await server.runJobs()
      const files = [{ file: 'package.json', data: '{"scripts":{"build":"y"}}' }]
      const unwanted = await deploy({ name: 'life', files })
      await server.call(`PATCH /v12/deployments/${unwanted.id}/cancel`, { token })
      await server.runJobs()
      await server.call(`POST /v10/projects/life/promote/${live.id}`, { token })
      await server.call('DELETE /v9/projects/life', { token })
      await server.runJobs()
      const told = sentTo('/life').map(({ body }) => JSON.parse(body))
      const types = told.map(({ type }) => type)
      assert.deepEqual(types, [
        'project.created',
        'deployment.created',
        'deployment.succeeded',
        'deployment.ready',
        'deployment.created',
        'deployment.error',
        'deployment.created',
        'deployment.canceled',
        'deployment.promoted',
        'project.removed',
      ])
      const created = told.find(
        ({ type, payload }) => type === 'deployment.created' && payload.deployment.id === live.id,
      )
      assertGolden('webhook/deployment-created', created)
      assert.deepEqual(created.payload.alias, live.aliasFinal)
    })

    test('events of a team go to the webhooks of the team alone', async () => {
      const { token } = await server.signUp()
      const team = (await server.call('POST /v1/teams', { token, body: { slug: `hooks-${Date.now()}` } }))
        .body
      await create(token, { url: `${receiver.url}/personal` })
      await server.call(`POST /v1/webhooks?teamId=${team.id}`, {
        token,
        body: { url: `${receiver.url}/team`, events: ['project.created'] },
      })
      await makeProject(token, 'of-the-team', `?teamId=${team.id}`)
      await server.runJobs()
      assert.equal(sentTo('/personal').length, 0)
      assert.deepEqual(JSON.parse(sentTo('/team')[0]?.body ?? '').payload.team, { id: team.id })
    })

    test('nothing is sent for a change that did not happen', async () => {
      const { token } = await server.signUp()
      await create(token, { url: `${receiver.url}/undone` })
      await makeProject(token, 'twice')
      assert.equal((await makeProject(token, 'twice')).status, 409)
      await server.runJobs()
      assert.equal(sentTo('/undone').length, 1)
    })

    test('a receiver that fails is tried again with the same id, and then no more', async () => {
      const { token } = await server.signUp()
      const { id } = (await create(token, { url: `${receiver.url}/failing` })).body
      receiver.answer(500)
      await makeProject(token, 'retried')
      for (const pause of [...PAUSES, DAY]) {
        await server.runJobs()
        server.clock.advance(pause)
      }
      await server.runJobs()
      receiver.answer(200)
      const sent = sentTo('/failing')
      assert.equal(sent.length, 8)
      assert.equal(new Set(sent.map(({ body }) => body)).size, 1)
      const [failed] = await deliveries(token, id)
      assert.deepEqual([failed.state, failed.attempts.length], ['failed', 8])

      const again = await server.call(`POST /v1/webhooks/${id}/deliveries/${failed.id}/redeliver`, { token })
      assert.equal(again.status, 202)
      assert.equal(again.body.eventId, failed.eventId)
    })

    test('a receiver that is down is told once it is up again', async () => {
      const { token } = await server.signUp()
      const elsewhere = await startReceiver()
      const { id } = (await create(token, { url: elsewhere.url })).body
      await elsewhere.close()
      await makeProject(token, 'unheard-of')
      await server.runJobs()
      const [waiting] = await deliveries(token, id)
      assert.deepEqual(
        [waiting.state, waiting.attempts[0].status, waiting.attempts[0].answer],
        ['waiting', null, 'ECONNREFUSED'],
      )
      await server.call(`PATCH /v1/webhooks/${id}`, { token, body: { url: `${receiver.url}/up-again` } })
      server.clock.advance(10 * SECOND)
      await server.runJobs()
      assert.equal(JSON.parse(sentTo('/up-again')[0]?.body ?? '{}').id, waiting.eventId)
      assert.equal((await deliveries(token, id))[0].state, 'delivered')
    })

    test('a redirect is no success, wherever it leads', async () => {
      const { token } = await server.signUp()
      const { id } = (await create(token, { url: `${receiver.url}/moved` })).body
      receiver.answer(302, { location: `${receiver.url}/elsewhere` })
      await makeProject(token, 'moved')
      await server.runJobs()
      receiver.answer(200)
      assert.equal(sentTo('/elsewhere').length, 0)
      const [delivery] = await deliveries(token, id)
      assert.deepEqual([delivery.state, delivery.attempts[0].status], ['waiting', 302])
    })

    test('who is dead for days is not written to any more; the account is told, and can begin again', async () => {
      const { token, email } = await server.signUp()
      const { id } = (await create(token, { url: `${receiver.url}/dead` })).body
      receiver.answer(503)
      const isDisabled = async () =>
        'disabledAt' in (await server.call(`GET /v1/webhooks/${id}`, { token })).body
      for (const [i, name] of ['dead-1', 'dead-2'].entries()) {
        await makeProject(token, name)
        // The first attempts alone are no reason, however long ago something else failed.
        for (const [n, pause] of [...PAUSES, 3 * DAY].entries()) {
          await server.runJobs()
          assert.equal(await isDisabled(), i > 0 && n === PAUSES.length, `${name}, attempt ${n + 1}`)
          server.clock.advance(pause)
        }
      }
      const mail = (await server.mails(email)).at(-1)
      assert.equal(mail?.subject, 'A webhook was disabled')
      const before = sentTo('/dead').length
      await makeProject(token, 'unheard')
      await server.runJobs()
      assert.equal(sentTo('/dead').length, before)

      receiver.answer(200)
      await server.call(`PATCH /v1/webhooks/${id}`, { token, body: { enabled: true } })
      await makeProject(token, 'heard-again')
      await server.runJobs()
      assert.equal(JSON.parse(sentTo('/dead').at(-1)?.body ?? '').payload.project.name, 'heard-again')
    })

    for (const [what, body, status, code] of [
      ['no events', { events: [] }, 400, 'bad_request'],
      ['an unknown event', { events: ['project.painted'] }, 400, 'invalid_event'],
      ['no address', { url: 'nowhere' }, 400, 'invalid_url'],
      ['another protocol', { url: 'ftp://example.com/' }, 400, 'invalid_url'],
      ['a password', { url: 'https://me:secret@example.com/' }, 400, 'invalid_url'],
      ['a private address', { url: 'http://10.0.0.1/' }, 400, 'invalid_url'],
      ['the address of cloud metadata', { url: 'http://169.254.169.254/' }, 400, 'invalid_url'],
      ['a private address in other digits', { url: 'http://0x0a000001/' }, 400, 'invalid_url'],
      ['a foreign project', { projectIds: ['prj_unknown'] }, 400, 'bad_request'],
    ] as const)
      test(`${what} is refused`, async () => {
        const { token } = await server.signUp()
        const answer = await create(token, body)
        assert.deepEqual([answer.status, answer.body.error.code], [status, code])
        assert.deepEqual((await server.call('GET /v1/webhooks', { token })).body, [])
      })

    test('an account has at most twenty, however many are made at once', async () => {
      const { token } = await server.signUp()
      for (let i = 0; i < 18; i++) assert.equal((await create(token)).status, 200)
      const last = await Promise.all(Array.from({ length: 6 }, () => create(token)))
      assert.deepEqual(last.map(({ status }) => status).sort(), [200, 200, 409, 409, 409, 409])
    })

    test('the plan has to include them', async () => {
      const operator = await server.operator()
      const { token, email } = await server.signUp()
      await server.call(`PATCH /v1/operator/accounts/${email}`, {
        token: operator.token,
        body: { plan: 'free' },
      })
      const answer = await create(token)
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'feature_not_available'])
    })
  },
  { env, workers },
)

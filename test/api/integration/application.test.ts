import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { DAY } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { type Receiver, startReceiver } from '#test/support/http/receiver.ts'
import { consent, exchange, install, registerApplication } from '#test/support/integrations.ts'

const env = { ALOFT_PRIVATE_TARGETS: '127.0.0.1' }
const workers = { outbound: createOutbound({ allows: () => true }) }
after(() => workers.outbound.close())

apiSuite(
  'applications',
  (server) => {
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
    })
    after(() => receiver.close())

    const AT = '/v1/integrations/applications'
    const request = { name: 'Watcher', redirectUrl: 'https://app.example/back', scopes: { project: 'read' } }

    test('an application is registered, listed, read, changed and removed', async () => {
      const { token } = await server.signUp()
      const created = await server.call(`POST ${AT}`, {
        token,
        body: { ...request, slug: `life-${server.clock.now()}`, note: 'To watch', webhookUrl: receiver.url },
      })
      assert.equal(created.status, 200)
      assert.equal(created.headers.get('cache-control'), 'no-store')
      const { clientSecret, ...shown } = created.body
      assert.match(clientSecret, /^[0-9a-f]{48}$/)
      assertGolden('application/created', {
        ...created.body,
        clientId: '<client>',
        clientSecret: '<secret>',
        slug: '<slug>',
        webhookUrl: '<url>',
      })
      assert.deepEqual((await server.call(`GET ${AT}`, { token })).body.applications, [shown])
      assert.deepEqual((await server.call(`GET ${AT}/${shown.id}`, { token })).body, shown)
      const stored = await server.parts.stores.applications.byId(shown.id)
      assert.ok(!JSON.stringify(stored).includes(clientSecret), 'it is sealed')
      const changed = await server.call(`PATCH ${AT}/${shown.id}`, {
        token,
        body: { name: 'Renamed', webhookUrl: null, note: null },
      })
      assert.deepEqual(
        [changed.body.name, changed.body.webhookUrl, changed.body.note, changed.body.slug],
        ['Renamed', null, null, shown.slug],
      )
      assert.equal((await server.call(`DELETE ${AT}/${shown.id}`, { token })).status, 204)
      assert.equal((await server.call(`GET ${AT}/${shown.id}`, { token })).status, 404)
      assert.deepEqual((await server.call(`GET ${AT}`, { token })).body.applications, [])
    })

    test('what makes no sense is refused with its reason', async () => {
      const { token } = await server.signUp()
      for (const [change, what] of [
        [{ name: '' }, /name/],
        [{ name: 'two\nlines' }, /name/],
        [{ slug: 'Not A Slug' }, /slug/],
        [{ redirectUrl: '/back' }, /redirectUrl/],
        [{ redirectUrl: 'javascript:alert(1)' }, /redirectUrl/],
        [{ redirectUrl: 'https://a:b@app.example' }, /redirectUrl/],
        [{ redirectUrl: 'https://app.example/#' }, /fragment/],
        [{ redirectUrl: 'https://app.example/ x' }, /redirectUrl/],
        [{ scopes: {} }, /scope/],
        [{ scopes: { everything: 'read' } }, /everything/],
        [{ scopes: { project: 'write' } }, /project/],
        [{ webhookUrl: 'ftp://app.example' }, /url/],
        [{ webhookUrl: 'http://10.0.0.1/' }, /private/],
        [{ note: 'x'.repeat(501) }, /note/],
      ] as const) {
        const answer = await server.call(`POST ${AT}`, { token, body: { ...request, ...change } })
        assert.equal(answer.status, 400, JSON.stringify(change))
        assert.match(answer.body.error.message, what, JSON.stringify(change))
      }
    })

    test('a slug is taken once; one that is made from the name finds a free one', async () => {
      const { token } = await server.signUp()
      const slug = `once-${server.clock.now()}`
      const create = (body: object) => server.call(`POST ${AT}`, { token, body: { ...request, ...body } })
      const first = await create({ slug })
      const again = await create({ slug })
      assert.deepEqual([first.status, again.status, again.body.error.code], [200, 409, 'conflict'])
      const other = await create({ name: slug })
      assert.match(other.body.slug, new RegExp(`^${slug}-[0-9a-f]{4}$`))
      const moved = await server.call(`PATCH ${AT}/${other.body.id}`, { token, body: { slug } })
      assert.equal(moved.status, 409)
    })

    test('in a team OWNERs register applications, members look at them, others do not', async () => {
      const [owner, member, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()]
      const team = await server.newTeam(owner, member)
      const query = `?teamId=${team.id}`
      const application = await registerApplication(server, owner.token, {}, query)
      const at = `${AT}/${application.id}`
      assert.equal((await server.call(`GET ${at}${query}`, { token: member.token })).status, 200)
      assert.equal((await server.call(`GET ${at}`, { token: owner.token })).status, 404)
      for (const [on, body] of [
        [`POST ${AT}`, request],
        [`PATCH ${at}`, { name: 'x' }],
        [`POST ${at}/secret`, {}],
        [`DELETE ${at}`, undefined],
      ] as const)
        for (const { token } of [member, stranger])
          assert.equal((await server.call(`${on}${query}`, { token, body })).status, 403, on)
    })

    test('a new secret takes the place of the old one', async () => {
      const { token } = await server.signUp()
      const application = await registerApplication(server, token)
      const code = (await consent(server, token, application)).get('code') ?? ''
      const rotated = await server.call(`POST ${AT}/${application.id}/secret`, { token, body: {} })
      assert.notEqual(rotated.body.clientSecret, application.clientSecret)
      assert.equal((await exchange(server, application, code)).status, 401)
      const { clientSecret } = rotated.body
      assert.equal((await exchange(server, { ...application, clientSecret }, code)).status, 200)
    })

    test('with an application its installations go, and it hears of it', async () => {
      const [maker, user] = [await server.signUp(), await server.signUp()]
      const application = await registerApplication(server, maker.token, {
        webhookUrl: `${receiver.url}/gone`,
        scopes: { user: 'read' },
      })
      const installed = await install(server, user.token, application)
      const me = () => server.call('GET /v2/user', { token: installed.token })
      assert.equal((await me()).status, 200)
      await server.call(`DELETE ${AT}/${application.id}`, { token: maker.token })
      assert.equal((await me()).status, 403, 'at once')
      await server.runJobs()
      const list = await server.call('GET /v1/integrations/configurations', { token: user.token })
      assert.deepEqual(list.body, [])
      const [told] = receiver.received.filter(({ path }) => path === '/gone')
      const event = JSON.parse(told?.body ?? '{}')
      assert.deepEqual(
        [event.type, event.payload.configuration.id],
        ['integration-configuration.removed', installed.configurationId],
      )
      const again = await server.call('GET /oauth/authorize', { token: user.token })
      assert.equal(again.status, 400)
      const gone = await server.call(`GET /oauth/authorize?client_id=${application.clientId}`)
      assert.equal(gone.status, 404)
      server.clock.advance(3 * DAY)
      await server.runJobs()
      assert.equal(await server.parts.stores.applications.byId(application.id), undefined)
    })
  },
  { env, workers },
)

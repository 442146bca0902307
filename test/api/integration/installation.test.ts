import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { SCOPES } from '#contract/scopes.ts'
import { DAY } from '#contract/time.ts'
import type { Scopes } from '#core/application/application.ts'
import { createAuthorizations } from '#core/oauth/authorizations.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { type Receiver, startReceiver } from '#test/support/http/receiver.ts'
import { install, registerApplication } from '#test/support/integrations.ts'
import type { Account } from '#test/support/server.ts'

/** Tests receive on this machine; what is refused otherwise is tested with the client itself. */
const env = { ALOFT_PRIVATE_TARGETS: '127.0.0.1' }
const workers = { outbound: createOutbound({ allows: () => true }) }
after(() => workers.outbound.close())

const every = (permission: 'read' | 'read-write'): Scopes =>
  Object.fromEntries(SCOPES.map((scope) => [scope, permission]))
apiSuite(
  'installed applications',
  (server) => {
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
    })
    after(() => receiver.close())

    const { call } = { call: (...args: Parameters<typeof server.call>) => server.call(...args) }
    const makeProject = async (token: string, name: string, query = '') =>
      (await call(`POST /v10/projects${query}`, { token, body: { name } })).body as { readonly id: string }
    const deploy = async (token: string, name: string) =>
      call('POST /v8/platform/deployments', {
        token,
        body: { name, version: 2, files: [{ file: 'index.html', data: name }] },
      })
    const setScopes = (id: string, scopes: Scopes) => server.parts.stores.installations.update(id, { scopes })
    const eventsAt = (path: string) =>
      receiver.received.filter((request) => request.path === path).map(({ body }) => JSON.parse(body))

    test('an application that lacks a scope is told which', async () => {
      const { token } = await server.signUp()
      const application = await registerApplication(server, token, { scopes: { project: 'read' } })
      const installed = await install(server, token, application)
      const refused = async (on: string) =>
        (await call(on, { token: installed.token, body: on.startsWith('GET') ? undefined : {} })).body.error
      assert.match((await refused('GET /v2/user')).message, /`user`/)
      assert.match((await refused('POST /v10/projects')).message, /`read-write` for the scope `project`/)
      assert.match((await refused('GET /v3/user/tokens')).message, /Integrations can’t/)
    })

    test('an application acts in the account that it was let into, and in no other', async () => {
      const user = await server.signUp()
      const [team, other] = [await server.newTeam(user), await server.newTeam(user)]
      const application = await registerApplication(server, user.token, {
        scopes: { project: 'read-write', team: 'read', user: 'read' },
      })
      const personal = await install(server, user.token, application)
      const inTeam = await install(server, user.token, application, { teamId: team.id })
      const list = async (token: string, query = '') =>
        (await call(`GET /v9/projects${query}`, { token })).status
      assert.equal(await list(personal.token), 200)
      assert.equal(await list(personal.token, `?teamId=${team.id}`), 403)
      assert.equal(await list(inTeam.token, `?teamId=${team.id}`), 200)
      assert.equal(await list(inTeam.token), 403)
      assert.equal(await list(inTeam.token, `?teamId=${other.id}`), 403)
      const teams = await call(`GET /v1/teams?teamId=${team.id}`, { token: inTeam.token })
      assert.deepEqual(
        teams.body.teams.map(({ id }: { id: string }) => id),
        [team.id],
      )
      const read = (id: string) => call(`GET /v1/teams/${id}?teamId=${team.id}`, { token: inTeam.token })
      assert.deepEqual([(await read(team.id)).status, (await read(other.id)).status], [200, 403])
    })

    test('of selected projects an application sees and changes those alone', async () => {
      const { token } = await server.signUp()
      const [chosen, other] = [await deploy(token, 'chosen'), await deploy(token, 'other')]
      const application = await registerApplication(server, token, { scopes: every('read-write') })
      const installed = await install(server, token, application, {
        projectSelection: 'selected',
        projects: 'chosen',
      })
      const as = (on: string, body?: unknown) => call(on, { token: installed.token, body })
      const names = async (on: string, what: string) =>
        (await as(on)).body[what].map((one: { name?: string; alias?: string }) => one.name ?? one.alias)
      assert.deepEqual(await names('GET /v9/projects', 'projects'), ['chosen'])
      assert.deepEqual(await names('GET /v3/platform/deployments', 'deployments'), ['chosen'])
      assert.ok((await names('GET /v2/platform/aliases', 'aliases')).length > 0)
      assert.ok(
        (await names('GET /v2/platform/aliases', 'aliases')).every((alias: string) =>
          alias.startsWith('chosen'),
        ),
      )
      assert.equal((await as('GET /v9/projects/chosen')).status, 200)
      assert.equal((await as(`GET /v8/platform/deployments/${chosen.body.id}`)).status, 200)
      assert.equal((await deploy(installed.token, 'chosen')).status, 200)
      const { id, projectId, aliasFinal } = other.body
      const variable = { key: 'A', value: 'b', type: 'plain', target: 'preview' }
      for (const [on, body] of [
        ['GET /v9/projects/other'],
        [`GET /v9/projects/${projectId}`],
        ['PATCH /v9/projects/other', { name: 'mine' }],
        ['DELETE /v9/projects/other'],
        [`POST /v1/projects/${projectId}/pause`],
        [`GET /v1/projects/${projectId}/promote/aliases`],
        [`POST /v10/projects/other/promote/${id}`],
        [`PATCH /v1/data-cache/projects/${projectId}`, { disabled: true }],
        ['GET /v9/projects/other/domains'],
        ['POST /v10/projects/other/domains', { name: 'other.example.com' }],
        ['GET /v9/projects/other/env'],
        ['POST /v10/projects/other/env', variable],
        [`GET /v8/platform/deployments/${id}`],
        [`GET /v8/platform/deployments/${aliasFinal[0]}`],
        [`DELETE /v8/platform/deployments/${id}`],
        [`GET /v5/platform/deployments/${id}/files`],
        [`GET /v5/platform/deployments/${id}/builds`],
        [`GET /v2/platform/deployments/${id}/events`],
        [`GET /v2/platform/deployments/${id}/aliases`],
        [`POST /v2/platform/deployments/${id}/aliases`, { alias: 'mine' }],
        [`POST /v2/platform/deployments/${chosen.body.id}/aliases`, { alias: aliasFinal[0] }],
        [`DELETE /v2/platform/aliases/${aliasFinal[0]}`],
        [`GET /v3/platform/deployments?projectId=${projectId}`],
        ['POST /v10/projects', { name: 'another' }],
        ['POST /v1/projects/ensure-project', { name: 'another' }],
        ['POST /v1/projects/ensure-project', { name: 'other' }],
      ] as const)
        assert.equal((await as(on, body)).status, 403, on)
      for (const name of ['other', 'another'])
        assert.equal((await deploy(installed.token, name)).status, 403, name)
      const files = [{ file: 'index.html', data: 'taken' }]
      const taking = { name: 'chosen', version: 2, target: 'production', files, alias: [aliasFinal[0]] }
      assert.equal((await as('POST /v8/platform/deployments', taking)).status, 403, 'alias')
      assert.equal((await server.visit(aliasFinal[0], '/')).body, 'other')
      assert.equal((await call('GET /v9/projects/another', { token })).status, 404)
    })

    test('without the wider scope an application has its own variables, which go with it', async () => {
      const { token } = await server.signUp()
      await makeProject(token, 'vars')
      const variable = (key: string, value: string) => ({ key, value, type: 'plain', target: ['preview'] })
      const add = (by: string, key: string, value: string, upsert = '') =>
        call(`POST /v10/projects/vars/env${upsert}`, { token: by, body: variable(key, value) })
      const theirs = (await add(token, 'PERSONAL', 'a')).body.created
      const application = await registerApplication(server, token, {
        scopes: { 'project-env-vars': 'read-write' },
      })
      const installed = await install(server, token, application)
      const own = await add(installed.token, 'OWN', 'b')
      assert.equal(own.body.created.configurationId, installed.configurationId)
      const keys = async (by: string) =>
        (await call('GET /v9/projects/vars/env', { token: by })).body.envs
          .map(({ key }: { key: string }) => key)
          .sort()
      assert.deepEqual(await keys(installed.token), ['OWN'])
      assert.deepEqual(await keys(token), ['OWN', 'PERSONAL'])
      const at = `/v9/projects/vars/env/${theirs.id}`
      const change = { token: installed.token, body: { value: 'taken' } }
      assert.equal((await call(`PATCH ${at}`, change)).status, 404)
      assert.equal((await call(`DELETE ${at}`, { token: installed.token })).status, 404)
      assert.equal((await add(installed.token, 'PERSONAL', 'x', '?upsert=true')).status, 403)
      assert.equal((await call('GET /v2/platform/secrets', { token: installed.token })).status, 403)

      await setScopes(installed.configurationId, { 'global-project-env-vars': 'read-write' })
      assert.deepEqual(await keys(installed.token), ['OWN', 'PERSONAL'])
      assert.equal((await call(`PATCH ${at}`, change)).status, 200)
      assert.equal((await call('GET /v2/platform/secrets', { token: installed.token })).status, 200)

      const id = installed.configurationId
      assert.equal((await call(`DELETE /v1/integrations/configuration/${id}`, { token })).status, 204)
      assert.deepEqual(await keys(token), ['PERSONAL'])
      assert.equal((await call('GET /v9/projects/vars/env', { token: installed.token })).status, 401)
    })

    test('installations are listed, read, limited to projects and removed, and the application is told', async () => {
      const { token } = await server.signUp()
      const project = await makeProject(token, 'one')
      const application = await registerApplication(server, token, {
        webhookUrl: `${receiver.url}/told`,
        scopes: { 'integration-configuration': 'read', project: 'read' },
      })
      const other = await install(server, token, await registerApplication(server, token))
      const { configurationId: id, token: own } = await install(server, token, application)
      const list = async (by: string, query = '') =>
        (await call(`GET /v1/integrations/configurations${query}`, { token: by })).body
      const all = await list(token, '?view=account')
      assert.deepEqual(all.map((one: { id: string }) => one.id).sort(), [id, other.configurationId].sort())
      assert.equal((await list(token, '?view=project')).length, 2)
      const [seen, ...more] = await list(own)
      assert.deepEqual([seen.id, more.length], [id, 0])
      assertGolden('installation/configuration', { ...seen, slug: '<slug>' })
      const at = `/v1/integrations/configuration/${id}`
      assert.deepEqual((await call(`GET ${at}`, { token: own })).body, seen)
      const beside = `GET /v1/integrations/configuration/${other.configurationId}`
      assert.equal((await call(beside, { token: own })).status, 404)
      assert.equal((await call('GET /v1/integrations/configurations?view=x', { token })).status, 400)

      const patch = (body: object) => call(`PATCH ${at}`, { token, body })
      assert.equal((await patch({ projectSelection: 'selected' })).status, 400)
      assert.equal((await patch({ projectSelection: 'selected', projects: ['none'] })).status, 400)
      const limited = await patch({ projectSelection: 'selected', projects: [project.id] })
      assert.deepEqual(limited.body.projects, [project.id])
      assert.equal((await call(`DELETE ${at}`, { token: own })).status, 403, 'it may only read')
      assert.equal((await call(`DELETE ${at}`, { token })).status, 204)
      assert.equal((await call(`GET ${at}`, { token })).status, 404)
      await server.runJobs()
      const told = eventsAt('/told')
      const removed = told.find(({ type }) => type === 'integration-configuration.removed')
      assertGolden('installation/removed', removed)
      const changed = told.find(({ type }) => type === 'integration-configuration.permission-upgraded')
      assertGolden('installation/permission-upgraded', changed)
      assert.deepEqual(changed.payload.projects, { added: [project.id], removed: [] })
    })

    test('more scopes wait until somebody agrees, and less holds at once', async () => {
      const [maker, owner, second, member] = [
        await server.signUp(),
        await server.signUp(),
        await server.signUp(),
        await server.signUp(),
      ]
      const team = await server.newTeam(owner, second, member)
      const role = { token: owner.token, body: { role: 'OWNER' } }
      await call(`PATCH /v1/teams/${team.id}/members/${second.id}`, role)
      const application = await registerApplication(server, maker.token, {
        webhookUrl: `${receiver.url}/scopes`,
        scopes: { project: 'read', deployment: 'read-write', user: 'read' },
      })
      const { configurationId: id } = await install(server, owner.token, application, { teamId: team.id })
      const ask = async (body: object) => {
        await call(`PATCH /v1/integrations/applications/${application.id}`, { token: maker.token, body })
        await server.runJobs()
      }
      const at = `/v1/integrations/configuration/${id}`
      const get = async () => (await call(`GET ${at}?teamId=${team.id}`, { token: owner.token })).body
      const mails = async (to: Account) =>
        (await server.mails(to.email)).filter(({ subject }) => subject?.includes('requests more access'))
      await ask({
        scopes: { project: 'read-write', deployment: 'read', domain: 'read' },
        note: 'To set up your domain',
      })
      const waiting = await get()
      assert.deepEqual(waiting.scopes, ['read:deployment', 'read:project'])
      assert.equal(waiting.scopesQueue.length, 1)
      assert.deepEqual(waiting.scopesQueue[0].scopes, {
        added: ['read:domain'],
        upgraded: ['read-write:project'],
      })
      assertGolden('installation/scopes-queue', { ...waiting, slug: '<slug>' })
      for (const to of [owner, second]) {
        const [mail, ...more] = await mails(to)
        assert.equal(more.length, 0)
        assert.match(mail?.text ?? '', /To set up your domain/)
      }
      for (const to of [maker, member]) assert.equal((await mails(to)).length, 0)

      // Said once more, it is not asked once more; what is taken back is not asked for any more.
      await ask({ scopes: { project: 'read-write', deployment: 'read', domain: 'read' } })
      await ask({ scopes: { project: 'read-write', deployment: 'read' } })
      assert.deepEqual((await get()).scopesQueue[0].scopes, { added: [], upgraded: ['read-write:project'] })
      await ask({ scopes: { project: 'read-write', deployment: 'read', 'log-drain': 'read' }, note: null })
      assert.equal((await mails(owner)).length, 2)

      const confirm = ({ token }: Account) =>
        call(`POST ${at}/confirm-scopes?teamId=${team.id}`, { token, body: {} })
      assert.equal((await confirm(member)).status, 403)
      const confirmed = await confirm(second)
      assert.deepEqual(confirmed.body.scopes, ['read:deployment', 'read-write:project', 'read:log-drain'])
      assert.ok(
        confirmed.body.scopesQueue.every((one: { confirmedAt?: number }) => one.confirmedAt !== undefined),
      )
      assert.equal((await confirm(second)).status, 409)
      await server.runJobs()
      const told = eventsAt('/scopes').filter(({ type }) => type.endsWith('scope-change-confirmed'))
      assert.equal(told.length, 1)
      assert.deepEqual(told[0].payload.configuration, { id, scopes: confirmed.body.scopes })
    })

    test('what an application asks for between a page and the consent goes on waiting, or begins to', async () => {
      const owner = await server.signUp()
      const shown = { project: 'read', 'integration-configuration': 'read' } as const
      const { stores, transact, vault } = server.parts
      const authorizations = createAuthorizations({ stores, transact, vault, clock: server.clock })
      const user = await stores.users.byId(owner.id)
      assert.ok(user)
      for (const isInstalled of [true, false]) {
        const application = await registerApplication(server, owner.token, { scopes: shown })
        if (isInstalled) await install(server, owner.token, application)
        const page = await authorizations.client(application.clientId)
        await call(`PATCH /v1/integrations/applications/${application.id}`, {
          token: owner.token,
          body: { scopes: { ...shown, domain: 'read' } },
        })
        await server.runJobs()
        const consent = { teamId: null, challenge: null, projectSelection: 'all' } as const
        const { installation } = await authorizations.consent(user, page, consent)
        await server.runJobs()
        const { body } = await call(`GET /v1/integrations/configuration/${installation.id}`, {
          token: owner.token,
        })
        assert.deepEqual(body.scopes, ['read:integration-configuration', 'read:project'])
        assert.deepEqual(
          body.scopesQueue.map(({ scopes, confirmedAt }: { scopes: object; confirmedAt?: number }) => [
            scopes,
            confirmedAt,
          ]),
          [[{ added: ['read:domain'], upgraded: [] }, undefined]],
        )
        const again = await authorizations.consent(
          user,
          { ...page, scopes: { ...shown, domain: 'read' } },
          consent,
        )
        assert.deepEqual(again.installation.scopes, { ...shown, domain: 'read' })
        assert.ok(again.installation.scopesQueue.every(({ confirmedAt }) => confirmedAt !== null))
      }
    })

    test('what an application asks for no more is taken from it before the change is answered', async () => {
      const owner = await server.signUp()
      const application = await registerApplication(server, owner.token, {
        scopes: { project: 'read-write', user: 'read' },
      })
      const { token } = await install(server, owner.token, application)
      const ask = async (scopes: Scopes) => {
        const on = `PATCH /v1/integrations/applications/${application.id}`
        assert.equal((await call(on, { token: owner.token, body: { scopes } })).status, 200)
      }
      const statuses = async () => [
        (await call('GET /v2/user', { token })).status,
        (await call('GET /v9/projects', { token })).status,
        (await call('POST /v10/projects', { token, body: { name: 'made-by-an-application' } })).status,
      ]
      await ask({ project: 'read' })
      assert.deepEqual(await statuses(), [403, 200, 403])
      // Nobody agreed to it again.
      await ask({ project: 'read-write', user: 'read' })
      assert.deepEqual(await statuses(), [403, 200, 403])
      await server.runJobs()
      assert.deepEqual(await statuses(), [403, 200, 403])
    })

    test('when whoever installed it leaves the team it stops, until an OWNER takes it over', async () => {
      const [owner, installer] = [await server.signUp(), await server.signUp()]
      const team = await server.newTeam(owner, installer)
      const setRole = (role: string) =>
        call(`PATCH /v1/teams/${team.id}/members/${installer.id}`, { token: owner.token, body: { role } })
      const application = await registerApplication(server, owner.token, {
        name: 'Left behind',
        webhookUrl: `${receiver.url}/left`,
        scopes: { project: 'read', 'integration-configuration': 'read-write' },
      })
      const leave = async () => {
        await setRole('MEMBER')
        const on = `DELETE /v1/teams/${team.id}/members/${installer.id}`
        assert.ok((await call(on, { token: owner.token })).status < 300)
      }
      await setRole('OWNER')
      const installed = await install(server, installer.token, application, { teamId: team.id })
      const query = `?teamId=${team.id}`
      const at = `/v1/integrations/configuration/${installed.configurationId}`
      const projects = () => call(`GET /v9/projects${query}`, { token: installed.token })
      assert.equal((await projects()).status, 200)
      await leave()
      for (const on of [
        `GET /v9/projects${query}`,
        'GET /v9/projects',
        `GET ${at}${query}`,
        'GET /v3/user/tokens',
      ]) {
        const { status, body } = await call(on, { token: installed.token })
        assert.deepEqual([status, body.error.code], [403, 'integration_configuration_disabled'], on)
      }
      const seen = (await call(`GET ${at}${query}`, { token: owner.token })).body
      assert.equal(seen.disabledReason, 'original-owner-left-the-team')
      assert.equal(typeof seen.disabledAt, 'number')
      const mails = await server.mails(owner.email)
      assert.equal(mails.filter(({ subject }) => subject === 'Left behind was disabled').length, 1)
      await makeProject(owner.token, 'told', query)
      await server.runJobs()
      assert.deepEqual(
        eventsAt('/left').map(({ type }) => type),
        ['project.created'],
      )

      const transfer = (userId: string) =>
        call(`POST ${at}/transfer${query}`, { token: owner.token, body: { userId } })
      assert.equal((await transfer(installer.id)).status, 404)
      const taken = await transfer(owner.id)
      assert.deepEqual([taken.body.userId, taken.body.disabledAt], [owner.id, undefined])
      assert.equal((await projects()).status, 200)
    })

    test('what nobody takes over for 30 days is removed', async () => {
      const [owner, installer] = [await server.signUp(), await server.signUp()]
      const team = await server.newTeam(owner, installer)
      const application = await registerApplication(server, owner.token, {
        webhookUrl: `${receiver.url}/over`,
      })
      const member = `/v1/teams/${team.id}/members/${installer.id}`
      const role = (name: string) => ({ token: owner.token, body: { role: name } })
      await call(`PATCH ${member}`, role('OWNER'))
      const { configurationId: id } = await install(server, installer.token, application, { teamId: team.id })
      await call(`PATCH ${member}`, role('MEMBER'))
      await call(`DELETE ${member}`, { token: owner.token })
      const operator = await server.operator()
      const run = async () => {
        const on = 'POST /v1/operator/jobs/installations.delete-disabled/run'
        assert.ok((await call(on, { token: operator.token })).status < 300)
        await server.runJobs()
      }
      server.clock.advance(29 * DAY)
      await run()
      assert.ok(await server.parts.stores.installations.byId(id))
      server.clock.advance(DAY)
      await run()
      assert.equal(await server.parts.stores.installations.byId(id), undefined)
      assert.deepEqual(
        eventsAt('/over').map(({ type }) => type),
        ['integration-configuration.removed'],
      )
    })
  },
  { env, workers },
)

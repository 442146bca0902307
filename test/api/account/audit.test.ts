import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY } from '#contract/time.ts'
import { hashBearer } from '#core/token/token.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { consent, registerApplication } from '#test/support/integrations.ts'
import {
  sampleApplication,
  sampleAuditEntry,
  sampleInstallation,
  sampleToken,
} from '#test/support/samples.ts'

interface ShownEntry {
  readonly member?: { readonly id: string; readonly username: string; readonly email: string }
  readonly action: string
  readonly user: { readonly id: string; readonly email: string }
  readonly target: Record<string, string>
  readonly at: number
}

apiSuite('audit log', (server) => {
  const read = async (token: string, query = ''): Promise<ShownEntry[]> =>
    (await server.call(`GET /v1/audit-log${query}`, { token })).body.entries
  const actions = async (token: string, query = '') => (await read(token, query)).map(({ action }) => action)

  test('tells who changed what, when and from where, and nothing of what they sent', async () => {
    const { token, id } = await server.signUp()
    await server.call('POST /v10/projects', {
      token,
      body: { name: 'told' },
      headers: { 'user-agent': 'tester/1' },
    })
    await server.call('POST /v2/platform/secrets', { token, body: { name: 'key', value: 'hidden-value' } })
    await server.call('POST /v3/user/tokens', { token, body: { name: 'more' } })
    await server.call('GET /v9/projects', { token })
    await server.call('DELETE /v9/projects/told', { token })
    const answer = await server.call('GET /v1/audit-log', { token })
    assert.deepEqual(
      answer.body.entries.map(({ action }: ShownEntry) => action),
      [
        'DELETE /v9/projects/:idOrName',
        'POST /v3/user/tokens',
        'POST /v2/platform/secrets',
        'POST /v10/projects',
      ],
    )
    assert.ok(!JSON.stringify(answer.body).includes('hidden'))
    const [removed] = answer.body.entries
    assert.deepEqual([removed.target, removed.user.id], [{ idOrName: 'told' }, id])
    const created = answer.body.entries.at(-1)
    assert.deepEqual(
      answer.body.entries.map(({ target }: ShownEntry) => target.name),
      [undefined, 'more', 'key', 'told'],
      'what was created is named',
    )
    await server.call('POST /v10/projects', { token, body: { name: 'named' } })
    await server.call('POST /v10/projects/named/env', {
      token,
      body: ['API_KEY', 'OTHER'].map((key) => ({
        key,
        value: 'hidden-2',
        type: 'plain',
        target: ['preview'],
      })),
    })
    const [added] = await read(token, '?limit=1')
    assert.deepEqual(added?.target, { key: 'API_KEY, OTHER', idOrName: 'named' })
    assert.deepEqual([created.userAgent, created.ip, created.via.kind], ['tester/1', '127.0.0.1', 'login'])
    assertGolden('audit/entry', {
      ...removed,
      id: '<id>',
      user: { ...removed.user, email: '<email>', username: '<username>' },
      via: { ...removed.via, id: '<token>' },
      requestId: '<request>',
      userAgent: '<agent>',
    })
  })

  test('holds nothing of what was refused or undone', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v10/projects', { token, body: { name: 'once' } })
    for (const [on, body] of [
      ['POST /v10/projects', { name: 'once' }],
      ['POST /v10/projects', { name: 7 }],
      ['DELETE /v9/projects/unknown', undefined],
      ['POST /v10/projects?teamId=team_unknown', { name: 'elsewhere' }],
      ['DELETE /v9/nowhere', undefined],
    ] as const)
      assert.ok((await server.call(on, { token, body })).status >= 400, on)
    assert.deepEqual(await actions(token), ['POST /v10/projects'])
  })

  test('a team has its own, for its OWNERs', async () => {
    const [owner, member, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()]
    const team = (
      await server.call('POST /v1/teams', { token: owner.token, body: { slug: `audited-${Date.now()}` } })
    ).body
    await server.call(`POST /v1/teams/${team.id}/members`, {
      token: owner.token,
      body: { email: member.email },
    })
    await server.call(`POST /v10/projects?teamId=${team.id}`, { token: member.token, body: { name: 'ours' } })
    assert.deepEqual(await actions(owner.token), ['POST /v1/teams'])
    assert.deepEqual(await actions(member.token), [])
    const shown = await read(owner.token, `?teamId=${team.id}`)
    assert.deepEqual(
      shown.map(({ action, user }) => [action, user.email]),
      [
        ['POST /v10/projects', member.email],
        ['POST /v1/teams/:id/members', owner.email],
      ],
    )
    assert.equal(shown[1]?.target.id, team.id)
    for (const { token } of [member, stranger]) {
      const answer = await server.call(`GET /v1/audit-log?teamId=${team.id}`, { token })
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'])
    }
  })

  test('names members, also those who have left', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const { token } = owner
    const slug = `named-${Date.now()}`
    const team = (await server.call('POST /v1/teams', { token, body: { slug } })).body
    const members = `/v1/teams/${team.id}/members`
    await server.call(`POST ${members}`, { token, body: { email: member.email } })
    for (const role of ['OWNER', 'MEMBER']) {
      server.clock.advance(1000)
      await server.call(`PATCH ${members}/${member.id}`, { token, body: { role } })
    }
    server.clock.advance(1000)
    await server.call(`DELETE ${members}/${member.id}`, { token })
    const { id, email } = member
    const [removed, changed, , added] = await read(token, `?teamId=${team.id}`)
    assert.deepEqual(removed?.member, { id, email, username: email.split('@')[0] })
    assert.deepEqual(changed?.member, removed?.member)
    assert.equal(added?.member, undefined)
  })

  test('is read by person, by kind and page by page', async () => {
    const { token, id } = await server.signUp()
    for (let i = 0; i < 5; i++) {
      await server.call('POST /v10/projects', { token, body: { name: `p-${i}` } })
      server.clock.advance(1000)
    }
    await server.call('DELETE /v9/projects/p-0', { token })
    assert.deepEqual(await actions(token, '?action=DELETE'), ['DELETE /v9/projects/:idOrName'])
    assert.equal((await read(token, `?userId=${id}&action=POST%20/v10/proj`)).length, 5)
    assert.deepEqual(await read(token, '?userId=nobody'), [])
    const first = (await server.call('GET /v1/audit-log?limit=4', { token })).body
    const second = (await server.call(`GET /v1/audit-log?limit=4&until=${first.pagination.next}`, { token }))
      .body
    assert.deepEqual([first.entries.length, second.entries.length, second.pagination.next], [4, 2, null])
    assert.deepEqual([...first.entries, ...second.entries], await read(token))
  })

  test('tells integrations from people, and is not for them', async () => {
    const { id, token } = await server.signUp()
    const { applications, installations, tokens } = server.parts.stores
    const application = sampleApplication({ ownerId: id })
    const installation = sampleInstallation({
      applicationId: application.id,
      ownerId: id,
      userId: id,
      teamId: null,
      projectSelection: 'all',
      scopes: { project: 'read-write' },
    })
    await applications.add(application)
    await installations.add(installation)
    const bearer = `integration-${id}`
    await tokens.insert(
      sampleToken({ userId: id, kind: 'oauth2', installationId: installation.id, expiresAt: null }),
      hashBearer(bearer),
    )
    const made = await server.call('POST /v10/projects', { token: bearer, body: { name: 'by-a-program' } })
    assert.equal(made.status, 200)
    const [entry] = (await server.call('GET /v1/audit-log', { token })).body.entries
    assert.deepEqual([entry.via.kind, entry.via.id], ['integration', installation.id])
    assert.equal((await server.call('GET /v1/audit-log', { token: bearer })).status, 403)
  })

  test('tells of applications that were let in', async () => {
    const { id, token } = await server.signUp()
    const application = await registerApplication(server, token, { scopes: { user: 'read' } })
    await consent(server, token, application)
    const [entry] = (await server.call('GET /v1/audit-log', { token })).body.entries
    assert.deepEqual(
      [entry.action, entry.user.id, entry.via.kind, entry.target.applicationId],
      ['POST /oauth/authorize', id, 'login', application.id],
    )
    assert.match(entry.requestId, /^req_/)
  })

  test('is kept for 180 days', async () => {
    const operator = await server.operator()
    const { id: ownerId } = await server.signUp()
    const { audit } = server.parts.stores
    const aged = (days: number) => sampleAuditEntry({ ownerId, at: server.clock.now() - days * DAY })
    const [old, kept] = [aged(181), aged(179)]
    for (const entry of [old, kept]) await audit.add(entry)
    await server.call('POST /v1/operator/jobs/audit.clean-up/run', { token: operator.token })
    await server.runJobs()
    assert.deepEqual((await audit.list(ownerId, { limit: 10 }, {})).items, [kept])
  })
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { listEndpoints } from '#test/support/endpoints.ts'
import { install, registerApplication } from '#test/support/integrations.ts'
import {
  sampleApp,
  sampleConnection,
  sampleDelivery,
  sampleDomain,
  sampleDrain,
  samplePush,
  sampleSession,
  sampleSshKey,
} from '#test/support/samples.ts'

/** Endpoints that answer about the caller alone: whose token it is decides all they can show. */
const ABOUT_ONESELF = new Set([
  'GET /v2/user',
  'GET /v1/usage',
  'POST /v3/user/tokens',
  'GET /v3/user/tokens',
  'GET /v1/user/ssh-keys',
  'POST /v1/user/ssh-keys',
  'GET /v1/user/sessions',
  'DELETE /v1/user/sessions',
  'POST /v1/teams',
  'GET /v1/teams',
  'POST /teams',
  'GET /teams',
  'POST /v2/platform/secrets',
  'GET /v2/platform/secrets',
  'POST /platform/secrets',
  'GET /platform/secrets',
  'POST /v2/platform/files',
  'POST /v1/platform/files/batch',
  'POST /v8/platform/deployments',
  'POST /v3/platform/deployments',
  'POST /platform/deployments',
  'GET /v3/platform/deployments',
  'GET /v2/platform/deployments',
  'GET /platform/deployments',
  'GET /v2/platform/aliases',
  'GET /platform/aliases',
  'GET /v4/domains',
  'GET /v2/domains',
  'GET /domains',
  // What the registrar says of a name is the same for everybody.
  'GET /v4/domains/status',
  'GET /v4/domains/price',
  'GET /v4/domains/:name/registry',
  'POST /v4/domains/buy',
  'GET /v2/domains/status',
  'GET /v2/domains/price',
  'POST /v2/domains/buy',
  'GET /v3/platform/certs',
  'PUT /v3/platform/certs',
  'GET /platform/certs',
  'PUT /platform/certs',
  'POST /v1/projects/ensure-project',
  'GET /v1/projects/list',
  'POST /v10/projects',
  'GET /v9/projects',
  'POST /v1/webhooks',
  'GET /v1/webhooks',
  'POST /v1/log-drains',
  'GET /v1/log-drains',
  'POST /v1/git/connections',
  'GET /v1/git/connections',
  'POST /v1/git/apps',
  'GET /v1/git/apps',
  'POST /v1/git/inspect',
  'GET /v1/audit-log',
  'GET /v1/analytics/projects',
  'GET /v1/changes',
  'GET /v1/verify-code',
  'POST /v1/integrations/applications',
  'GET /v1/integrations/applications',
  'GET /v1/integrations/configurations',
])

/** Endpoints that call an unknown project, and another account's, a bad request. */
const SAYS_BAD_REQUEST = new Set([
  'POST /v1/projects/:projectId/pause',
  'POST /v1/projects/:projectId/unpause',
])

/** A body that passes the schema, so that the refusal comes from authorisation and not from validation. */
const BODIES: Record<string, unknown> = {
  'POST /v1/teams': { slug: 'intruder' },
  'PATCH /v1/teams/:id': { name: 'Mine now' },
  'POST /v1/teams/:id/members': { email: 'operator@aloft.test' },
  'PATCH /v1/teams/:id/members/:userId': { role: 'MEMBER' },
  'POST /v3/user/tokens': { name: 'x' },
  'POST /v2/platform/secrets': { name: 'intruder', value: 'x' },
  'PATCH /v2/platform/secrets/:name': { name: 'mine-now' },
  'POST /platform/secrets': { name: 'intruder', value: 'x' },
  'PATCH /platform/secrets/:uidOrName': { name: 'mine-now' },
  'POST /v2/domains/:domain/records': { name: 'x', type: 'A', value: '192.0.2.1' },
  'POST /domains/:domain/records': { data: { name: 'x', type: 'A', value: '192.0.2.1' } },
  'PATCH /v1/operator/accounts/:idOrEmailOrSlug': { plan: 'pro' },
  'PATCH /v1/operator/accounts/:idOrEmailOrSlug/quotas': { deployments: 1 },
  'PATCH /v1/operator/quotas/:plan': { deployments: 1 },
  'POST /v1/platform/deployments/:id/instances': { min: 0, max: 1 },
  'POST /v2/platform/deployments/:id/aliases': { alias: 'intruder' },
  'POST /platform/deployments/:id/aliases': { alias: 'intruder' },
  'POST /v1/log-drains': { name: 'x', url: 'https://example.com', deliveryFormat: 'json' },
  'POST /v2/integrations/log-drains': { name: 'x', url: 'https://example.com', deliveryFormat: 'json' },
  'POST /v9/projects/:idOrName/custom-environments': { slug: 'intruder' },
  'POST /v1/projects/:idOrName/crons': { path: '/api/x', schedule: '0 0 * * *' },
  'PATCH /v1/projects/:idOrName/rolling-release/config': { enabled: false },
  'POST /v1/projects/:idOrName/rolling-release/start': { canaryDeploymentId: 'dpl_x' },
  'POST /v1/projects/:idOrName/rolling-release/approve-stage': {
    canaryDeploymentId: 'dpl_x',
    nextStageIndex: 1,
  },
  'POST /v1/projects/:idOrName/rolling-release/complete': { canaryDeploymentId: 'dpl_x' },
  'POST /v1/projects/:idOrName/rolling-release/abort': { canaryDeploymentId: 'dpl_x' },
  'POST /v1/projects/:idOrName/cache/purge': { all: true },
  'POST /v1/edge-cache/invalidate-by-tags': { tags: ['x'] },
  'POST /v1/edge-cache/dangerously-delete-by-tags': { tags: ['x'] },
  'POST /v1/teams/:id/invitations': { email: 'guest@aloft.test' },
  'PATCH /v1/operator/machines/:name': { draining: true },
  'POST /v2/projects/:idOrName/deploy-hooks': { name: 'x', ref: 'main' },
  'PUT /v1/projects/:idOrName/git': { url: 'https://git.example/me/site.git' },
  'POST /v1/git/apps': { organization: 'intruder' },
  'POST /v1/git/apps/:id/conversion': { code: 'x', state: 'x' },
  'POST /v1/git/inspect': { url: 'http://127.0.0.1:1/me/site.git' },
  'POST /v1/git/connections': { kind: 'github', url: 'http://127.0.0.1:1', token: 'x' },
  'POST /v1/webhooks': { url: 'https://example.com', events: ['project.created'] },
  'PATCH /v1/webhooks/:id': { events: ['project.removed'] },
  'POST /v1/integrations/applications': {
    name: 'Intruder',
    redirectUrl: 'https://example.com',
    scopes: { user: 'read' },
  },
  'PATCH /v1/integrations/applications/:id': { name: 'Mine now' },
  'PATCH /v1/integrations/configuration/:id': { projectSelection: 'all' },
  'POST /v1/integrations/configuration/:id/transfer': { userId: 'x' },
  'POST /v4/domains': { name: 'walled-cert.example' },
  'POST /v2/domains': { name: 'walled-cert.example' },
  'POST /domains': { name: 'walled-cert.example' },
  'POST /v3/platform/certs': { domains: ['walled-cert.example'] },
  'PUT /v3/platform/certs': { ca: 'x', cert: 'x', key: 'x' },
  'POST /platform/certs': { domains: ['walled-cert.example'] },
  'PUT /platform/certs': { ca: 'x', cert: 'x', key: 'x', domains: ['walled-cert.example'] },
  'POST /v1/projects/ensure-project': { name: 'intruder' },
  'POST /v10/projects': { name: 'intruder' },
  'PATCH /v9/projects/:idOrName': { name: 'mine-now' },
  'POST /v1/projects/:idOrName/env': { key: 'A', value: '@hidden' },
  'PUT /v1/projects/:idOrName/env': { env: {} },
  'PUT /projects/transfer-request/:code': {},
  'POST /v10/projects/:idOrName/env': { key: 'A', value: 'x', type: 'plain', target: 'preview' },
  'PATCH /v9/projects/:idOrName/env/:id': { value: 'x' },
  'POST /v10/projects/:idOrName/domains': { name: 'intruder.example' },
  'POST /v9/projects/:idOrName/domains': { name: 'intruder.example' },
  'PATCH /v9/projects/:idOrName/domains/:domain': { gitBranch: 'mine-now' },
}

/** Endpoints that name the thing in the query, and of which kind it is. */
const NAMED_IN_QUERY: Record<string, readonly [parameter: string, kind: string]> = {
  'DELETE /v1/data-cache/purge-all': ['projectIdOrName', 'projects'],
  'POST /v1/edge-cache/purge-all': ['projectIdOrName', 'projects'],
  'POST /v1/edge-cache/invalidate-by-tags': ['projectIdOrName', 'projects'],
  'POST /v1/edge-cache/dangerously-delete-by-tags': ['projectIdOrName', 'projects'],
}

/** The row's path with every way to name these things; none when one of its things has no name here. */
function pathsTo(row: Endpoint, things: Record<string, string | readonly string[]>): readonly string[] {
  const words = pathOf(row).split('/')
  const choices = words.map((word, i) =>
    word.startsWith(':') ? [things[words[i - 1] as string] ?? []].flat() : [word],
  )
  const [parameter, kind] = NAMED_IN_QUERY[row.on] ?? []
  const queries =
    kind === undefined ? [''] : [things[kind] ?? []].flat().map((name) => `?${parameter}=${name}`)
  return choices
    .reduce((starts, nexts) => starts.flatMap((start) => nexts.map((next) => [...start, next])), [
      [],
    ] as string[][])
    .flatMap((path) => queries.map((query) => path.join('/') + query))
}

apiSuite('walls between accounts', (server) => {
  const rows = listEndpoints().filter((row) => row.access.kind !== 'public')
  const bodyOf = (row: Endpoint) => BODIES[row.on] ?? BODIES[row.on.replace(' /', ' /v1/')]

  test('every endpoint that is not public refuses a caller without a token', async () => {
    assert.ok(rows.length > 20)
    for (const row of rows) {
      const path = pathOf(row).replace(/:\w+/g, 'x')
      const answer = await server.call(`${methodOf(row)} ${path}`, {
        body: methodOf(row) === 'GET' ? undefined : {},
      })
      assert.equal(answer.status, row.unauthenticated ?? 403, row.on)
      assert.equal(answer.body.error.missingToken, true, row.on)
    }
  })

  test('every endpoint refuses to act for a team that the caller is not in', async () => {
    const [owner, stranger] = [await server.signUp(), await server.signUp()]
    const { body: team } = await server.call('POST /v1/teams', {
      token: owner.token,
      body: { slug: 'walled' },
    })
    for (const row of rows) {
      const path = pathOf(row).replace(/:\w+/g, 'x')
      for (const teamId of [team.id, 'team_000000000000000000000000']) {
        const answer = await server.call(`${methodOf(row)} ${path}?teamId=${teamId}`, {
          token: stranger.token,
          body: methodOf(row) === 'GET' ? undefined : (bodyOf(row) ?? {}),
        })
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], row.on)
      }
    }
  })

  test('every endpoint refuses a stranger the things of another account', async () => {
    const [owner, member, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()]
    const { body: team } = await server.call('POST /v1/teams', {
      token: owner.token,
      body: { slug: 'private' },
    })
    await server.call(`POST /v1/teams/${team.id}/members`, {
      token: owner.token,
      body: { email: member.email },
    })
    const { body: owned } = await server.call('GET /v3/user/tokens/current', { token: owner.token })
    const session = sampleSession({ userId: owner.id })
    await server.parts.stores.sessions.insert(session, 'hash')
    const { body: secret } = await server.call('POST /v2/platform/secrets', {
      token: owner.token,
      body: { name: 'hidden', value: 'guarded' },
    })
    const { body: deployment } = await server.call('POST /v8/platform/deployments', {
      token: owner.token,
      body: { name: 'guarded', version: 2, files: [{ file: 'index.html', data: 'guarded' }] },
    })
    const { body: aliased } = await server.call(`GET /v2/platform/deployments/${deployment.id}/aliases`, {
      token: owner.token,
    })
    const { body: variable } = await server.call('POST /v10/projects/guarded/env', {
      token: owner.token,
      body: {
        key: 'HIDDEN',
        value: '@hidden',
        type: 'secret',
        target: ['production', 'preview', 'development'],
      },
    })
    const { body: webhook } = await server.call('POST /v1/webhooks', {
      token: owner.token,
      body: { url: 'https://example.com/', events: ['project.created'] },
    })
    const application = await registerApplication(server, owner.token, { slug: 'walled-application' })
    const installed = await install(server, owner.token, application)
    const push = samplePush({ ownerId: owner.id, projectId: deployment.projectId })
    await server.parts.stores.pushes.add(push)
    const drain = sampleDrain({ ownerId: owner.id })
    await server.parts.stores.drains.add(drain, '0')
    const connection = sampleConnection({ ownerId: owner.id })
    await server.parts.stores.connections.add(connection)
    const app = sampleApp({ ownerId: owner.id })
    await server.parts.stores.apps.add(app)
    const delivery = sampleDelivery({ ownerId: owner.id, target: { kind: 'webhook', id: webhook.id } })
    await server.parts.stores.deliveries.add(delivery)
    await server.parts.stores.domains.add(
      sampleDomain({ ownerId: owner.id, name: 'walled-cert.example', txtVerifiedAt: 1 }),
    )
    const { body: record } = await server.call('POST /v2/domains/walled-cert.example/records', {
      token: owner.token,
      body: { name: '', type: 'TXT', value: 'guarded' },
    })
    const { body: issued } = await server.call('POST /v3/platform/certs', {
      token: owner.token,
      body: { domains: ['walled-cert.example'] },
    })
    const { body: projectDomain } = await server.call('POST /v10/projects/guarded/domains', {
      token: owner.token,
      body: { name: 'walled-cert.example' },
    })
    const { body: cron } = await server.call('POST /v1/projects/guarded/crons', {
      token: owner.token,
      body: { path: '/api/nightly', schedule: '0 0 * * *' },
    })
    const { body: environment } = await server.call('POST /v9/projects/guarded/custom-environments', {
      token: owner.token,
      body: { slug: 'staging' },
    })
    const { body: invitation } = await server.call(`POST /v1/teams/${team.id}/invitations`, {
      token: owner.token,
      body: { email: 'invited@aloft.test' },
    })
    const sshKey = sampleSshKey({ userId: owner.id })
    await server.parts.stores.sshKeys.add(sshKey)
    const things: Record<string, string | readonly string[]> = {
      deployments: [deployment.id, deployment.url, deployment.aliasFinal[0]],
      files: createHash('sha1').update('guarded').digest('hex'),
      aliases: [aliased.aliases[0].uid, deployment.aliasFinal[0]],
      teams: team.id,
      members: member.id,
      tokens: owned.token.id,
      'ssh-keys': sshKey.id,
      sessions: session.id,
      webhooks: webhook.id,
      'log-drains': drain.id,
      connections: connection.id,
      apps: app.id,
      deliveries: delivery.id,
      applications: application.id,
      configuration: installed.configurationId,
      accounts: owner.id,
      jobs: 'logins.clean-up',
      quotas: 'pro',
      failed: 'job_000000000000000000000000',
      secrets: ['hidden', secret.uid],
      certs: [issued.uid, 'walled-cert.example'],
      projects: [deployment.projectId, 'guarded'],
      env: [variable.created.id, 'HIDDEN'],
      domains: 'walled-cert.example',
      records: record.uid,
      'transfer-request': 'a-code-that-nobody-was-given',
      promote: deployment.id,
      rollback: deployment.id,
      pushes: push.id,
      'deploy-hooks': 'a-hook-that-nobody-was-given',
      crons: cron.id,
      'custom-environments': ['staging', environment.id],
      invitations: invitation.id,
      machines: 'a-machine-that-is-not-there',
    }
    for (const row of rows.filter(({ on }) => !ABOUT_ONESELF.has(on))) {
      const paths = pathsTo(row, things)
      assert.ok(paths.length > 0, `${row.on}: name a thing of the other account`)
      for (const path of paths) {
        const answer = await server.call(`${methodOf(row)} ${path}`, {
          token: stranger.token,
          body: methodOf(row) === 'GET' ? undefined : (bodyOf(row) ?? {}),
        })
        const refusals = SAYS_BAD_REQUEST.has(row.on) ? [400] : [403, 404]
        assert.ok(refusals.includes(answer.status), `${row.on} answered ${answer.status}`)
        assert.ok(!JSON.stringify(answer.body).includes(owner.email), row.on)
      }
    }
    assert.equal(
      (await server.call(`GET /v1/teams/${team.id}/members`, { token: owner.token })).body.length,
      2,
    )
    assert.equal((await server.call('GET /v2/user', { token: owner.token })).status, 200)
    assert.equal((await server.visit(deployment.aliasFinal[0], '/')).body, 'guarded')
    for (const list of [
      '/v3/platform/deployments',
      '/v2/platform/deployments',
      '/platform/deployments',
      '/v2/platform/aliases',
      '/v9/projects',
      '/v4/domains',
      '/v2/domains',
      '/domains',
      '/v1/integrations/applications',
      '/v1/integrations/configurations',
    ]) {
      const seen = await server.call(`GET ${list}`, { token: stranger.token })
      assert.ok(!JSON.stringify(seen.body).includes(deployment.url), list)
      assert.ok(!JSON.stringify(seen.body).includes('walled-cert'), list)
      assert.ok(!JSON.stringify(seen.body).includes('walled-application'), list)
    }
    assert.deepEqual((await server.parts.stores.sessions.byHash('hash'))?.session, session)
    const variables = await server.call('GET /v9/projects/guarded/env', { token: owner.token })
    assert.deepEqual(variables.body.envs, [variable.created])
    const certs = await server.call('GET /v3/platform/certs', { token: owner.token })
    assert.deepEqual(
      certs.body.certs.map(({ uid }: { uid: string }) => uid),
      [issued.uid],
    )
    const { body: records } = await server.call('GET /v2/domains/walled-cert.example/records', {
      token: owner.token,
    })
    assert.deepEqual(
      records.records.map(({ id }: { id: string }) => id),
      [record.uid],
    )
    const domains = await server.call('GET /v9/projects/guarded/domains', { token: owner.token })
    assert.deepEqual(domains.body.domains, [projectDomain])
    assert.deepEqual(await server.parts.stores.drains.list(owner.id), [drain])
    assert.deepEqual(await server.parts.stores.connections.list(owner.id), [connection])
    assert.deepEqual(await server.parts.stores.apps.list(owner.id), [app])
    const kept = await server.call('GET /v2/platform/secrets', { token: owner.token })
    assert.deepEqual(
      kept.body.secrets.map(({ uid, name }: { uid: string; name: string }) => [uid, name]),
      [[secret.uid, 'hidden']],
    )
  })
})

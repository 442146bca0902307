import assert from 'node:assert/strict'
import { test } from 'node:test'
import { methodOf } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { SCOPES, type Scope } from '#contract/scopes.ts'
import { listEndpoints } from '#test/support/endpoints.ts'
import { sampleInstallation, sampleToken, sampleUser } from '#test/support/samples.ts'
import type { Scopes } from '../application/application.ts'
import { authorise } from './authorise.ts'
import { personalOwner } from './context.ts'

const user = sampleUser({ operator: true })
const rows = listEndpoints().filter((row) => row.access.kind !== 'public')

/** Undefined when an application with these scopes may go on. */
function refusal(row: (typeof rows)[number], scopes: Scopes): AloftError | undefined {
  const installation = sampleInstallation({ ownerId: user.id, userId: user.id, scopes })
  const token = sampleToken({ userId: user.id, kind: 'oauth2', installationId: installation.id })
  try {
    authorise(row, { user, token, installation }, personalOwner(user))
    return undefined
  } catch (error) {
    assert.ok(error instanceof AloftError)
    assert.equal(error.kind, 'forbidden')
    return error
  }
}

const all = (permission: 'read' | 'read-write', but: readonly Scope[] = []): Scopes =>
  Object.fromEntries(SCOPES.filter((scope) => !but.includes(scope)).map((scope) => [scope, permission]))

/** What is granted for the variables of all is granted for one's own. */
const standsFor = (scope: Scope): readonly Scope[] =>
  scope === 'project-env-vars' ? [scope, 'global-project-env-vars'] : [scope]

test('every endpoint asks an application for its scopes, to read or to change', () => {
  assert.ok(rows.length > 100)
  for (const row of rows) {
    if (row.access.kind !== 'scope') {
      assert.ok(refusal(row, all('read-write')), `${row.on} is never for applications`)
      continue
    }
    const permission = methodOf(row) === 'GET' ? 'read' : 'read-write'
    const exact = Object.fromEntries(row.access.scopes.map((scope) => [scope, permission]))
    assert.equal(refusal(row, exact), undefined, row.on)
    if (permission === 'read-write') assert.ok(refusal(row, all('read')), `${row.on} changes something`)
    for (const scope of SCOPES) {
      const left = all('read-write', standsFor(scope))
      const missing: Scope | undefined = row.access.scopes.find((needed) =>
        standsFor(needed).every((one) => !left[one]),
      )
      const error = refusal(row, left)
      assert.equal(error?.extra.scope, missing, `${row.on} without ${scope}`)
      if (missing) assert.match(error?.message ?? '', new RegExp(`\`${missing}\``))
    }
  }
})

test('which scopes the endpoints ask for', () => {
  const asked = (on: string): readonly Scope[] | string => {
    const access = rows.find((row) => row.on === on)?.access
    return access?.kind === 'scope' ? access.scopes : (access?.kind ?? 'missing')
  }
  for (const [on, scopes] of [
    ['POST /v8/platform/deployments', ['deployment']],
    ['POST /v2/platform/files', ['deployment']],
    ['GET /v2/platform/deployments/:id/events', ['deployment']],
    ['DELETE /v2/platform/aliases/:id', ['deployment']],
    ['PATCH /v9/projects/:idOrName', ['project']],
    ['POST /v1/projects/:projectId/pause', ['project']],
    ['GET /v9/projects/:idOrName/env', ['project-env-vars']],
    ['GET /v2/platform/secrets', ['global-project-env-vars']],
    ['GET /v4/domains', ['domain']],
    ['GET /v3/platform/certs', ['domain']],
    ['GET /v2/domains/:domain/records', ['domain']],
    ['GET /v9/projects/:idOrName/domains', ['project']],
    ['POST /v10/projects/:idOrName/domains', ['project', 'domain']],
    ['GET /v1/teams/:id', ['team']],
    ['PATCH /v1/teams/:id', 'personal'],
    ['GET /v2/user', ['user']],
    ['GET /v1/integrations/configuration/:id', ['integration-configuration']],
    ['POST /v1/integrations/applications', 'personal'],
    ['POST /v1/webhooks', 'personal'],
    ['POST /v3/user/tokens', 'personal'],
    ['POST /v4/domains/buy', 'personal'],
  ] as const)
    assert.deepEqual(asked(on), scopes, on)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openValues } from '#core/deployment/env/frozen-values.ts'
import { systemEnv } from '#core/deployment/env/system-env.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { beginDomains } from '#test/support/dns/project-domains.ts'

apiSuite('custom environments', (server) => {
  /** A project with a live production, and ways to work with its environments. */
  async function begin() {
    const account = await server.signUp()
    const owner = await beginDomains(server, { account })
    const { name, call, deploy } = owner
    await deploy('live', 'production')
    const at = `/v9/projects/${name}/custom-environments`
    const make = async (slug: string, more: object = {}) => {
      const made = await call(`POST ${at}`, { slug, ...more })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      return made.body
    }
    const to = (slug: string, text: string, more: object = {}) =>
      deploy(text, undefined, { customEnvironmentSlugOrId: slug, ...more })
    const valuesOf = async (id: string) => {
      const { stores, vault } = server.parts
      const deployment = await stores.deployments.find(id)
      assert.ok(deployment)
      const { env } = openValues(vault, id, (await stores.deployments.sealedEnv(id)) ?? '')
      return { env, around: systemEnv(deployment) }
    }
    const addVariable = async (key: string, more: object) => {
      const body = { key, value: key.toLowerCase(), type: 'encrypted', ...more }
      const made = await call(`POST /v10/projects/${name}/env`, body)
      assert.equal(made.status, 201, JSON.stringify(made.body))
      return made.body.created
    }
    return { ...owner, username: account.username, at, make, to, valuesOf, addVariable }
  }

  test('they are made, listed, found by slug or id, changed and deleted', async () => {
    const { call, at, make } = await begin()
    assert.deepEqual((await call(`GET ${at}`)).body, { accountLimit: { total: 20 }, environments: [] })
    const branchMatcher = { type: 'startsWith', pattern: 'release/' }
    const staging = await make('staging', { description: 'Before production', branchMatcher })
    const { id, createdAt, updatedAt } = staging
    assert.match(id, /^env_\w{24}$/)
    assert.deepEqual(staging, {
      ...{ id, createdAt, updatedAt, slug: 'staging', type: 'preview', description: 'Before production' },
      ...{ branchMatcher, domains: [], currentDeploymentAliases: [] },
    })
    await make('qa')
    const { environments } = (await call(`GET ${at}`)).body
    assert.deepEqual(
      environments.map(({ slug }: { slug: string }) => slug),
      ['staging', 'qa'],
    )
    const ofBranch = (await call(`GET ${at}?gitBranch=release/2`)).body.environments
    assert.deepEqual(ofBranch, [staging])
    for (const key of ['staging', id]) assert.deepEqual((await call(`GET ${at}/${key}`)).body, staging)
    const changed = await call(`PATCH ${at}/${id}`, { slug: 'uat', description: null, branchMatcher: null })
    assert.deepEqual(
      [changed.status, changed.body.slug, changed.body.description, changed.body.branchMatcher],
      [200, 'uat', undefined, undefined],
    )
    assert.equal((await call(`GET ${at}/staging`)).status, 404)
    const removed = await call(`DELETE ${at}/uat`)
    assert.deepEqual([removed.status, removed.body.id], [200, id])
    assert.equal((await call(`DELETE ${at}/uat`)).status, 404)
  })

  test('names that are taken, reserved or malformed are refused', async () => {
    const { call, at, make } = await begin()
    await make('staging')
    const outcome = async (body: object) => (await call(`POST ${at}`, body)).status
    assert.equal(await outcome({ slug: 'staging' }), 409)
    for (const slug of ['production', 'preview', 'development', 'No Spaces', '-a', 'a-', '', 'a'.repeat(33)])
      assert.equal(await outcome({ slug }), 400, slug)
    for (const branchMatcher of [{ type: 'regex', pattern: 'a' }, { type: 'equals', pattern: '' }, 'main'])
      assert.equal(await outcome({ slug: 'qa', branchMatcher }), 400)
    assert.equal(await outcome({ slug: 'qa', copyEnvVarsFrom: 'nowhere' }), 404)
    assert.equal((await call(`GET ${at}/qa`)).status, 404, 'and nothing of it is kept')
    await make('qa')
    assert.equal((await call(`PATCH ${at}/qa`, { slug: 'staging' })).status, 409)
    for (let i = 2; i < 20; i++) await make(`e-${i}`)
    assert.equal(await outcome({ slug: 'one-more' }), 400)
  })

  test('a deployment goes to one by slug or id, and is shown, listed and told of it', async () => {
    const { name, call, make, to, deploy, shown, at, valuesOf, username } = await begin()
    const { id } = await make('staging')
    const first = await to('staging', 'staged')
    assert.deepEqual([first.customEnvironment, first.target], [{ id, slug: 'staging' }, undefined])
    const host = `${name}-env-staging-${username}.localhost`
    assert.ok(first.aliasFinal.includes(host), first.aliasFinal)
    assert.equal(await shown(host), 'staged')
    assert.equal(await shown(`${name}.localhost`), 'live', 'production is as it was')
    assert.ok((await call(`GET ${at}/staging`)).body.currentDeploymentAliases.includes(host))
    const { around } = await valuesOf(first.id)
    assert.deepEqual([around.VERCEL_ENV, around.VERCEL_TARGET_ENV], ['preview', 'staging'])

    const second = await to(id, 'staged again')
    assert.equal(await shown(host), 'staged again')
    const { id: preview } = await deploy('a preview')
    await deploy('built-in staging', 'staging')
    assert.equal(await shown(host), 'staged again')
    const list = async (query: string) =>
      (await call(`GET /v3/platform/deployments?app=${name}&${query}`)).body.deployments
    const staged = await list(`customEnvironmentId=${id}`)
    assert.deepEqual(
      staged.map(({ uid }: { uid: string }) => uid),
      [second.id, first.id],
    )
    assert.deepEqual(staged[0].customEnvironment, { id, slug: 'staging' })
    assert.deepEqual((await list('target=staging')).length, 1, 'another thing of that name')
    assert.deepEqual(
      (await list('target=preview')).map(({ uid }: { uid: string }) => uid),
      [preview],
      'those that were made for nothing else',
    )

    const redeployed = await call(`POST /v1/deployments/${first.id}/redeploy`, {})
    assert.deepEqual(redeployed.body.customEnvironment, { id, slug: 'staging' })
    assert.equal(await shown(host), 'staged')
    const elsewhere = await call(`POST /v1/deployments/${first.id}/redeploy`, { target: 'preview' })
    assert.equal(elsewhere.body.customEnvironment, undefined)

    const refused = async (body: object) =>
      (await call('POST /v8/platform/deployments', { name, version: 2, files: [], ...body })).status
    assert.equal(await refused({ customEnvironmentSlugOrId: 'nowhere' }), 400)
    assert.equal(await refused({ customEnvironmentSlugOrId: 'staging', target: 'production' }), 400)
  })

  test('without one of that name, `staging` is the one that every project has', async () => {
    const { to } = await begin()
    const { target, customEnvironment } = await to('staging', 'staged')
    assert.deepEqual([target, customEnvironment], ['staging', undefined])
  })

  test('its variables are those that name it', async () => {
    const { name, call, make, to, deploy, valuesOf, addVariable } = await begin()
    const [staging, qa] = [await make('staging'), await make('qa')]
    await addVariable('PREVIEW', { target: ['preview'] })
    const both = await addVariable('BOTH', { target: ['preview'], customEnvironmentIds: [staging.id] })
    assert.deepEqual([both.target, both.customEnvironmentIds], [['preview'], [staging.id]])
    const alone = await addVariable('ALONE', { customEnvironmentId: staging.id })
    assert.deepEqual(alone.customEnvironmentIds, [staging.id])
    await addVariable('QA', { target: [], customEnvironmentIds: [qa.id] })
    const { env } = await valuesOf((await to('staging', 'a')).id)
    assert.deepEqual(env, { BOTH: 'both', ALONE: 'alone' })
    assert.deepEqual((await valuesOf((await deploy('p')).id)).env, { PREVIEW: 'preview', BOTH: 'both' })

    const path = `/v10/projects/${name}/env`
    const taken = { key: 'ALONE', value: 'x', type: 'plain', customEnvironmentIds: [staging.id] }
    assert.equal((await call(`POST ${path}`, taken)).status, 403, 'there is one already')
    const unknown = { ...taken, key: 'NEW', customEnvironmentIds: ['env_none'] }
    assert.equal((await call(`POST ${path}`, unknown)).status, 400)
    const listed = await call(`GET /v9/projects/${name}/env?customEnvironmentId=${staging.id}`)
    assert.deepEqual(listed.body.envs.map(({ key }: { key: string }) => key).sort(), ['ALONE', 'BOTH'])

    const patch = async (body: object) => (await call(`PATCH /v9/projects/${name}/env/${both.id}`, body)).body
    assert.deepEqual(
      (await patch({ target: ['production'] })).customEnvironmentIds,
      [staging.id],
      'who changes the targets keeps the environments',
    )
    const moved = await patch({ customEnvironmentIds: [qa.id] })
    assert.deepEqual([moved.target, moved.customEnvironmentIds], [['production'], [qa.id]])
    assert.deepEqual((await patch({ customEnvironmentIds: [] })).customEnvironmentIds, undefined)
  })

  test('it can begin with copies of the variables of another', async () => {
    const { make, to, valuesOf, addVariable } = await begin()
    await addVariable('OPEN', { type: 'plain', target: ['production'] })
    await addVariable('SEALED', { target: ['production', 'preview'] })
    await addVariable('SAFE', { type: 'sensitive', target: ['production'] })
    await addVariable('OTHER', { target: ['preview'] })
    await make('staging', { copyEnvVarsFrom: 'production' })
    await make('qa', { copyEnvVarsFrom: 'staging' })
    for (const slug of ['staging', 'qa'])
      assert.deepEqual((await valuesOf((await to(slug, slug)).id)).env, {
        ...{ OPEN: 'open', SEALED: 'sealed', SAFE: 'safe' },
      })
  })

  test('its domains show its newest deployment, and keep it from being deleted', async () => {
    const { name, apex, call, at, add, patch, make, to, shown, deploy } = await begin()
    const { id } = await make('staging')
    await add(apex, { customEnvironmentId: id })
    assert.equal(await shown(apex), 404, 'there is nothing to show')
    const first = await to('staging', 'staged', { meta: { gitBranch: 'dev' } })
    assert.ok(first.aliasFinal.includes(apex))
    assert.equal(await shown(apex), 'staged')
    await deploy('live again', 'production')
    await deploy('of the branch', undefined, { meta: { gitBranch: 'dev' } })
    assert.equal(await shown(apex), 'staged')
    const second = await to('staging', 'staged again')
    assert.equal(await shown(apex), 'staged again')
    await call(`DELETE /v8/platform/deployments/${second.id}`)
    assert.equal(await shown(apex), 'staged', 'what came before it')
    assert.deepEqual(
      (await call(`GET ${at}/staging`)).body.domains.map((domain: { name: string }) => domain.name),
      [apex],
    )
    const refused = await call(`DELETE ${at}/staging`)
    assert.deepEqual([refused.status, refused.body.error.domain.name], [409, apex])
    await patch(apex, { customEnvironmentId: null })
    assert.equal(await shown(apex), 'live again')
    await patch(apex, { customEnvironmentId: id })
    assert.equal(await shown(apex), 'staged')
    await call(`DELETE /v9/projects/${name}/domains/${apex}`)
    assert.equal((await call(`DELETE ${at}/staging`)).status, 200)
  })

  test('a domain of a branch does not show what was made for an environment', async () => {
    const { apex, add, make, to, shown, deploy } = await begin()
    await make('staging')
    const on = { meta: { gitBranch: 'dev' } }
    await deploy('preview', undefined, on)
    await to('staging', 'staged', on)
    await add(apex, { gitBranch: 'dev' })
    assert.equal(await shown(apex), 'preview')
    await to('staging', 'staged again', on)
    assert.equal(await shown(apex), 'preview')
  })

  test('its name goes with it, and changes with its slug; what was deployed stays', async () => {
    const { name, username, call, at, make, to, shown, valuesOf, addVariable } = await begin()
    const { id } = await make('staging')
    await addVariable('ALONE', { customEnvironmentIds: [id] })
    await addVariable('BOTH', { target: ['preview'], customEnvironmentIds: [id] })
    const first = await to('staging', 'staged')
    const host = (slug: string) => `${name}-env-${slug}-${username}.localhost`
    await call(`PATCH ${at}/staging`, { slug: 'uat' })
    assert.deepEqual([await shown(host('staging')), await shown(host('uat'))], [404, 'staged'])
    const second = await to('uat', 'staged again')
    assert.deepEqual(second.customEnvironment, { id, slug: 'uat' })
    const removed = await call(`DELETE ${at}/uat`, { deleteUnassignedEnvironmentVariables: true })
    assert.equal(removed.status, 200)
    assert.equal(await shown(host('uat')), 404)
    assert.deepEqual([await shown(first.url), await shown(second.url)], ['staged', 'staged again'])
    assert.deepEqual((await valuesOf(second.id)).env, { ALONE: 'alone', BOTH: 'both' })
    const { envs } = (await call(`GET /v9/projects/${name}/env`)).body
    assert.deepEqual(
      envs.map(({ key, target, customEnvironmentIds }: Record<string, unknown>) => [
        ...[key, target, customEnvironmentIds],
      ]),
      [['BOTH', ['preview'], undefined]],
    )
    const again = await call(`POST /v1/deployments/${second.id}/redeploy`, {})
    assert.equal(again.status, 400, 'the environment is gone')
  })

  test('it is protected as previews are', async () => {
    const { name, call, make, to } = await begin()
    await make('staging')
    const { url } = await to('staging', 'staged')
    const body = { passwordProtection: { deploymentType: 'preview', password: 'let me in' } }
    assert.equal((await call(`PATCH /v9/projects/${name}`, body)).status, 200)
    assert.equal((await server.visit(url, '/')).status, 401)
    assert.equal((await server.visit(`${name}.localhost`, '/')).status, 200)
  })

  test('other clients find it under the addresses and words that they know', async () => {
    const { name, call, make, addVariable } = await begin()
    const { id } = await make('staging')
    await addVariable('GREETING', { target: [], customEnvironmentIds: [id] })
    const { environments } = (await call(`GET /projects/${name}/custom-environments`)).body
    assert.deepEqual([environments[0].slug, environments[0].type], ['staging', 'preview'])
    const deployment = await call('POST /v13/deployments?forceNew=1&skipAutoDetectionConfirmation=1', {
      ...{ name, project: name, source: 'cli', version: 2, customEnvironmentSlugOrId: 'staging' },
      files: [{ file: 'index.html', data: 'staged' }],
    })
    assert.deepEqual(
      deployment.body.customEnvironment,
      { id, slug: 'staging' },
      JSON.stringify(deployment.body),
    )
    const { projectId } = deployment.body
    const listed = await call(`GET /v6/deployments?projectId=${projectId}&target=staging`)
    assert.deepEqual(
      listed.body.deployments.map(({ uid }: { uid: string }) => uid),
      [deployment.body.id],
    )
    const pulled = await call(`GET /v3/env/pull/${name}/staging`)
    assert.equal(pulled.body.env.GREETING, 'greeting')
  })
})

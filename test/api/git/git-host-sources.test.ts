import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { connectionPurpose } from '#core/git/host/connection.ts'
import {
  CONTRACT_KINDS,
  type ContractHost,
  type ContractKind,
  startContractHost,
} from '../../support/git/contract-host.ts'
import { workTree } from '../../support/git/git.ts'
import { install, registerApplication } from '../../support/integrations.ts'
import { samplePush } from '../../support/samples.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
const hosts = new Map<ContractKind, ContractHost>()

before(async () => {
  server = await startServer({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' } })
  for (const kind of CONTRACT_KINDS) hosts.set(kind, await startContractHost(kind))
  await server.startJobs()
})
after(async () => {
  await server?.close()
  for (const host of hosts.values()) await host.close()
})

/** A repository at a host, an account with the host connected, and a project. */
async function prepared(t: TestContext, kind: ContractKind) {
  const host = hosts.get(kind) as ContractHost
  host.refusal = undefined
  host.reaches = server.url
  const me = await server.signUp()
  const name = `${me.username}/site`
  const at = await host.add(name)
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  await tree.must('push', at, 'main')
  const { body: connection } = await server.call('POST /v1/git/connections', {
    ...me,
    body: { kind, url: host.url, token: host.token },
  })
  const project = `shop-${me.id.slice(0, 6).toLowerCase()}`
  await server.call('POST /v10/projects', { ...me, body: { name: project } })
  const connect = (given: object = {}) =>
    server.call(`PUT /v1/projects/${project}/git`, {
      ...me,
      body: { connectionId: connection.id, repository: name, ...given },
    })
  const source = async () => (await server.call(`GET /v1/projects/${project}/git`, me)).body
  const newest = async () => (await server.call(`GET /v1/projects/${project}/pushes`, me)).body.pushes[0]
  return { host, me, name, at, tree, connection, project, connect, source, newest }
}

for (const kind of CONTRACT_KINDS)
  test(`a project follows a repository at ${kind}, whose webhook is made, tried and removed`, async (t) => {
    const { host, me, name, at, tree, connection, project, connect, source, newest } = await prepared(t, kind)
    const made = await connect()
    assert.equal(made.status, 200, JSON.stringify(made.body))
    assert.deepEqual([made.body.url, made.body.repository], [`${host.url}/${name}.git`, name])
    assert.ok(!('webhookSecret' in made.body), 'what the host knows already is shown to nobody')
    const hook = host.hooks.find(({ repository }) => repository === name)
    assert.ok(hook)
    assert.equal(hook.url, made.body.webhookUrl)
    if (kind === 'bitbucket') assert.equal((await source()).webhook.state, 'untested')
    else await until(async () => (await source()).webhook.state === 'working')
    await until(async () => (await newest())?.state === 'deployed')

    await tree.write('index.html', 'second')
    const commit = await tree.commit('Second')
    await tree.must('push', at, 'main')
    const headers = {
      github: { 'x-github-event': 'push' },
      gitea: { 'x-gitea-event': 'push' },
      gitlab: { 'x-gitlab-event': 'Push Hook' },
      bitbucket: { 'x-event-key': 'repo:push' },
    }[kind]
    assert.equal(await host.deliver(hook, headers, { ref: 'refs/heads/main' }), 202)
    const push = await until(async () => {
      const one = await newest()
      return one.state === 'deployed' && one.after === commit && one
    })
    assert.equal(push.source, 'webhook')
    assert.equal((await source()).webhook.state, 'working')
    assert.equal(await host.deliver({ ...hook, secret: 'forged' }, headers, {}), 403)

    const removal = () => server.call(`DELETE /v1/git/connections/${connection.id}`, me)
    const inUse = await removal()
    assert.equal(inUse.status, 409)
    assert.match(inUse.body.error.message, new RegExp(project))
    assert.equal((await connect()).status, 200, 'connecting again replaces the webhook')
    assert.equal(host.hooks.filter(({ repository }) => repository === name).length, 1)
    assert.equal((await server.call(`DELETE /v1/projects/${project}/git`, me)).status, 204)
    assert.equal(host.hooks.filter(({ repository }) => repository === name).length, 0)
    assert.equal((await removal()).status, 204)
  })

test('the webhook is removed at the host with the project, and after the host has failed', async (t) => {
  const { host, me, name, project, connect, newest } = await prepared(t, 'github')
  const left = () => host.hooks.filter(({ repository }) => repository === name).length
  await connect()
  assert.equal(left(), 1)
  host.refusal = 502
  assert.equal((await server.call(`DELETE /v1/projects/${project}/git`, me)).status, 204)
  assert.equal(left(), 1)
  assert.match((await newest()).reason.message, /webhook at the host could not be removed yet: .*retried/)
  host.refusal = undefined
  await until(async () => {
    server.clock.advance(1000)
    await server.runJobs()
    return left() === 0
  })
  await connect()
  assert.equal(left(), 1)
  assert.equal((await server.call(`DELETE /v9/projects/${project}`, me)).status, 204)
  await until(() => left() === 0)
})

test('a repository that is not shown, or a webhook that is refused, is told in words', async (t) => {
  const { host, me, name, connect, source, project, connection, newest } = await prepared(t, 'github')
  const missing = await connect({ repository: 'octocat/gone' })
  assert.equal(missing.status, 400)
  assert.equal(missing.body.error.code, 'repo_not_found')
  for (const body of [{ repository: '../../user' }, { url: 'https://git.example/x.git' }, { token: 'x' }])
    assert.equal((await connect(body)).status, 400, JSON.stringify(body))
  assert.equal((await connect({ connectionId: 'gcn_none' })).status, 404)
  const stranger = await server.signUp()
  await server.call('POST /v10/projects', { ...stranger, body: { name: 'theirs' } })
  const foreign = await server.call('PUT /v1/projects/theirs/git', {
    ...stranger,
    body: { connectionId: connection.id, repository: name },
  })
  assert.equal(foreign.status, 404, 'nobody reads through the token of another account')

  host.withoutHooks = true
  const made = await connect()
  host.withoutHooks = false
  assert.equal(made.status, 200)
  assert.equal(made.body.webhook.state, 'failed')
  assert.match(made.body.webhook.problem, /status 403.*permission/)
  assert.ok(made.body.webhookSecret, 'it can be entered by hand')

  // The token is revoked: git is refused, and the project says why.
  const sealedToken = server.parts.vault.seal('of-nobody', connectionPurpose(connection.id))
  await server.parts.stores.connections.update(connection.id, { sealedToken } as object)
  await server.call(`POST /v1/projects/${project}/git/sync`, me)
  const problem = await until<string>(async () => (await source()).problem ?? undefined)
  assert.match(
    problem,
    /^127\.0\.0\.1 denied access to the repository: the token is missing or wrong.*The token of the connected Git host may have expired/,
  )
  assert.doesNotMatch(problem, /askpass|Username/)
  // A push that is to be fetched says the same, after it was tried for a while.
  const { id: projectId } = (await server.call(`GET /v9/projects/${project}`, me)).body
  const push = samplePush({
    ...{ ownerId: me.id, projectId, state: 'queued', after: 'a'.repeat(40), createdAt: server.clock.now() },
  })
  await server.parts.stores.pushes.add(push)
  await server.parts.stores.jobs.enqueue({ kind: 'git.push', payload: { pushId: push.id }, share: projectId })
  const failed = await until(async () => {
    server.clock.advance(60_000)
    await server.runJobs()
    const one = await newest()
    return one.state === 'failed' && one.id === push.id && one
  })
  assert.equal(failed.reason.code, 'unreachable')
  assert.match(failed.reason.message, /^The repository could not be read: 127\.0\.0\.1 denied access/)
})

test('an application chooses no other repository of a connected host', async (t) => {
  const { host, me, name, connection, project, connect, newest } = await prepared(t, 'gitea')
  await host.add(`${me.username}/secret`)
  const application = await registerApplication(server, me.token, {
    scopes: { project: 'read-write', deployment: 'read-write' },
  })
  const { token } = await install(server, me.token, application, {
    projectSelection: 'selected',
    projects: project,
  })
  const choose = (repository: string) =>
    server.call(`PUT /v1/projects/${project}/git`, {
      token,
      body: { connectionId: connection.id, repository },
    })
  const asked = host.calls.length
  for (const other of [name, `${me.username}/secret`, 'acme/none']) {
    const refused = await choose(other)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'], other)
  }
  assert.equal(host.calls.length, asked, 'the host is not asked whether there is one of this name')
  assert.equal((await connect()).status, 200)
  assert.equal((await choose(`${me.username}/secret`)).status, 403)
  assert.equal((await choose(name)).status, 200, 'the one that the project has')
  const { body: source } = await server.call(`GET /v1/projects/${project}/git`, { token })
  assert.equal(source.repository, name)
  await until(async () => (await newest())?.state === 'deployed')
})

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { addContractApps, type ContractApps } from '../../support/git/contract-app.ts'
import { type ContractHost, startContractHost } from '../../support/git/contract-host.ts'
import { workTree } from '../../support/git/git.ts'
import { type Account, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
let host: ContractHost
let apps: ContractApps
/** By how much the clock of the host is ahead. */
let ahead = 0

before(async () => {
  server = await startServer({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' } })
  await server.startJobs()
})
after(() => server?.close())

async function fresh(t: TestContext) {
  ahead = 0
  host = await startContractHost('github')
  host.reaches = server.url
  apps = addContractApps(host, () => server.clock.now() + ahead)
  t.after(() => host.close())
  return server.signUp()
}

/** What the page holds that a browser posts to the host. */
async function opened(startUrl: string) {
  const { pathname } = new URL(startUrl)
  const answer = await fetch(`${server.url}${pathname}`)
  const text = (await answer.text()).replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const [, target = ''] = /action="([^"]+)"/.exec(text) ?? []
  const [, manifest = ''] = /name="manifest" value="(.*?)"><button/.exec(text) ?? []
  return { status: answer.status, headers: answer.headers, target, manifest }
}

const begin = (me: Account, body: object = {}) =>
  server.call('POST /v1/git/apps', { ...me, body: { url: host.url, ...body } })

const convert = (me: Pick<Account, 'token'>, id: string, { searchParams }: URL) =>
  server.call(`POST /v1/git/apps/${id}/conversion`, {
    token: me.token,
    body: { code: searchParams.get('code'), state: searchParams.get('state') },
  })

/** Through all of it, as a browser is led. */
async function connected(me: Account, login = 'octocat') {
  const { id, startUrl } = (await begin(me)).body
  const { target, manifest } = await opened(startUrl)
  const back = apps.create(target, manifest)
  const made = await convert(me, id, back)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  apps.install(login)
  const { body, status } = await server.call(`POST /v1/git/apps/${id}/installations`, me)
  assert.equal(status, 200, JSON.stringify(body))
  return { id: id as string, back, made: made.body, connection: body.connections[0] }
}

test('one click makes the app, its secrets are sealed, and its installation is a connected host', async (t) => {
  const me = await fresh(t)
  const begun = await begin(me)
  assert.equal(begun.status, 201)
  const { target, manifest, headers } = await opened(begun.body.startUrl)
  assert.equal(new URL(target).origin, host.url)
  assert.match(headers.get('content-security-policy') ?? '', new RegExp(`form-action ${host.url};`))
  const said = JSON.parse(manifest)
  assert.equal(said.public, false, 'nobody else can install it')
  assert.deepEqual(said.default_permissions, {
    metadata: 'read',
    contents: 'read',
    pull_requests: 'write',
    statuses: 'write',
    deployments: 'write',
  })
  const { id, made, connection } = await connected(me)
  assert.equal(made.htmlUrl, `${host.url}/apps/app-100`)
  assert.equal(made.installUrl, `${host.url}/apps/app-100/installations/new`)
  assert.deepEqual([connection.login, connection.appId, connection.problem], ['octocat', id, null])
  const stored = JSON.stringify([
    await server.parts.stores.apps.list(me.id),
    await server.parts.stores.connections.list(me.id),
    (await server.call('GET /v1/git/apps', me)).body,
  ])
  for (const secret of ['PRIVATE KEY', apps.made[0]?.webhookSecret ?? 'x', '1726be1638095a19'])
    assert.ok(!stored.includes(secret), 'nothing secret is to be read')

  await host.add('octocat/site')
  const listed = await server.call(`GET /v1/git/connections/${connection.id}/repositories`, me)
  assert.deepEqual(
    listed.body.repositories.map(({ name }: { name: string }) => name),
    ['octocat/site'],
  )
  const ask = async (times: number) => {
    for (let n = 0; n < times; n++)
      await server.call(`GET /v1/git/connections/${connection.id}/repositories`, me)
  }
  await ask(2 * server.allParts.length)
  assert.equal(apps.given.length, server.allParts.length, 'the token is kept, by each process')
  server.clock.advance(55 * 60_000)
  await ask(server.allParts.length)
  assert.equal(apps.given.length, 2 * server.allParts.length, 'and another one asked for before it is over')

  assert.equal((await server.call(`DELETE /v1/git/apps/${id}`, me)).status, 409)
  assert.equal((await server.call(`DELETE /v1/git/connections/${connection.id}`, me)).status, 204)
  assert.equal((await server.call(`DELETE /v1/git/apps/${id}`, me)).status, 204)
})

test('what was started by someone else, was used or is old connects nothing', async (t) => {
  const [me, other] = [await fresh(t), await server.signUp()]
  const { id, startUrl } = (await begin(me)).body
  const form = await opened(startUrl)
  const back = apps.create(form.target, form.manifest)
  assert.equal((await convert(other, id, back)).status, 404, 'a stranger')
  const { body: team } = await server.call('POST /v1/teams', { ...me, body: { slug: 'with-app' } })
  await server.call(`POST /v1/teams/${team.id}/members`, { ...me, body: { email: other.email } })
  const ofTeam = await server.call(`POST /v1/git/apps?teamId=${team.id}`, { ...me, body: { url: host.url } })
  const code = { code: 'x', state: new URL(ofTeam.body.startUrl).pathname.split('/').at(-1) }
  const byMember = await server.call(`POST /v1/git/apps/${ofTeam.body.id}/conversion?teamId=${team.id}`, {
    ...other,
    body: code,
  })
  assert.equal(byMember.status, 400, 'a member who did not begin it')
  assert.match(byMember.body.error.message, /started by someone else/)
  const wrong = new URL(back)
  wrong.searchParams.set('state', `${id}.wrong`)
  assert.match((await convert(me, id, wrong)).body.error.message, /is not valid/)
  assert.equal((await convert(me, id, back)).status, 200)
  assert.match((await convert(me, id, back)).body.error.message, /already used/, 'the state')

  const second = (await begin(me)).body
  const again = await opened(second.startUrl)
  const reused = apps.create(again.target, again.manifest)
  reused.searchParams.set('code', back.searchParams.get('code') ?? '')
  assert.match((await convert(me, second.id, reused)).body.error.message, /does not accept the code/)

  const third = (await begin(me)).body
  server.clock.advance(61 * 60_000)
  assert.equal((await opened(third.startUrl)).status, 400)
  for (const body of [{ organization: '../x' }, { url: 'http://10.0.0.1' }, { url: `${host.url}/x` }])
    assert.equal((await begin(me, body)).status, 400, JSON.stringify(body))
  const { body: ofOrganization } = await begin(me, { organization: 'acme' })
  assert.match(
    (await opened(ofOrganization.startUrl)).target,
    /\/organizations\/acme\/settings\/apps\/new\?state=/,
  )
})

test('a clock that is wrong by half an hour locks no app out', async (t) => {
  const me = await fresh(t)
  ahead = 30 * 60_000
  assert.equal((await connected(me)).connection.problem, null)
  ahead = -30 * 60_000
  const { connection } = await connected(me)
  await host.add('octocat/site')
  assert.equal(
    (await server.call(`GET /v1/git/connections/${connection.id}/repositories`, me)).body.repositories.length,
    1,
  )
})

test('one address has the deliveries of all repositories; what is forged or comes twice does nothing', async (t) => {
  const me = await fresh(t)
  const { id, connection } = await connected(me)
  const trees = []
  for (const name of ['one', 'two']) {
    const at = await host.add(`octocat/${name}`)
    const tree = await workTree(t, { 'index.html': 'first' })
    await tree.commit('The first')
    await tree.must('push', at, 'main')
    trees.push({ tree, at })
  }
  const projects = [
    ['app-one', 'octocat/one'],
    ['app-one-docs', 'octocat/one'],
    ['app-two', 'octocat/two'],
  ] as const
  const newest = async (name: string) =>
    (await server.call(`GET /v1/projects/${name}/pushes`, me)).body.pushes[0]
  const sourceOf = async (name: string) => (await server.call(`GET /v1/projects/${name}/git`, me)).body
  for (const [name, repository] of projects) {
    await server.call('POST /v10/projects', { ...me, body: { name } })
    const made = await server.call(`PUT /v1/projects/${name}/git`, {
      ...me,
      body: { connectionId: connection.id, repository },
    })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    assert.equal(made.body.webhook.state, 'untested')
  }
  assert.equal(host.hooks.length, 0, 'the app has its own')
  for (const [name] of projects) await until(async () => (await newest(name))?.state === 'deployed')

  const [first] = trees
  assert.ok(first)
  await first.tree.write('index.html', 'second')
  const commit = await first.tree.commit('Second')
  await first.tree.must('push', first.at, 'main')
  const push = { ref: 'refs/heads/main', repository: { full_name: 'Octocat/One' } }
  assert.equal(await apps.deliver('push', push, { secret: 'forged' }), 403)
  assert.equal(await apps.deliver('push', push, { secret: '' }), 403)
  assert.ok((await server.call('GET /v1/git/apps', me)).body.apps[0].refusedAt > 0, 'it is recorded')
  assert.equal((await newest('app-one')).after === commit, false)
  assert.equal(await apps.deliver('push', push, { id: 'first' }), 202)
  for (const name of ['app-one', 'app-one-docs'])
    await until(async () => {
      const one = await newest(name)
      return one.state === 'deployed' && one.after === commit
    })
  assert.equal((await sourceOf('app-one')).webhook.state, 'working')
  assert.equal((await sourceOf('app-two')).webhook.state, 'untested')
  assert.equal(await apps.deliver('push', push, { id: 'first' }), 202)
  assert.equal((await newest('app-one')).reason.code, 'replayed')
  assert.ok(
    host.calls.some(({ path, status }) => path.startsWith('/repos/octocat/one/statuses/') && status === 201),
    'what came of it is told with a token of the installation',
  )

  // The app is suspended at the host, taken up again, and uninstalled.
  const problem = async () => (await server.call('GET /v1/git/connections', me)).body.connections[0].problem
  const [installation] = apps.installations
  assert.ok(installation)
  installation.suspended = true
  host.tokens.clear()
  assert.equal(await apps.deliver('installation', { action: 'suspend' }), 202)
  assert.match(await until(problem), /is suspended for octocat at 127\.0\.0\.1\. Unsuspend it there/)
  assert.match(await until(async () => (await sourceOf('app-two')).problem), /is suspended for octocat/)
  installation.suspended = false
  assert.equal(await apps.deliver('installation', { action: 'unsuspend' }), 202)
  await until(async () => (await problem()) === null && (await sourceOf('app-two')).problem === null)
  const gone = { installation: { id: installation.id } }
  apps.installations.length = 0
  host.tokens.clear()
  assert.equal(await apps.deliver('installation', { action: 'deleted', ...gone }), 202)
  assert.match(
    await until(problem),
    /was uninstalled from octocat.*Install it again at .*\/installations\/new/,
  )
  await until(async () => /was uninstalled/.test((await sourceOf('app-two')).problem ?? ''))
  const refused = await server.call(`GET /v1/git/connections/${connection.id}/repositories`, me)
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /was uninstalled/)
  assert.equal((await server.call(`POST /v1/git/apps/${id}/called`, { body: '{}' })).status, 403)
})

test('an installation of which only the host tells is connected as well', async (t) => {
  const me = await fresh(t)
  const { id, startUrl } = (await begin(me)).body
  const { target, manifest } = await opened(startUrl)
  await convert(me, id, apps.create(target, manifest))
  apps.install('acme')
  assert.equal(await apps.deliver('installation', { action: 'created' }), 202)
  const [one] = await until(async () => {
    const all = (await server.call('GET /v1/git/connections', me)).body.connections
    return all.length > 0 && all
  })
  assert.equal(one.login, 'acme')
})

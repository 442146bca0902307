import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { workTree } from '../../support/git/git.ts'
import { HOST_WEBHOOKS } from '../../support/git/host-webhooks.ts'
import { type Account, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
/** Where the repository is: another installation, which speaks git as any host does. */
let elsewhere: TestServer

before(async () => {
  server = await startServer({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1', ALOFT_GIT_MAX_PUSH: '2M' } })
  elsewhere = await startServer()
  await Promise.all([server.startJobs(), elsewhere.startJobs()])
})
after(async () => {
  await server?.close()
  await elsewhere?.close()
})

/** A repository at the host, and somebody here with a project that is to be deployed from it. */
async function connected(t: TestContext) {
  const [host, account] = [await elsewhere.signUp(), await server.signUp()]
  const name = `shop-${account.id.slice(0, 6).toLowerCase()}`
  const url = `${elsewhere.url}/git/${host.username}/source.git`
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  await tree.must('remote', 'add', 'host', url.replace('://', `://me:${host.token}@`))
  await tree.must('push', 'host', 'main', 'main:unseen')
  await server.call('POST /v10/projects', { ...account, body: { name } })
  const connect = (body: object) => server.call(`PUT /v1/projects/${name}/git`, { ...account, body })
  return { host, account, name, url, tree, connect, pushes: pushesOf(account, name) }
}

const pushesOf = (account: Account, name: string) => async () =>
  (await server.call(`GET /v1/projects/${name}/pushes`, account)).body.pushes as {
    readonly source: string
    readonly ref: string
    readonly state: string
    readonly deploymentId: string | null
    readonly reason: { readonly code: string; readonly message: string } | null
  }[]

test('a repository elsewhere is deployed when it is connected, when its host calls, and when nobody does', async (t) => {
  const { host, account, name, url, tree, connect, pushes } = await connected(t)
  const made = await connect({ url, token: host.token })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  assert.equal(made.body.url, url)
  await until(async () => (await pushes())[0]?.state === 'deployed')
  assert.equal((await server.visit(`${name}.localhost`, '/')).body, 'first')
  assert.deepEqual((await pushes()).length, 1, 'other branches wait until they move')

  await tree.must('checkout', '-q', '-b', 'next')
  await tree.write('index.html', 'second')
  const commit = await tree.commit('Second')
  await tree.must('push', 'host', 'next')
  const called = await server.call(`POST ${new URL(made.body.webhookUrl).pathname}`, {
    body: { ref: 'refs/heads/main', after: 'f'.repeat(40) },
  })
  assert.equal(called.status, 202)
  await until(async () => {
    // Asked once: between two answers the second push may have come.
    const all = await pushes()
    return all.length === 2 && all[0]?.state === 'deployed'
  })
  const [preview] = await pushes()
  assert.deepEqual([preview?.source, preview?.ref], ['webhook', 'refs/heads/next'])
  const { body } = await server.call(`GET /v8/platform/deployments/${preview?.deploymentId}`, account)
  assert.equal(body.meta.gitCommitSha, commit)
  const alias = `${name}-git-next-${account.username}.localhost`
  assert.equal((await server.visit(alias, '/')).body, 'second')

  await tree.must('push', 'host', '--delete', 'next')
  server.clock.advance(6 * MINUTE)
  await server.runJobs()
  await until(async () => (await pushes())[0]?.reason?.code === 'branch_deleted')
  assert.equal((await pushes())[0]?.source, 'poll')
  assert.equal((await server.visit(alias, '/')).status, 404)
})

test('what a forged call says has no effect, and a wrong address is refused', async (t) => {
  const { host, url, connect, pushes } = await connected(t)
  const made = await connect({ url, token: host.token })
  await until(async () => (await pushes())[0]?.state === 'deployed')
  const path = new URL(made.body.webhookUrl).pathname
  assert.equal((await server.call(`POST ${path.slice(0, -1)}`)).status, 404)
  for (let i = 0; i < 3; i++) await server.call(`POST ${path}`, { body: { after: 'e'.repeat(40) } })
  await server.runJobs()
  assert.equal((await pushes()).length, 1)
})

test('a push that a host announces is followed once, and only where it is signed with the secret', async (t) => {
  const { host, url, tree, connect, pushes } = await connected(t)
  const made = await connect({ url, token: host.token })
  const secret: string = made.body.webhookSecret
  assert.match(secret, /^\w{32}$/)
  await until(async () => (await pushes())[0]?.state === 'deployed')
  await tree.write('index.html', 'second')
  await tree.commit('Second')
  await tree.must('push', 'host', 'main')
  const path = new URL(made.body.webhookUrl).pathname
  const hosts = Object.entries(HOST_WEBHOOKS).map(([name, { payload, headers }]) => {
    const body = JSON.stringify(payload)
    const deliver = (key: string, id: string) =>
      server.call(`POST ${path}`, {
        body,
        headers: { 'content-type': 'application/json', ...headers(body, key, id) },
      })
    return { name, deliver }
  })
  for (const { name, deliver } of hosts) assert.equal((await deliver(`${secret}x`, 'one')).status, 403, name)
  await server.runJobs()
  const refused = (await pushes()).slice(0, -1)
  assert.deepEqual(
    refused.map(({ source, state, reason }) => [source, state, reason?.code]),
    hosts.map(() => ['webhook', 'skipped', 'wrong_signature']),
  )
  for (const { name, deliver } of hosts) {
    const followed = await deliver(secret, 'one')
    assert.deepEqual([followed.status, followed.body], [202, { queued: true }], name)
    const repeated = await deliver(secret, 'one')
    assert.deepEqual([repeated.status, repeated.body], [202, { queued: false }], name)
    assert.deepEqual((await deliver(secret, 'two')).body, { queued: true }, name)
  }
  await until(async () => (await pushes()).filter(({ state }) => state === 'deployed').length === 2)
  const repeated = (await pushes()).filter(({ reason }) => reason?.code === 'replayed')
  assert.equal(repeated.length, hosts.length)
})

test('the secret of a webhook is told once and stays the same, and refused deliveries are bounded', async (t) => {
  const { host, account, name, url, connect, pushes } = await connected(t)
  const made = await connect({ url, token: host.token })
  const shown = await server.call(`GET /v1/projects/${name}/git`, account)
  assert.equal(shown.body.webhookSecret, undefined)
  assert.equal((await connect({ url, token: host.token })).body.webhookSecret, undefined)
  const path = new URL(made.body.webhookUrl).pathname
  const deliver = (token: string) => server.call(`POST ${path}`, { headers: { 'x-gitlab-token': token } })
  assert.equal((await deliver(made.body.webhookSecret)).status, 202)
  for (let i = 0; i < 22; i++) assert.equal((await deliver('wrong')).status, 403)
  const { body } = await server.call(`GET /v1/projects/${name}/pushes?limit=100`, account)
  const reasons = (body.pushes as Awaited<ReturnType<typeof pushes>>).map(({ reason }) => reason?.code)
  assert.equal(reasons.filter((code) => code === 'wrong_signature').length, 20)
})

test('a repository that cannot be read says why, once, and what to do', async (t) => {
  const { account, name, url, connect, pushes } = await connected(t)
  await connect({ url, token: 'wrong' })
  await until(async () => (await pushes()).length > 0)
  const [push] = await pushes()
  assert.equal(push?.reason?.code, 'unreachable')
  assert.match(push?.reason?.message ?? '', /token that can read the repository/)
  const { body } = await server.call(`GET /v1/projects/${name}/git`, account)
  assert.match(body.problem, /token/)
  server.clock.advance(30 * MINUTE)
  await server.runJobs()
  assert.equal((await pushes()).length, 1)
})

test('a repository that is too large is not fetched, and the reason is said', async (t) => {
  const { host, url, tree, connect, pushes } = await connected(t)
  await tree.write('large.bin', randomBytes(3 * 1024 * 1024).toString('base64'))
  await tree.commit('Large')
  await tree.must('push', 'host', 'main')
  await connect({ url, token: host.token })
  await until(async () => (await pushes()).length > 0)
  const [push] = await pushes()
  assert.match(push?.reason?.message ?? '', /larger than 2 MiB/)
})

test('addresses that are private, malformed or of another kind are never asked', async (t) => {
  const { connect, pushes } = await connected(t)
  for (const url of [
    'file:///etc',
    'ext::sh -c id',
    '--upload-pack=id',
    'https://',
    'ssh://-oProxyCommand=x/y',
  ])
    assert.equal((await connect({ url })).status, 400, url)
  await connect({ url: 'http://10.255.255.1/me/site.git' })
  await until(async () => (await pushes()).length > 0)
  assert.match((await pushes())[0]?.reason?.message ?? '', /private address/)
})

test('over SSH a key is made, of which the private half is never shown', async (t) => {
  const { account, name, connect } = await connected(t)
  const made = await connect({ url: 'git@127.0.0.1:me/site.git' })
  assert.match(made.body.publicKey, /^ssh-ed25519 \S+ aloft-/)
  assert.equal(made.body.url, 'ssh://git@127.0.0.1/me/site.git')
  const shown = await server.call(`GET /v1/projects/${name}/git`, account)
  assert.equal(shown.body.publicKey, made.body.publicKey)
  assert.ok(!JSON.stringify(shown.body).includes('PRIVATE'))
  assert.equal((await server.call(`DELETE /v1/projects/${name}/git`, account)).status, 204)
  assert.equal((await server.call(`GET /v1/projects/${name}/git`, account)).body.url, null)
})

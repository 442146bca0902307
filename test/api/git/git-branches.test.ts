import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { workTree } from '../../support/git/git.ts'
import { startGitHost } from '../../support/git/git-host.ts'
import { outputOf, ScriptedBuilder } from '../../support/scripted-builder.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
const builder = new ScriptedBuilder()

before(async () => {
  server = await startServer({
    workers: { builder, buildsAtOnce: 2 },
    env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' },
  })
  await server.startJobs()
})
after(() => server?.close())

/** A repository that is pushed to a project of an account, which is the caller's own or a team's. */
async function desk(t: TestContext, files: Record<string, string>, teamSlug?: string) {
  const account = await server.signUp()
  const team =
    teamSlug === undefined
      ? undefined
      : (await server.call('POST /v1/teams', { ...account, body: { slug: teamSlug } })).body
  const tree = await workTree(t, files)
  await tree.commit('The first')
  const signedIn = server.url.replace('://', `://git:${account.token}@`)
  const remote = `${signedIn}/git/${teamSlug ?? account.username}/site.git`
  const scope = team === undefined ? '' : `?teamId=${team.id}`
  const call = (method: string, path: string, body?: object) =>
    server.call(`${method} ${path}${scope}`, { ...account, ...(body ? { body } : {}) })
  return { account, tree, remote, call }
}

test('variables and domains of a branch are for pushes to that branch', async (t) => {
  const { tree, remote, call } = await desk(t, { 'package.json': '{"scripts":{"build":"x"}}' })
  builder.next(async () => outputOf({}))
  await tree.must('push', remote, 'main')
  const add = (body: object) =>
    call('POST', '/v10/projects/site/env', { type: 'plain', key: 'GREETING', target: ['preview'], ...body })
  await add({ value: 'every preview' })
  await add({ value: 'next alone', gitBranch: 'next' })
  const domain = await call('POST', '/v10/projects/site/domains', {
    name: 'of-next.localhost',
    gitBranch: 'next',
  })
  assert.equal(domain.status, 200, JSON.stringify(domain.body))
  for (const branch of ['other', 'next']) {
    await tree.commit(`To ${branch}`)
    await tree.must('push', remote, `HEAD:${branch}`)
  }
  const given = builder.tasks.map(({ deployment, env }) => [deployment.meta.gitBranch, env.GREETING])
  assert.deepEqual(given, [
    ['main', undefined],
    ['other', 'every preview'],
    ['next', 'next alone'],
  ])
  const next = builder.tasks.at(-1)?.deployment.id
  const { body } = await call('GET', `/v8/platform/deployments/${next}`)
  assert.ok(body.alias.includes('of-next.localhost'), body.alias.join())
})

test('a push to a team makes the project there, in the name of the member, and nobody else may', async (t) => {
  const { account, tree, remote, call } = await desk(t, { 'index.html': 'ours' }, 'pushers')
  const { said } = await tree.git('push', remote, 'main')
  assert.match(said, /main: live at http:\/\/site[a-z-]*\.localhost/)
  const { body } = await call('GET', '/v1/projects/site/pushes')
  const made = await call('GET', `/v8/platform/deployments/${body.pushes[0].deploymentId}`)
  assert.equal(made.body.creator.uid, account.id)
  const stranger = await server.signUp()
  const refused = await tree.git('push', remote.replace(account.token, stranger.token), 'main')
  assert.equal(refused.ok, false)
})

test('with `-o force` what would be skipped is deployed', async (t) => {
  const { tree, remote, call } = await desk(t, {
    'index.html': 'first',
    'vercel.json': '{"git":{"deploymentEnabled":{"quiet":false}}}',
  })
  await tree.must('push', remote, 'main')
  await tree.commit('More')
  assert.match((await tree.git('push', remote, 'HEAD:quiet')).said, /Deployments of this branch are disabled/)
  await tree.commit('Again')
  assert.match((await tree.git('push', '-o', 'force', remote, 'HEAD:quiet')).said, /quiet: ready at http/)
  const { body } = await call('GET', '/v1/projects/site/pushes')
  const states = (body.pushes as { state: string }[]).map(({ state }) => state)
  assert.deepEqual(states, ['deployed', 'skipped', 'deployed'])
})

test('a branch that is deleted while it is built is served no more once that has ended', async (t) => {
  const { account, tree, remote, call } = await desk(t, { 'package.json': '{"scripts":{"build":"x"}}' })
  builder.next(async () => outputOf({}))
  await tree.must('push', remote, 'main')
  const host = `site-git-short-lived-${account.username}.localhost`
  const holder = () => server.parts.stores.hosts.holder(host)
  const push = async (more: readonly string[] = []) => {
    await tree.commit('More')
    await tree.must('push', '-o', 'nowait', ...more, remote, 'HEAD:short-lived')
  }
  for (const isBack of [false, true]) {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    builder.next(async () => {
      begun.resolve()
      await ended.promise
      return outputOf({})
    })
    await push()
    await begun.promise
    await tree.must('push', remote, '--delete', 'short-lived')
    if (isBack) await push()
    ended.resolve()
    await server.runJobs()
    const { body } = await call('GET', '/v1/projects/site/pushes')
    assert.ok(body.pushes.every(({ state }: { state: string }) => state === 'deployed' || state === 'done'))
    assert.equal((await holder()) !== undefined, isBack)
  }
})

test('a flood of calls has the repository asked a few times, and nothing deployed twice', async (t) => {
  let asked = 0
  const host = await startGitHost('of-the-host', async ({ url }) => {
    if (url?.includes('info/refs')) asked++
    return false
  })
  t.after(() => host.close())
  const { tree, call } = await desk(t, { 'index.html': 'first' })
  await tree.must('push', await host.repository('me/site'), 'main')
  await call('POST', '/v10/projects', { name: 'flooded' })
  const url = `${host.url}/me/site.git`
  const made = await call('PUT', '/v1/projects/flooded/git', { url, token: 'of-the-host' })
  const path = new URL(made.body.webhookUrl).pathname
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      server.call(`POST ${path}`, {
        body: { after: String(i) },
        headers: { 'x-github-delivery': String(i) },
      }),
    ),
  )
  assert.ok(answers.every(({ status }) => status === 202 || status === 429))
  await server.runJobs()
  const { body } = await call('GET', '/v1/projects/flooded/pushes')
  assert.deepEqual(
    (body.pushes as { state: string }[]).map(({ state }) => state),
    ['deployed'],
  )
  assert.ok(asked < 30, `${asked} times`)
})

import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { workTree } from '../../support/git/git.ts'
import { type GitHost, startGitHost } from '../../support/git/git-host.ts'
import { HOST_PULLS, type PullGiven } from '../../support/git/host-pulls.ts'
import { outputOf, ScriptedBuilder } from '../../support/scripted-builder.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface ShownPush {
  readonly id: string
  readonly branch: string | null
  readonly state: string
  readonly fork: boolean
  readonly deploymentId: string | null
  readonly notes: readonly string[]
  readonly pullRequest: { readonly number: number } | null
  readonly reason: { readonly code: string; readonly message: string } | null
}

let server: TestServer
let elsewhere: GitHost
const builder = new ScriptedBuilder()

before(async () => {
  server = await startServer({
    workers: { builder, buildsAtOnce: 2 },
    env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' },
  })
  elsewhere = await startGitHost('of-the-host')
  await server.startJobs()
})
after(async () => {
  await server?.close()
  await elsewhere?.close()
})

/** A project that is deployed from a repository at a host, and a clone of a stranger. */
async function connected(t: TestContext, host: string) {
  const account = await server.signUp()
  const project = `shop-${account.id.slice(0, 6).toLowerCase()}`
  const [source, fork] = [`${project}/site`, `eve-${project}/site`]
  const [sourceAt, forkAt] = [await elsewhere.repository(source), await elsewhere.repository(fork)]
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  await tree.must('push', sourceAt, 'main', 'main:unseen')
  await server.call('POST /v10/projects', { ...account, body: { name: project } })
  const made = await server.call(`PUT /v1/projects/${project}/git`, {
    ...account,
    body: { url: `${elsewhere.url}/${source}.git`, token: 'of-the-host' },
  })
  const pushes = async () =>
    (await server.call(`GET /v1/projects/${project}/pushes`, account)).body.pushes as readonly ShownPush[]
  await until(async () => (await pushes())[0]?.state === 'deployed')
  const words = HOST_PULLS[host]
  assert.ok(words)
  let count = 0
  const deliver = (given: PullGiven, secret: string | undefined = made.body.webhookSecret) => {
    const body = JSON.stringify(words.payload(given))
    return server.call(`POST ${new URL(made.body.webhookUrl).pathname}`, {
      body,
      headers: {
        'content-type': 'application/json',
        ...(secret === '' ? { 'x-github-event': 'pull_request' } : {}),
        ...(secret === '' ? {} : words.headers(body, secret ?? '', `delivery-${++count}`, given)),
      },
    })
  }
  /** What the host has of a pull request from the fork. */
  const show = async (number: number) => {
    const ref = words.ref(number)
    await tree.must('push', '--force', forkAt, 'HEAD:refs/heads/patch')
    if (ref !== undefined) await tree.must('push', '--force', sourceAt, `HEAD:${ref}`)
  }
  const ended = (state: string, code?: string) =>
    until(async () => {
      const [newest] = await pushes()
      return newest?.state === state && newest.reason?.code === code && newest
    })
  const approve = (id: string) => server.call(`POST /v1/projects/${project}/pushes/${id}/approve`, account)
  return { account, project, tree, pushes, deliver, show, ended, approve, fork, sourceAt }
}

const visit = (host: string) => server.visit(host, '/')
const labelOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

for (const host of Object.keys(HOST_PULLS))
  test(`a pull request from a fork is held, then a preview until it is closed, on ${host}`, async (t) => {
    const { account, project, tree, deliver, show, ended, approve, pushes, fork } = await connected(t, host)
    await tree.write('index.html', 'from a fork')
    const commit = await tree.commit('Mine')
    await show(7)
    const given = { action: 'open', number: 7, branch: 'patch', commit, fork } as const
    assert.equal((await deliver(given)).status, 202)
    const held = await ended('held', 'fork')
    const branch = `${fork.split('/')[0]}:patch`
    assert.deepEqual([held.branch, held.fork, held.pullRequest?.number], [branch, true, 7])
    assert.equal((await approve(held.id)).status, 202)
    const { deploymentId } = await ended('deployed')
    const { body } = await server.call(`GET /v8/platform/deployments/${deploymentId}`, account)
    assert.notEqual(body.target, 'production')
    assert.equal(body.meta.gitCommitSha, commit)
    assert.equal(body.meta.gitPullRequestId, '7')
    const alias = `${project}-git-${labelOf(branch)}-${account.username}.localhost`
    assert.equal((await visit(alias)).body, 'from a fork')
    assert.equal((await visit(`${project}.localhost`)).body, 'first')
    assert.equal((await approve(held.id)).status, 409)

    await tree.write('index.html', 'more of it')
    const more = await tree.commit('More')
    await show(7)
    await deliver({ ...given, action: 'update', commit: more })
    const again = await ended('held', 'fork')
    assert.equal((await visit(alias)).body, 'from a fork')
    await deliver({ ...given, action: 'close', commit: more })
    await ended('done', 'pull_request_closed')
    assert.equal((await pushes()).find(({ id }) => id === again.id)?.reason?.code, 'superseded')
    assert.equal((await visit(alias)).status, 404)
    assert.equal((await approve(again.id)).status, 409)
  })

test('a fork gets no variable, of its branch neither, and is never production', async (t) => {
  const { account, project, tree, deliver, show, ended, fork } = await connected(t, 'GitHub')
  await server.call(`PATCH /v9/projects/${project}`, { ...account, body: { gitForkProtection: false } })
  const add = (body: object) =>
    server.call(`POST /v10/projects/${project}/env`, { ...account, body: { type: 'plain', ...body } })
  await add({ key: 'SECRET_OF_ALL', value: 'one', target: ['preview', 'production'] })
  await add({ key: 'SECRET_OF_MAIN', value: 'two', target: ['preview'], gitBranch: 'next' })
  await tree.write('package.json', '{"scripts":{"build":"x"}}')
  const commit = await tree.commit('Mine')
  builder.next(async () => outputOf({}))
  await show(8)
  await deliver({ action: 'open', number: 8, branch: 'main', commit, fork })
  const { deploymentId } = await ended('deployed')
  const task = await until(async () => builder.tasks.find(({ deployment }) => deployment.id === deploymentId))
  assert.equal(task.env.VERCEL_GIT_PULL_REQUEST_ID, '8')
  assert.deepEqual(
    Object.keys(task.env).filter((name) => name.startsWith('SECRET')),
    [],
  )
  assert.equal(task.deployment.target, null)
  await until(
    async () =>
      (await server.call(`GET /v8/platform/deployments/${deploymentId}`, account)).body.readyState ===
      'READY',
  )
  for (const [path, body] of [
    [`POST /v10/projects/${project}/promote/${deploymentId}`, undefined],
    [`POST /v1/deployments/${deploymentId}/redeploy`, { target: 'production' }],
    [`POST /v2/deployments/${deploymentId}/aliases`, { alias: `${project}.localhost` }],
  ] as const) {
    const refused = await server.call(path, { ...account, ...(body ? { body } : {}) })
    assert.equal(refused.status, 403, `${path} ${JSON.stringify(refused.body)}`)
  }
})

test('a pull request of a branch deploys what was never pushed, once, and is taken up when it is reopened', async (t) => {
  const { account, project, tree, deliver, ended, pushes, sourceAt } = await connected(t, 'GitLab')
  const commit = await tree.must('rev-parse', 'HEAD')
  const given = { action: 'open', number: 3, branch: 'unseen', commit } as const
  await deliver(given)
  assert.equal((await ended('deployed')).fork, false)
  const alias = `${project}-git-unseen-${account.username}.localhost`
  assert.equal((await visit(alias)).body, 'first')

  await tree.write('index.html', 'second')
  const second = await tree.commit('Second')
  await tree.must('push', sourceAt, 'HEAD:unseen')
  await deliver({ ...given, action: 'update', commit: second })
  await until(async () => (await visit(alias)).body === 'second')
  await deliver({ ...given, number: 4, commit: second })
  await ended('done', 'pull_request')

  await deliver({ ...given, action: 'close', commit: second })
  assert.match((await ended('done', 'pull_request_closed')).reason?.message ?? '', /#3 was closed\.$/)
  assert.equal((await visit(alias)).status, 200, 'another pull request is of the same branch')
  await deliver({ ...given, number: 4, action: 'close', commit: second })
  await until(async () => (await visit(alias)).status === 404)
  await deliver({ ...given, action: 'reopen', commit: second })
  await until(async () => (await visit(alias)).body === 'second')
  assert.equal((await pushes()).filter(({ state }) => state === 'deployed').length, 4)
})

test('what is said of pull requests has to be signed, and is followed once', async (t) => {
  const { tree, deliver, pushes, show, fork } = await connected(t, 'GitHub')
  const commit = await tree.must('rev-parse', 'HEAD')
  await show(1)
  const given = { action: 'open', number: 1, branch: 'patch', commit, fork } as const
  assert.equal((await deliver(given, '')).status, 403)
  assert.equal((await deliver(given, 'wrong')).status, 403)
  assert.equal((await deliver({ ...given, branch: '../..' })).status, 202)
  assert.equal((await deliver({ ...given, number: -1 })).status, 400)
  assert.equal((await deliver({ ...given, commit: 'HEAD' })).status, 400)
  await server.runJobs()
  const reasons = (await pushes()).map(({ reason }) => reason?.code)
  assert.ok(reasons.includes('unsigned') && reasons.includes('wrong_signature'), reasons.join())
})

test('what a fork names as its submodules is read without the token of the project, also what is here already', async (t) => {
  const { account, project, tree, deliver, show, ended, approve, fork, sourceAt } = await connected(
    t,
    'GitHub',
  )
  const lib = await workTree(t, { 'secret.txt': 'of the company' })
  const libCommit = await lib.commit('The library')
  await lib.must('push', await elsewhere.repository(`${project}/private`), 'main')
  const url = `${elsewhere.url}/${project}/private.git`
  await tree.write('.gitmodules', `[submodule "lib"]\n\tpath = lib\n\turl = ${url}\n`)
  await tree.must('add', '-A')
  await tree.must('update-index', '--add', '--cacheinfo', `160000,${libCommit},lib`)
  await mkdir(join(tree.folder, 'lib'))
  await tree.must('commit', '-q', '-m', 'With a library')
  await tree.must('push', sourceAt, 'main')
  await server.call(`POST /v1/projects/${project}/git/sync`, account)
  await until(async () => (await server.visit(`${project}.localhost`, '/lib/secret.txt')).status === 200)

  // The stranger may have a list of submodules of their own, or leave it as it is.
  const commit = await tree.commit('Mine')
  await show(3)
  await deliver({ action: 'open', number: 3, branch: 'patch', commit, fork })
  await approve((await ended('held', 'fork')).id)
  const { deploymentId, notes } = await ended('deployed')
  assert.match(
    notes.join('\n'),
    /^lib is a submodule and was skipped: 127\.0\.0\.1 (?:requires authentication|denied access)/m,
  )
  const { body } = await server.call(`GET /v8/platform/deployments/${deploymentId}`, account)
  assert.equal(body.meta.gitCommitSha, commit)
  assert.equal((await server.visit(body.url, '/')).body, 'first')
  assert.equal((await server.visit(body.url, '/lib/secret.txt')).status, 404)
})

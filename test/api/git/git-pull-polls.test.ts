import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { CONTRACT_KINDS, type ContractHost, startContractHost } from '../../support/git/contract-host.ts'
import { workTree } from '../../support/git/git.ts'
import { type GitHost, startGitHost } from '../../support/git/git-host.ts'
import { type Account, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
before(async () => {
  server = await startServer({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' } })
  await server.startJobs()
})
after(() => server?.close())

/** A project of which no webhook ever comes. */
async function connected(
  t: TestContext,
  me: Account,
  project: string,
  repository: { readonly body: object; readonly at: string },
) {
  const tree = await workTree(t, { 'index.html': 'first' })
  const first = await tree.commit('The first')
  await tree.must('push', repository.at, 'main')
  await server.call('POST /v10/projects', { ...me, body: { name: project } })
  const made = await server.call(`PUT /v1/projects/${project}/git`, { ...me, body: repository.body })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const pushes = async () => (await server.call(`GET /v1/projects/${project}/pushes`, me)).body.pushes
  const ended = (state: string, code?: string) =>
    until(async () => {
      const [newest] = await pushes()
      return newest?.state === state && newest.reason?.code === code && newest
    })
  const looked = async () => {
    const { id } = (await server.call(`GET /v9/projects/${project}`, me)).body
    await until(async () => (await server.parts.stores.sources.find(id))?.pulls)
  }
  await ended('deployed')
  await looked()
  const poll = async () => {
    server.clock.advance(5 * 60_000)
    await server.call(`POST /v1/projects/${project}/git/sync`, me)
  }
  const approve = (id: string) => server.call(`POST /v1/projects/${project}/pushes/${id}/approve`, me)
  return { tree, first, pushes, ended, poll, approve }
}

for (const kind of CONTRACT_KINDS)
  test(`a pull request of which no webhook came is found, followed and cleaned up at ${kind}`, async (t) => {
    const host: ContractHost = await startContractHost(kind)
    host.reaches = server.url
    t.after(() => host.close())
    const me = await server.signUp()
    const [name, fork] = [`${me.username}/site`, `eve-${me.username}/site`]
    const [at, forkAt] = [await host.add(name), await host.add(fork)]
    const { body: connection } = await server.call('POST /v1/git/connections', {
      ...me,
      body: { kind, url: host.url, token: host.token },
    })
    // More than one look follows.
    const pulls = Array.from({ length: 60 }, (_, n) => {
      return { number: 100 + n, branch: `older-${n}`, commit: 'a'.repeat(40), state: 'open' as const }
    })
    // One whose branch was deleted keeps no other from being found.
    pulls.push({ number: 99, branch: 'gone', commit: '', state: 'open' as const })
    host.pulls.set(name, pulls)
    const project = `polled-${kind}`
    const body = { connectionId: connection.id, repository: name }
    const { tree, pushes, ended, poll, approve } = await connected(t, me, project, { body, at })
    assert.equal((await pushes()).length, 1, 'what was open before it was connected is not built')

    const ref = { github: 'pull', gitea: 'pull', gitlab: 'merge-requests', bitbucket: undefined }[kind]
    const show = async (text: string) => {
      await tree.write('index.html', text)
      const commit = await tree.commit(text)
      await tree.must('push', '--force', forkAt, 'HEAD:refs/heads/patch')
      if (ref !== undefined) await tree.must('push', '--force', at, `HEAD:refs/${ref}/7/head`)
      host.pulls.set(name, [...pulls, { number: 7, branch: 'patch', commit, state: 'open', fork }])
      return commit
    }
    await show('from a fork')
    await poll()
    const held = await ended('held', 'fork')
    assert.deepEqual(
      [held.branch, held.source, held.pullRequest.number],
      [`eve-${me.username}:patch`, 'poll', 7],
    )
    await approve(held.id)
    await ended('deployed')
    const alias = `${project}-git-eve-${me.username}-patch-${me.username}.localhost`
    assert.equal((await server.visit(alias, '/')).body, 'from a fork')

    const more = await show('more of it')
    await poll()
    const again = await ended('held', 'fork')
    assert.ok(again.after === more || again.after === '', 'the new commit')
    const count = (await pushes()).length
    await poll()
    await until(
      async () => host.calls.filter(({ path }) => /pulls|merge_requests|pullrequests/.test(path)).length > 3,
    )
    assert.equal((await pushes()).length, count, 'nothing happens twice')

    host.pulls.set(name, pulls)
    await poll()
    await ended('done', 'pull_request_closed')
    assert.equal((await server.visit(alias, '/')).status, 404)
  })

test('without anything that signs in at an API, refs of pull requests are looked at', async (t) => {
  const host: GitHost = await startGitHost(() => true)
  t.after(() => host.close())
  const me = await server.signUp()
  const at = await host.repository('me/site')
  const body = { url: `${host.url}/me/site.git`, token: 'x' }
  const older = await workTree(t, { 'index.html': 'older' })
  await older.commit('Older')
  await older.must('push', at, 'HEAD:refs/pull/1/head')
  const { tree, first, pushes, ended, poll, approve } = await connected(t, me, 'by-refs', { body, at })
  assert.equal((await pushes()).length, 1)
  await tree.must('push', at, `${first}:refs/pull/2/head`)
  await tree.write('index.html', 'from somewhere')
  const commit = await tree.commit('Mine')
  await tree.must('push', at, 'HEAD:refs/pull/3/head')
  await poll()
  const held = await ended('held', 'fork')
  assert.deepEqual([held.pullRequest.number, held.after, held.fork], [3, commit, true])
  assert.equal((await pushes()).length, 2, 'one that is at a branch of the repository has its preview')
  await approve(held.id)
  await ended('deployed')
  await tree.write('index.html', 'more')
  const more = await tree.commit('More')
  await tree.must('push', '--force', at, 'HEAD:refs/pull/3/head')
  await poll()
  assert.equal((await ended('held', 'fork')).after, more)
  await tree.must('push', at, ':refs/pull/3/head')
  await poll()
  await ended('done', 'pull_request_closed')
})

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { BuildFailure } from '#core/ports/builder.ts'
import { type ContractHost, type ContractKind, startContractHost } from '../../support/git/contract-host.ts'
import { workTree } from '../../support/git/git.ts'
import { ScriptedBuilder } from '../../support/scripted-builder.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

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

async function connected(t: TestContext, kind: ContractKind) {
  const host: ContractHost = await startContractHost(kind)
  host.reaches = server.url
  t.after(() => host.close())
  const me = await server.signUp()
  const at = await host.add('acme/site')
  const tree = await workTree(t, { 'index.html': 'first' })
  const first = await tree.commit('The first')
  await tree.must('push', at, 'main')
  const { body: connection } = await server.call('POST /v1/git/connections', {
    ...me,
    body: { kind, url: host.url, token: host.token },
  })
  const project = `told-${kind}`
  await server.call('POST /v10/projects', { ...me, body: { name: project } })
  await server.call(`PUT /v1/projects/${project}/git`, {
    ...me,
    body: { connectionId: connection.id, repository: 'acme/site' },
  })
  const statuses = (commit: string) =>
    host.calls.filter(
      ({ path }) => path.includes(`/statuses/${commit}`) || path.includes(`/${commit}/statuses`),
    )
  const push = async (ref: string) => {
    await tree.must('push', at, ref)
    await server.call(`POST /v1/projects/${project}/git/sync`, me)
  }
  return { host, me, tree, first, project, statuses, push }
}

/** Until every job of the host that could tell it something more has run. */
const settled = (me: { readonly token: string }, project: string) =>
  until(async () => {
    const jobs = await server.parts.stores.jobs.latest(500)
    const isBusy = jobs.some(({ key }) => /^(?:git-report|after-push|push|git-sync):/.test(key ?? ''))
    const [newest] = (await server.call(`GET /v1/projects/${project}/pushes`, me)).body.pushes
    return newest?.state !== 'queued' && !isBusy
  })

test('GitHub is told of deployments with their environment and address, and of each status once', async (t) => {
  const { host, me, tree, first, project, statuses, push } = await connected(t, 'github')
  const [production] = await until(() => host.deployments[0]?.states.length === 1 && host.deployments)
  assert.deepEqual(production?.body, {
    ...{ ref: first, environment: `Production – ${project}`, auto_merge: false, required_contexts: [] },
    ...{ transient_environment: false, production_environment: true },
  })
  assert.equal(production?.states[0]?.state, 'success')
  assert.match(String(production?.states[0]?.environment_url), new RegExp(`^http://${project}`))
  assert.match(String(production?.states[0]?.log_url), /\/deployments\/dpl_/)
  await settled(me, project)
  assert.equal(statuses(first).length, 1, 'what is ready at once is told once')

  await tree.must('checkout', '-q', '-b', 'next')
  await tree.write('package.json', '{"scripts":{"build":"x"}}')
  const commit = await tree.commit('Second')
  builder.next(() => Promise.reject(new BuildFailure('build_failed', 'The command ended with 1.')))
  await push('next')
  const failed = await until(() => host.deployments.find(({ body }) => body.ref === commit))
  await until(() => failed.states.at(-1)?.state === 'failure')
  assert.equal(failed.body.environment, `Preview – ${project}`)
  await settled(me, project)
  const said = statuses(commit).map(({ body }) => body.state)
  assert.deepEqual(said, [...new Set(said)], 'no state is told twice')
  await push(':next')
  await until(() => failed.states.at(-1)?.state === 'inactive')
  assert.equal(host.deployments.length, 2)
})

test('GitLab has an environment for production and one for each branch, which stops with it', async (t) => {
  const { host, tree, first, project, push } = await connected(t, 'gitlab')
  const production = await until(() => host.deployments[0])
  assert.deepEqual(production.body, {
    ...{ environment: `${project}/production`, sha: first, ref: 'main', tag: false, status: 'success' },
  })
  await until(() => production.states.some(({ external_url }) => String(external_url).includes(project)))
  await tree.must('checkout', '-q', '-b', 'feat/next one'.replace(' ', '.'))
  await tree.write('index.html', 'second')
  const commit = await tree.commit('Second')
  await push('feat/next.one')
  const preview = await until(() => host.deployments.find(({ body }) => body.sha === commit))
  assert.equal(preview.body.environment, `${project}/preview/feat-next-one`)
  await push(':feat/next.one')
  await until(() => preview.states.some(({ stopped }) => stopped))
})

test('a host that has no deployments, or whose token may not tell of them, has the status of the commit', async (t) => {
  const { host, me, first, project, statuses } = await connected(t, 'gitea')
  await until(() => statuses(first).length === 1)
  await settled(me, project)
  const [newest] = (await server.call(`GET /v1/projects/${project}/pushes`, me)).body.pushes
  assert.deepEqual([newest.state, newest.notes], ['deployed', []])
  assert.deepEqual(
    host.calls.filter(({ path }) => path.includes('deployments')),
    [],
  )
})

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, type TestContext, test } from 'node:test'
import { BuildFailure } from '#core/ports/builder.ts'
import { workTree } from '../../support/git/git.ts'
import { type GitHost, startGitHost } from '../../support/git/git-host.ts'
import { HOST_PULLS } from '../../support/git/host-pulls.ts'
import { ScriptedBuilder } from '../../support/scripted-builder.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly body: Readonly<Record<string, unknown>>
}

/** As the published descriptions of the hosts' APIs have it: where each thing is, and who may. */
const CONTRACTS = {
  GitHub: {
    kind: 'github',
    api: '/api/v3/',
    authorization: 'Bearer of-the-host',
    status: /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/statuses\/([0-9a-f]{40})$/,
    states: ['pending', 'success', 'failure'],
    comments: /^\/api\/v3\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/comments$/,
    one: /^\/api\/v3\/repos\/[^/]+\/[^/]+\/issues\/comments\/(\d+)$/,
    method: 'PATCH',
  },
  Gitea: {
    kind: 'gitea',
    api: '/api/v1/',
    authorization: 'token of-the-host',
    status: /^\/api\/v1\/repos\/([^/]+\/[^/]+)\/statuses\/([0-9a-f]{40})$/,
    states: ['pending', 'success', 'failure'],
    comments: /^\/api\/v1\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/comments$/,
    one: /^\/api\/v1\/repos\/[^/]+\/[^/]+\/issues\/comments\/(\d+)$/,
    method: 'PATCH',
  },
  GitLab: {
    kind: 'gitlab',
    api: '/api/v4/',
    authorization: 'of-the-host',
    status: /^\/api\/v4\/projects\/([^/]+)\/statuses\/([0-9a-f]{40})$/,
    states: ['running', 'success', 'failed'],
    comments: /^\/api\/v4\/projects\/[^/]+\/merge_requests\/(\d+)\/notes$/,
    one: /^\/api\/v4\/projects\/[^/]+\/merge_requests\/\d+\/notes\/(\d+)$/,
    method: 'PUT',
  },
  Bitbucket: {
    kind: 'bitbucket',
    api: '/2.0/',
    authorization: 'Bearer of-the-host',
    status: /^\/2\.0\/repositories\/([^/]+\/[^/]+)\/commit\/([0-9a-f]{40})\/statuses\/build$/,
    states: ['INPROGRESS', 'SUCCESSFUL', 'FAILED'],
    comments: /^\/2\.0\/repositories\/[^/]+\/[^/]+\/pullrequests\/(\d+)\/comments$/,
    one: /^\/2\.0\/repositories\/[^/]+\/[^/]+\/pullrequests\/\d+\/comments\/(\d+)$/,
    method: 'PUT',
  },
} as const
type Host = keyof typeof CONTRACTS

let server: TestServer
let elsewhere: GitHost
let host: Host = 'GitHub'
let calls: Call[] = []
let comments: { readonly id: number; body: string }[] = []
/** What the next calls are answered with, in the place of doing them. */
let refusals: number[] = []
const builder = new ScriptedBuilder()

const textOf = (body: Call['body']): string =>
  String(host === 'Bitbucket' ? (body.content as { raw?: string } | undefined)?.raw : body.body)

async function api(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
  if (!/^\/(?:api|2\.0)\//.test(path)) return false
  const contract = CONTRACTS[host]
  const given = await text(request)
  const { method = '', headers } = request
  const authorization = headers.authorization ?? String(headers['private-token'] ?? '')
  const body = given === '' ? {} : JSON.parse(given)
  const answer = (status: number, reply: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
    return true
  }
  // Of the test before, whose host may be told the last of it only now.
  if (!path.startsWith(contract.api)) return answer(404, {})
  calls.push({ method, path, authorization, body })
  const refusal = refusals.shift()
  if (refusal !== undefined) return answer(refusal, { message: 'refused' })
  if (authorization !== contract.authorization) return answer(401, {})
  if (method === 'POST' && contract.status.test(path)) return answer(201, {})
  if (contract.comments.test(path)) {
    if (method === 'POST') {
      comments.push({ id: comments.length + 1, body: textOf(body) })
      return answer(201, {})
    }
    const shown = comments.map(({ id, body: raw }) =>
      host === 'Bitbucket' ? { id, content: { raw } } : { id, body: raw },
    )
    return answer(200, host === 'Bitbucket' ? { values: shown } : shown)
  }
  const [, id] = contract.one.exec(path) ?? []
  const found = comments.find((comment) => String(comment.id) === id)
  if (!found || method !== contract.method) return answer(404, {})
  found.body = textOf(body)
  return answer(200, {})
}

before(async () => {
  server = await startServer({
    workers: { builder, buildsAtOnce: 2 },
    env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' },
  })
  elsewhere = await startGitHost('of-the-host', api)
  await server.startJobs()
})
after(async () => {
  await server?.close()
  await elsewhere?.close()
})

async function connected(t: TestContext, name: Host, projects: readonly string[]) {
  host = name
  calls = []
  comments = []
  refusals = []
  const account = await server.signUp()
  const source = `${account.username}/site`
  const at = await elsewhere.repository(source)
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  await tree.must('push', at, 'main')
  const hooks = []
  for (const project of projects) {
    await server.call('POST /v10/projects', { ...account, body: { name: project } })
    const made = await server.call(`PUT /v1/projects/${project}/git`, {
      ...account,
      body: { url: `${elsewhere.url}/${source}.git`, token: 'of-the-host', host: CONTRACTS[name].kind },
    })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    hooks.push({ path: new URL(made.body.webhookUrl).pathname, secret: made.body.webhookSecret as string })
  }
  const statuses = () =>
    calls.flatMap(({ path, body }) => {
      const [, , commit] = CONTRACTS[name].status.exec(path) ?? []
      return commit === undefined ? [] : [{ commit, state: body.state }]
    })
  return { account, tree, at, hooks, statuses }
}

for (const name of Object.keys(CONTRACTS) as Host[])
  test(`${name} is told the state of a commit, and has one comment for all projects, edited in place`, async (t) => {
    const projects = ['shop', 'docs'].map((one) => `${one}-${name.toLowerCase()}`)
    const { tree, at, hooks, statuses } = await connected(t, name, projects)
    const [, success] = CONTRACTS[name].states
    await until(() => statuses().filter(({ state }) => state === success).length >= 2)
    assert.equal(comments.length, 0, 'of a push to main nobody is told in a comment')

    await tree.must('checkout', '-q', '-b', 'next')
    await tree.write('index.html', 'second')
    const commit = await tree.commit('Second')
    await tree.must('push', at, 'next')
    const given = { action: 'open', number: 5, branch: 'next', commit } as const
    const words = HOST_PULLS[name]
    const body = JSON.stringify(words?.payload(given))
    for (const { path, secret } of hooks)
      assert.equal(
        (
          await server.call(`POST ${path}`, {
            body,
            headers: {
              'content-type': 'application/json',
              ...words?.headers(body, secret, `one-${name}`, given),
            },
          })
        ).status,
        202,
      )
    const [only] = await until(() => comments.length > 0 && comments)
    await until(() => projects.every((one) => only?.body.includes(`| ${one} | Ready |`)))
    assert.equal(comments.length, 1)
    assert.match(only?.body ?? '', new RegExp(`-git-next-.*\`${commit.slice(0, 7)}\``))
    assert.ok(statuses().some((status) => status.commit === commit))
    assert.ok(calls.every(({ authorization }) => authorization === CONTRACTS[name].authorization))
  })

test('a build that fails is told, a host that fails is asked again, and one that refuses stops nothing', async (t) => {
  const { account, tree, at, statuses } = await connected(t, 'GitHub', ['broken'])
  await until(() => statuses().length > 0)
  builder.next(() => Promise.reject(new BuildFailure('build_failed', 'The command ended with 1.')))
  refusals = [502]
  await tree.write('package.json', '{"scripts":{"build":"x"}}')
  const commit = await tree.commit('Second')
  await tree.must('push', at, 'main')
  await server.call('POST /v1/projects/broken/git/sync', account)
  await until(async () => {
    server.clock.advance(1000)
    await server.runJobs()
    return statuses().some((status) => status.state === 'failure' && status.commit === commit)
  })
  refusals = [403, 403, 403, 403]
  const newest = async () =>
    (await server.call('GET /v1/projects/broken/pushes', account)).body.pushes[0] as {
      state: string
      notes: string[]
    }
  await tree.write('package.json', '{}')
  await tree.commit('Third')
  await tree.must('push', at, 'main')
  await server.call('POST /v1/projects/broken/git/sync', account)
  const push = await until(async () => {
    const shown = await newest()
    return shown.state === 'deployed' && shown.notes.length > 0 && shown
  })
  assert.match(push.notes[0] ?? '', /status 403.*token may lack permission/)
})

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ContractHost, startContractHost } from '../../support/git/contract-host.ts'
import { runGit, workTree } from '../../support/git/git.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let host: ContractHost

before(async () => {
  server = await startServer({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1', ALOFT_GIT_MAX_PUSH: '2M' } })
  host = await startContractHost('gitea')
  await server.startJobs()
})
after(async () => {
  await server?.close()
  await host?.close()
})

const git = () => join(server.dataDir, 'git')
const next = (name: string) => JSON.stringify({ name, dependencies: { next: '15.0.0' } })

test('a repository is looked into before there is a project: branches, folders, frameworks, variables', async (t) => {
  const me = await server.signUp()
  const at = await host.add('acme/mono')
  const tree = await workTree(t, {
    'package.json': JSON.stringify({ workspaces: ['apps/*', 'packages/*'] }),
    'apps/web/package.json': next('web'),
    'apps/web/.env.example': '# Keys\nAPI_KEY=\nexport GREETING="hello"\nnot a variable\n',
    'packages/ui/package.json': '{"name":"ui"}',
    'packages/broken/package.json': '{',
    'node_modules/x/package.json': next('x'),
    'docs/index.html': 'docs',
    'docs/deep/index.html': 'deep',
  })
  const commit = await tree.commit('The first')
  await tree.must('push', at, 'main', 'main:next')
  const { body: connection } = await server.call('POST /v1/git/connections', {
    ...me,
    body: { kind: 'gitea', url: host.url, token: host.token },
  })
  const inspect = (body: object) => server.call('POST /v1/git/inspect', { ...me, body })
  const found = await inspect({ connectionId: connection.id, repository: 'acme/mono' })
  assert.equal(found.status, 200, JSON.stringify(found.body))
  assert.deepEqual(found.body, {
    branch: 'main',
    branches: ['main', 'next'],
    commit,
    rootDirectory: 'apps/web',
    folders: [
      { path: '', framework: null, variables: [] },
      {
        path: 'apps/web',
        framework: { slug: 'nextjs', name: 'Next.js' },
        variables: ['API_KEY', 'GREETING'],
      },
      { path: 'docs', framework: null, variables: [] },
      { path: 'packages/broken', framework: null, variables: [] },
      { path: 'packages/ui', framework: null, variables: [] },
    ],
  })
  const url = `${host.url}/acme/mono.git`
  assert.equal((await inspect({ url, token: host.token, branch: 'next' })).body.branch, 'next')
  assert.equal((await inspect({ url: url.replace('://', `://me:${host.token}@`) })).body.commit, commit)

  const refused = async (body: object, words: RegExp) => {
    const answer = await inspect(body)
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.match(answer.body.error.message, words)
  }
  await refused({ url }, /could not be read.*Connect it again with a token/)
  await refused({ url, token: host.token, branch: 'x:refs/heads/y' }, /has no branch/)
  await refused({ url, token: host.token, branch: '--upload-pack=x' }, /has no branch/)
  await refused({ url: 'git@127.0.0.1:me/site.git' }, /over SSH.*Create the project first/)
  await refused({ url: 'file:///etc' }, /should be the URL of a repository/)
  await refused({ url: 'http://10.0.0.1/x/y.git' }, /private address/)
  await refused({ url, connectionId: connection.id }, /either `url`, or/)
  await host.add('acme/empty')
  await refused({ connectionId: connection.id, repository: 'acme/empty' }, /no commits yet/)
  assert.deepEqual(
    (await readdir(git())).filter((name) => name.startsWith('.')),
    [],
    'nothing is left of it',
  )
})

test('of a long history only the newest commits are fetched, each change with what it changed alone', async (t) => {
  const me = await server.signUp()
  const at = await host.add('acme/long')
  const tree = await workTree(t, { 'index.html': 'now', 'other.html': 'other' })
  // Each of the earlier commits has a file of its own; together they are far more than is fetched at most.
  const noise = Buffer.alloc(60_000)
  for (let i = 0; i < 40; i++) {
    crypto.getRandomValues(noise)
    await tree.write('large.txt', noise.toString('base64'))
    await tree.commit(`Commit ${i}`)
  }
  await tree.must('rm', '-q', 'large.txt')
  await tree.commit('The newest')
  await tree.must('push', at, 'main', 'main:stable', 'main~5:refs/tags/v1')
  await server.call('POST /v10/projects', { ...me, body: { name: 'long' } })
  const url = `${host.url}/acme/long.git`
  await server.call('PUT /v1/projects/long/git', { ...me, body: { url, token: host.token } })
  const newest = async () => (await server.call('GET /v1/projects/long/pushes', me)).body.pushes[0]
  const deployed = async (commit: string) => {
    for (;;) {
      const push = await newest()
      if (push?.state === 'failed') assert.fail(JSON.stringify(push.reason))
      if (push?.after === commit && push.state === 'deployed') return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await deployed(await tree.must('rev-parse', 'main'))
  const { body: project } = await server.call('GET /v9/projects/long', me)
  const mirror = join(git(), `${project.id}.git`)
  const count = async (...args: string[]) =>
    Number((await runGit(mirror, 'rev-list', '--all', '--count', ...args)).stdout)
  assert.equal(await count(), 1)

  await tree.write('index.html', 'later')
  const [, second] = [await tree.commit('One more'), await tree.commit('And one')]
  await tree.must('push', at, 'main')
  await server.call('POST /v1/projects/long/git/sync', me)
  await deployed(second)
  const objects = async () => (await runGit(mirror, 'count-objects', '-v')).stdout
  // The commit in between is none of ours; of the second only itself, its tree and its file came, beside the four of the first.
  assert.match(await objects(), /^in-pack: 7$/m)
  assert.equal((await runGit(mirror, 'cat-file', '-t', 'refs/heads/stable')).stdout.trim(), 'commit')

  // A commit that no branch ends with any more, of a history that was written anew.
  const first = await tree.must('rev-parse', 'main~2')
  const { body } = await server.call('GET /v1/projects/long/pushes', me)
  const old = body.pushes.find(({ after: oid }: { after: string }) => oid === first)
  assert.equal((await server.call(`POST /v1/projects/long/pushes/${old.id}/run-again`, me)).status, 202)
  await deployed(first)
})

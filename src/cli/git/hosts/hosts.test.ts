import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createGitApp } from '#contract/api/git-app.ts'
import {
  createGitConnection,
  deleteGitConnection,
  listGitConnections,
  listRepositories,
} from '#contract/api/git-connection.ts'
import { startMachine, TOKEN } from '../../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const connection = {
  id: 'gcn_1',
  kind: 'github' as const,
  url: 'https://github.com',
  login: 'octocat',
  appId: null as string | null,
  createdBy: 'u1',
  createdAt: Date.now() - 86_400_000,
  problem: null as string | null,
}
let connections = [connection]
const removed: string[] = []
const asked: unknown[] = []
const machine = await startMachine(
  answers(listGitConnections, () => ({ connections })),
  answers(createGitConnection, ({ body }) => {
    asked.push(body)
    return connection
  }),
  answers(createGitApp, ({ body }) => {
    asked.push(body)
    return { id: 'gap_1', startUrl: 'http://aloft.test/v1/git/apps/start/gap_1.s3cr3t' }
  }),
  answers(deleteGitConnection, ({ params }) => {
    removed.push(String(params.id))
    return undefined
  }),
  answers(listRepositories, ({ query }) => {
    asked.push(query)
    return {
      repositories: [
        {
          ...{ id: '1', name: 'me/site', webUrl: 'https://github.com/me/site', defaultBranch: 'main' },
          ...{ private: true, updatedAt: connection.createdAt },
        },
      ],
      next: 3,
    }
  }),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (line: string, input?: string) => machine.run(line.split(' '), env, input)

test('a host is connected with a token from stdin, listed with what is wrong with it, and removed', async () => {
  const { stdout, stderr } = await aloft('git hosts add github --debug', 's3cr3t\n')
  assert.equal(stdout, 'gcn_1\n')
  assert.match(stderr, /Connected github\.com as octocat/)
  assert.doesNotMatch(`${stdout}${stderr}`, /s3cr3t/)
  assert.deepEqual(asked.splice(0), [{ kind: 'github', token: 's3cr3t' }])
  assert.match((await aloft('git hosts ls')).stdout, /^gcn_1 +github\.com +github +octocat +ok +1d ago$/m)
  connections = [{ ...connection, problem: 'Revoked.' }]
  assert.match((await aloft('git hosts ls')).stdout, /octocat +Revoked\./)
  assert.match(
    (await aloft('git hosts rm github.com --yes')).stdout,
    /Removed the Git host github\.com \(octocat\)/,
  )
  assert.deepEqual(removed, ['gcn_1'])
  assert.equal((await aloft('git hosts rm gitlab.com --yes')).code, 4)
})

test('an app of GitHub is begun by a URL to open, and needs no token', async () => {
  asked.length = 0
  const { stdout, stderr } = await aloft(
    'git hosts add github --app --organization acme --url https://github.example.com',
  )
  assert.equal(stdout, 'http://aloft.test/v1/git/apps/start/gap_1.s3cr3t\n')
  assert.match(stderr, /Open this URL within an hour/)
  assert.deepEqual(asked, [{ url: 'https://github.example.com', organization: 'acme' }])
  assert.match((await aloft('git hosts add gitlab --app')).stderr, /Use --app with github only/)
  assert.match((await aloft('git hosts add github --organization acme')).stderr, /--organization with --app/)
})

test('repositories are listed through the only host, or through the one that is named', async () => {
  asked.length = 0
  const { stdout, stderr } = await aloft('git repos site --page 2')
  assert.match(stdout, /^me\/site +private +main +1d ago$/m)
  assert.match(stderr, /add --page 3/)
  assert.deepEqual(asked, [{ search: 'site', page: '2' }])
  connections = [connection, { ...connection, id: 'gcn_2', url: 'https://gitlab.com' }]
  assert.match((await aloft('git repos')).stderr, /Several connected Git hosts/)
  assert.equal((await aloft('git repos --via gitlab.com')).code, 0)
  connections = []
  assert.match((await aloft('git repos')).stderr, /aloft git hosts add github/)
})

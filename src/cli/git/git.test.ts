import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  approvePush,
  connectSource,
  createDeployHook,
  deleteDeployHook,
  disconnectSource,
  getSource,
  listDeployHooks,
  listPushes,
  runPushAgain,
} from '#contract/api/git.ts'
import { listGitConnections } from '#contract/api/git-connection.ts'
import { updateProject } from '#contract/api/project.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject } from '../project/project-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const at = Date.now() - 86_400_000
const source = {
  url: 'ssh://git@git.example/me/site.git',
  pushUrl: 'http://aloft.test/git/me/shop.git',
  productionBranch: null,
  publicKey: 'ssh-ed25519 AAAA aloft-shop',
  webhookUrl: 'http://aloft.test/v1/git/called/prj_1/secret',
  connectionId: null,
  repository: null,
  webhook: null as { state: string; heardAt: number | null; problem: string | null } | null,
  checkedAt: null,
  problem: null,
}
const webhook = { state: 'working', heardAt: at, problem: null }
const push = {
  id: 'push_1',
  projectId: 'prj_1',
  source: 'git',
  ref: 'refs/heads/main',
  branch: 'main',
  before: null,
  after: 'abcdef0123456789',
  author: null,
  message: null,
  fork: false,
  pullRequest: null,
  state: 'skipped',
  reason: { code: 'untouched', message: 'Nothing changed.' },
  notes: [],
  deploymentId: null,
  createdAt: at,
  stateAt: at,
}
const hook = { id: 'h1', name: 'cms', ref: 'main', createdAt: at, url: 'http://aloft.test/v1/x' }
const connection = {
  ...{
    id: 'gcn_1',
    kind: 'github' as const,
    url: 'https://github.com',
    login: 'octocat',
    appId: null as string | null,
    createdBy: 'u1',
  },
  ...{ createdAt: at, problem: null },
}
const revoked: string[] = []
const asked: unknown[] = []

const machine = await startMachine(
  answers(getSource, () => source),
  answers(listGitConnections, () => ({ connections: [connection] })),
  answers(updateProject, ({ body }) => {
    asked.push(body)
    return sampleProject
  }),
  answers(connectSource, ({ body }) => {
    asked.push(body)
    if (body.connectionId !== undefined)
      return {
        ...source,
        publicKey: null,
        repository: body.repository ?? null,
        webhook: { ...webhook, state: 'waiting' },
      }
    return { ...source, url: body.url ?? null, webhookSecret: 'signs-calls' }
  }),
  answers(disconnectSource, () => undefined),
  answers(listPushes, () => ({ pushes: [push], pagination: { count: 1, next: null, prev: null } })),
  answers(approvePush, ({ params }) => ({ ...push, id: `${params.id}0`, fork: true, state: 'queued' })),
  answers(runPushAgain, () => ({ ...push, id: 'push_2', state: 'queued' })),
  answers(listDeployHooks, () => ({ deployHooks: [hook] })),
  answers(createDeployHook, () => ({})),
  answers(deleteDeployHook, ({ params }) => {
    revoked.push(String(params.id))
    return {}
  }),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...line: readonly string[]) => machine.run([...line, '--project', 'shop'], env)

test('connecting prints the key to add, the address for the host to call, and what it signs with', async () => {
  const { stdout } = await aloft('git', 'connect', 'git@git.example:me/site.git')
  assert.match(stdout, /ssh-ed25519 AAAA aloft-shop/)
  assert.match(stdout, /\/v1\/git\/called\/prj_1\/secret/)
  assert.match(stdout, /shown only once:\nsigns-calls/)
})

test('a repository of a connected host is named by its name, and its webhook is tried', async () => {
  asked.length = 0
  source.webhook = webhook
  const { stdout, stderr } = await aloft('git', 'connect', 'me/site')
  assert.deepEqual(asked, [{ connectionId: 'gcn_1', repository: 'me/site' }])
  assert.match(stdout, /Connected me\/site at github\.com/)
  assert.match(stdout, /webhook works/)
  source.webhook = { state: 'failed', heardAt: null, problem: 'It may not.' }
  assert.match((await aloft('git', 'connect', 'me/site')).stdout, /It may not\.[\s\S]*\/v1\/git\/called\//)
  source.webhook = null
  assert.match((await aloft('git', 'connect', 'me/site', '--via', 'gitlab.com')).stderr, /gitlab\.com/)
  assert.equal(stderr.includes('signs-calls'), false)
})

test('the production branch is set before the repository is read', async () => {
  asked.length = 0
  const url = 'https://git.example/me/site.git'
  await aloft('git', 'connect', url, '--production-branch', 'trunk')
  assert.deepEqual(asked, [{ productionBranch: 'trunk' }, { url }])
})

test('deliveries say why there is no deployment', async () => {
  const { stdout } = await aloft('git', 'deliveries')
  assert.match(stdout, /^push_1 +main +abcdef0 +git +skipped +Nothing changed\. +1d ago$/m)
})

test('a push is run again, and a repository is disconnected', async () => {
  assert.match((await aloft('git', 'run-again', 'push_1')).stdout, /push_2 is queued/)
  assert.match((await aloft('git', 'approve', 'push_1')).stdout, /push_10 is queued/)
  assert.match((await aloft('git', 'disconnect', '--yes')).stdout, /Disconnected ssh:/)
})

test('hooks are listed, made and revoked', async () => {
  assert.match((await aloft('hooks', 'ls')).stdout, /^h1 +cms +main +http:\/\/aloft\.test\/v1\/x/m)
  assert.match((await aloft('hooks', 'add', 'cms', 'main')).stdout, /http:\/\/aloft\.test\/v1\/x/)
  await aloft('hooks', 'rm', 'h1', '--yes')
  assert.deepEqual(revoked, ['h1'])
})

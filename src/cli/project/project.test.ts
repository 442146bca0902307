import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  updateProject,
} from '#contract/api/project.ts'
import { listProjectDomains } from '#contract/api/project-domain.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject } from './project-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const at = Date.now() - 86_400_000
const BYPASS = 'b'.repeat(32)
const project = {
  ...sampleProject,
  createdAt: at,
  updatedAt: at,
  protectionBypass: { [BYPASS]: { createdAt: at, createdBy: 'u1', scope: 'automation-bypass' as const } },
}

const machine = await startMachine(
  answers(listProjects, ({ query }) => ({
    projects: query.search === 'none' ? [] : [project],
    pagination: { count: 1, next: 1700000000000, prev: null },
  })),
  answers(getProject, ({ params }) => {
    if (params.idOrName !== 'shop' && params.idOrName !== 'prj_1')
      throw new AloftError('not_found', 'There is no such project.')
    return project
  }),
  answers(createProject, ({ body }) => {
    if (body.name === 'taken') throw new AloftError('conflict', 'There is a project `taken` already.')
    return { ...project, name: body.name }
  }),
  answers(updateProject, ({ body }) => ({ ...project, name: body.name ?? '' })),
  answers(deleteProject, () => undefined),
  answers(listProjectDomains, () => ({
    domains: ['www.example.com', 'example.com'].map((name) => ({
      name,
      apexName: 'example.com',
      projectId: 'prj_1',
      redirect: name === 'example.com' ? null : 'example.com',
      redirectStatusCode: null,
      gitBranch: null,
      customEnvironmentId: null,
      verified: true,
      createdAt: at,
      updatedAt: at,
    })),
    pagination: { count: 2, next: null, prev: null },
  })),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...line: readonly string[]) => machine.run(['projects', ...line], env)

test('ls shows projects and how to go on, and an empty list how to begin', async () => {
  const { stdout, stderr } = await aloft('ls')
  assert.match(stdout, /^NAME +PRODUCTION +FRAMEWORK +UPDATED +ID\nshop +- +nextjs +1d ago +prj_1\n$/)
  assert.match(stderr, /aloft projects ls --until 1700000000000/)
  const some = await aloft('ls', '--search', 'my shop')
  assert.match(some.stderr, /aloft projects ls --search "my shop" --until 1700000000000/)
  assert.match((await aloft('ls', '--search', 'none')).stderr, /aloft projects add <name>/)
})

test('secrets that pass the protection are not shown', async () => {
  for (const line of [['ls'], ['inspect', 'shop'], ['add', 'shop']]) {
    const { code, stdout } = await aloft(...line, '--json')
    assert.equal(code, 0)
    assert.ok(!stdout.includes(BYPASS), line.join(' '))
  }
})

test('add sends what was said and prints the id', async () => {
  const { stdout } = await aloft('add', 'shop', '--framework', 'nextjs', '--root-directory', 'apps/shop')
  assert.equal(stdout, 'prj_1\n')
  assert.deepEqual(machine.api.requests.at(-1)?.body, { nodeVersion: '24.x' })
  assert.deepEqual(machine.api.requests.at(-2)?.body, {
    name: 'shop',
    framework: 'nextjs',
    rootDirectory: 'apps/shop',
  })
  assert.match((await aloft('add', 'taken')).stderr, /hint: Choose another name/)
})

test('inspect tells the settings, and an unknown project where to look', async () => {
  const { stdout } = await aloft('inspect', 'shop')
  assert.match(stdout, /^framework +nextjs$/m)
  assert.match(stdout, /^status +not deployed to production$/m)
  const unknown = await aloft('inspect', 'nope')
  assert.equal(unknown.code, 4)
  assert.match(unknown.stderr, /aloft projects ls/)
  assert.equal((await aloft('inspect')).code, 2)
})

test('domains tells what each shows', async () => {
  const { stdout } = await aloft('domains', 'shop')
  assert.match(stdout, /^www\.example\.com +yes +redirect to example\.com/m)
  assert.match(stdout, /^example\.com +yes +production/m)
})

test('rename, and rm that asks first', async () => {
  assert.equal((await aloft('rename', 'shop', 'store')).stdout, 'Renamed the project to store.\n')
  assert.equal((await aloft('rm', 'shop')).code, 2)
  assert.ok(machine.api.requests.every(({ method }) => method !== 'DELETE'))
  assert.equal((await aloft('rm', 'shop', '--yes')).stdout, 'Deleted the project shop.\n')
  assert.equal(machine.api.requests.at(-1)?.params.idOrName, 'prj_1')
})

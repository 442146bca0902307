import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  createEnvironment,
  deleteEnvironment,
  listEnvironments,
  updateEnvironment,
} from '#contract/api/custom-environment.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { createVariables, listVariables, updateVariable } from '#contract/api/env-variable.ts'
import { addProjectDomain } from '#contract/api/project-domain.ts'
import { branchRule } from '#contract/words/branch-rule.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { readBranchRule } from './branch-rule.ts'

const STAGING = {
  ...{ id: 'env_1', slug: 'staging', type: 'preview' as const, createdAt: 1, updatedAt: 1, domains: [] },
  branchMatcher: { type: 'startsWith' as const, pattern: 'release/' },
  currentDeploymentAliases: ['shop-ada.localhost', 'shop-env-staging-ada.localhost'],
}
const VARIABLE = {
  ...{ id: 'v1', key: 'URL', value: 'x', type: 'plain' as const, target: ['preview'] },
  ...{ customEnvironmentIds: ['env_1'], configurationId: null, createdAt: 1, createdBy: null },
  ...{ updatedAt: 1, updatedBy: null, decrypted: true },
}
const machine = await startMachine(
  answers(listEnvironments, () => ({ accountLimit: { total: 20 }, environments: [STAGING] })),
  answers(createEnvironment, ({ body }) => ({ ...STAGING, ...(body as object) }) as typeof STAGING),
  answers(updateEnvironment, () => STAGING),
  answers(deleteEnvironment, () => STAGING),
  answers(listVariables, () => ({ envs: [VARIABLE] })),
  answers(createVariables, () => ({ created: VARIABLE, failed: [] })),
  answers(updateVariable, () => VARIABLE),
  answers(addProjectDomain, ({ body }) => ({
    ...{ name: 'staging.example.com', apexName: 'example.com', projectId: 'prj_1', redirect: null },
    ...{ redirectStatusCode: null, gitBranch: null, verified: true, createdAt: 1, updatedAt: 1 },
    customEnvironmentId: (body as { customEnvironmentId?: string }).customEnvironmentId ?? null,
  })),
  answers(listDeployments, () => ({
    deployments: [],
    pagination: { count: 0, next: null, prev: null },
  })),
)
after(() => machine[Symbol.asyncDispose]())
const run = (...line: string[]) => machine.run(line, { ALOFT_TOKEN: TOKEN })
const last = () => machine.api.requests.at(-1)

test('environments are listed with their branch and their address', async () => {
  const { code, stdout } = await run('environments', 'ls', '--project', 'shop')
  assert.equal(code, 0)
  assert.match(stdout, /staging +release\/\* +http:\/\/shop-env-staging-ada\.localhost\S* +- /)
  assert.equal((await run('target', 'ls', '--project', 'shop')).stdout, stdout)
})

test('a rule is written as people write branches', () => {
  for (const text of ['main', 'release/*', '*-rc', '*']) assert.equal(branchRule(readBranchRule(text)), text)
})

test('they are added, changed and deleted', async () => {
  const on = ['--project', 'shop']
  await run('environments', 'add', 'qa', '--branch', '*-rc', '--copy-from', 'preview', ...on)
  const branchMatcher = { type: 'endsWith', pattern: '-rc' }
  assert.deepEqual(last()?.body, { slug: 'qa', branchMatcher, copyEnvVarsFrom: 'preview' })
  await run('environments', 'set', 'qa', '--no-branch', '--name', 'uat', ...on)
  assert.deepEqual(last()?.body, { slug: 'uat', branchMatcher: null })
  assert.equal((await run('environments', 'set', 'qa', ...on)).code, 2)
  assert.equal((await run('environments', 'rm', 'qa', '--variables', '--yes', ...on)).code, 0)
  assert.deepEqual(last()?.body, { deleteUnassignedEnvironmentVariables: true })
})

test('variables and domains name one by its slug', async () => {
  const on = ['--project', 'shop']
  assert.match((await run('env', 'ls', 'staging', ...on)).stdout, /URL +preview, staging/)
  const { code, stderr } = await run('env', 'ls', 'nowhere', ...on)
  assert.equal(code, 4, stderr)
  assert.match(stderr, /It has production, preview, development, staging/)
  await run('env', 'rm', 'URL', 'preview', '--yes', ...on)
  assert.deepEqual(last()?.body, { target: [], customEnvironmentIds: ['env_1'] })
  await run('env', 'rm', 'URL', 'staging', '--yes', ...on)
  assert.deepEqual(last()?.body, { target: ['preview'], customEnvironmentIds: [] })
  const attached = await run('domains', 'attach', 'staging.example.com', 'shop', '--environment', 'staging')
  assert.match(attached.stdout, /serves staging of shop/)
  assert.deepEqual(last()?.body, { name: 'staging.example.com', customEnvironmentId: 'env_1' })
})

test('deployments are listed by one', async () => {
  assert.equal((await run('ls', 'shop', '--target', 'staging')).code, 0)
  const listed = machine.api.requests.findLast(({ path }) => path === '/v3/platform/deployments')
  assert.deepEqual(listed?.query, { app: 'shop', customEnvironmentId: 'env_1' })
  assert.equal((await run('ls', 'shop', '--target', 'nowhere')).code, 2)
})

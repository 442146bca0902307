import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from '#core/deployment/deployment.ts'
import { systemEnv } from '#core/deployment/env/system-env.ts'
import { SYSTEM_NAMES } from './variables.ts'

test('every system variable that a deployment can have is offered', () => {
  const deployment = {
    ...{ id: 'dpl_1', host: 'site.example', projectId: 'prj_1', target: 'production', createdIn: 'iad1' },
    meta: {
      ...{ gitProvider: 'github', gitBranch: 'main', gitCommitSha: 'c0ffee', gitCommitMessage: 'Mend' },
      ...{ gitCommitAuthorName: 'ada', gitPullRequestId: '7', githubRepo: 'site', githubOrg: 'acme' },
      githubCommitRef: 'main',
    },
  } as Partial<Deployment> as Deployment
  const found = Object.keys(systemEnv(deployment, { branch: 'b.example', production: 'p.example' }))
  assert.deepEqual(SYSTEM_NAMES.toSorted(), found.filter((name) => name.startsWith('PLATFORM_')).toSorted())
})

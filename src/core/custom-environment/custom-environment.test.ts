import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BranchMatcher, environmentOfBranch } from './custom-environment.ts'

const environment = (slug: string, branchMatcher: BranchMatcher | null) => ({
  ...{ id: `env_${slug}`, slug, description: null, branchMatcher, createdAt: 0, updatedAt: 0 },
})

test('a branch goes to the environment whose rule says most about it', () => {
  const all = [
    environment('none', null),
    environment('features', { type: 'startsWith', pattern: 'feature/' }),
    environment('payments', { type: 'startsWith', pattern: 'feature/pay' }),
    environment('same', { type: 'startsWith', pattern: 'feature/pay' }),
    environment('exact', { type: 'equals', pattern: 'feature/pay-1' }),
    environment('release', { type: 'endsWith', pattern: '-rc' }),
  ]
  for (const [branch, slug] of [
    ['feature/x', 'features'],
    ['feature/pay-2', 'payments'],
    ['feature/pay-1', 'exact'],
    ['v2-rc', 'release'],
    ['my-feature/x', undefined],
    ['v2-rc-2', undefined],
    ['', undefined],
  ] as const)
    assert.equal(environmentOfBranch(all, branch)?.slug, slug, branch)
})

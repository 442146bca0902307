import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sampleEnvVariable } from '#test/support/samples.ts'
import { FORK_META } from '../deployment/branch.ts'
import { variablesFor } from './variables-for.ts'

const general = sampleEnvVariable({ key: 'A', target: ['preview'] })
const special = sampleEnvVariable({ key: 'A', target: ['preview'], gitBranch: 'dev' })

/** Which of the two a preview is given. */
const given = (meta: Readonly<Record<string, string>>) =>
  variablesFor([special, general], { target: null, meta }).get('A')?.id

it('knows the branch by whatever a client calls it', () => {
  for (const key of ['gitBranch', 'githubCommitRef', 'gitlabCommitRef', 'bitbucketCommitRef'])
    assert.equal(given({ [key]: 'dev' }), special.id, key)
  assert.equal(given({ gitBranch: '', gitlabCommitRef: 'dev' }), special.id)
  assert.equal(given({ gitBranch: 'main', gitlabCommitRef: 'dev' }), general.id)
  assert.equal(given({}), general.id)
})

it('gives what came from a fork none at all', () => {
  for (const target of [null, 'production'] as const)
    assert.equal(
      variablesFor([special, sampleEnvVariable({ key: 'B', target: ['preview', 'production'] })], {
        target,
        meta: { gitBranch: 'dev', [FORK_META]: '1' },
      }).size,
      0,
    )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metaOfSource } from '../source/source.ts'
import { metaOf } from './push-meta.ts'

const commit = { oid: 'a'.repeat(40), author: 'Ada', message: 'A change' }
const push = { id: 'push_1', fork: false, pull: null }

test('a deployment remembers its commit in the words of every host and in those of its own', () => {
  for (const [host, own] of Object.entries({
    github: { githubOrg: 'me', githubRepo: 'site' },
    gitlab: { gitlabProjectNamespace: 'me', gitlabProjectPath: 'site' },
    bitbucket: { bitbucketRepoOwner: 'me', bitbucketRepoSlug: 'site' },
  })) {
    const repository = metaOfSource({ url: 'https://git.test/me/site.git', host: host as 'github' })
    const meta = metaOf(push, { branch: 'next', commit, repository })
    const wanted = {
      ...{ gitProvider: host, gitRepo: 'me/site', gitBranch: 'next', gitCommitRef: 'next' },
      ...{ gitCommitSha: commit.oid, gitCommitMessage: 'A change', gitCommitAuthorName: 'Ada' },
      ...own,
      [`${host}CommitSha`]: commit.oid,
      [`${host}CommitRef`]: 'next',
      [`${host}CommitMessage`]: 'A change',
      [`${host}CommitAuthorName`]: 'Ada',
      [`${host}Deployment`]: '1',
    }
    assert.deepEqual({ ...meta, ...wanted }, meta, host)
  }
  const { gitProvider, ...rest } = metaOf(push, {
    ...{ branch: 'next', commit },
    repository: metaOfSource({ url: 'https://git.test/me/site.git', host: null }),
  })
  assert.equal(rest.gitCommitSha, commit.oid)
  assert.ok(!Object.keys(rest).some((key) => /^(?:github|gitlab|bitbucket)/.test(key)), gitProvider)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findGitPrograms } from './git-programs.ts'

test('git is found with its version, and what is missing is told', async () => {
  assert.match((await findGitPrograms()).git ?? '', /^\d+\.\d+/)
  assert.deepEqual(await findGitPrograms({ PATH: '/nonexistent' }), { git: null, ssh: false })
})

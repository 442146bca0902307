import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGitCommand } from './git-command.ts'

test('what git asks for is read, in the ways that clients write it', () => {
  const push = { service: 'git-receive-pack', account: 'ada', repository: 'shop.git' }
  assert.deepEqual(readGitCommand("git-receive-pack '/ada/shop.git'"), push)
  assert.deepEqual(readGitCommand("git-receive-pack 'ada/shop.git'"), push)
  assert.deepEqual(readGitCommand('git-receive-pack /ada/shop.git'), push)
  assert.deepEqual(readGitCommand("git upload-pack '/ada/shop/'"), {
    ...{ service: 'git-upload-pack', account: 'ada', repository: 'shop' },
  })
})

test('everything else is nothing', () => {
  for (const text of [
    '',
    'ls',
    'git-receive-pack',
    "git-upload-archive '/ada/shop.git'",
    "git-receive-pack --upload-pack=x '/ada/shop.git'",
    "git-receive-pack '/ada/shop.git'; id",
    "git-receive-pack '/ada/shop.git' && id",
    "git-receive-pack '/ada/$(id).git'",
    "git-receive-pack '/ada/../../etc'",
    "git-receive-pack '../ada/shop.git'",
    "git-receive-pack '/-ada/shop.git'",
    "git-receive-pack '/ada/it'\\''s.git'",
    "git-receive-pack '/ada/shop.git\n'",
    "git-receive-pack '/shop.git'",
    `git-receive-pack '/ada/${'a'.repeat(1000)}.git'`,
  ])
    assert.equal(readGitCommand(text), undefined, text)
})

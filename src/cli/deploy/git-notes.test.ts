import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { readGitNotes } from './git-notes.ts'

const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aloft-git-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const git = (...line: string[]) =>
  execFileSync('git', ['-c', 'user.name=Jo Doe', '-c', 'user.email=jo@example.com', ...line], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .toString()
    .trim()

function commit(): string {
  git('init', '-q', '-b', 'feature/x')
  writeFileSync(join(folder, 'index.html'), 'one')
  git('add', '.')
  git('commit', '-qm', `A page ${'é'.repeat(300)}\n\nand more`)
  return git('rev-parse', 'HEAD')
}

test('a commit is noted with its branch, and whether something is not in it', async () => {
  const sha = commit()
  const notes = await readGitNotes(folder, env)
  assert.deepEqual(notes, {
    gitBranch: 'feature/x',
    gitCommitSha: sha,
    gitCommitMessage: `A page ${'é'.repeat(193)}`,
    gitCommitAuthorName: 'Jo Doe',
    gitDirty: '0',
  })
  writeFileSync(join(folder, 'new.html'), 'two')
  assert.equal((await readGitNotes(folder, env)).gitDirty, '1')
})

test('a checkout without a branch asks the build server', async () => {
  commit()
  git('checkout', '-q', '--detach')
  assert.equal((await readGitNotes(folder, env)).gitBranch, undefined)
  assert.equal((await readGitNotes(folder, { ...env, CI_COMMIT_BRANCH: 'dev' })).gitBranch, 'dev')
})

test('without a repository, a commit or git itself there is nothing to note', async () => {
  assert.deepEqual(await readGitNotes(folder, { ...env, GIT_CEILING_DIRECTORIES: tmpdir() }), {})
  git('init', '-q')
  assert.deepEqual(await readGitNotes(folder, env), {})
  assert.deepEqual(await readGitNotes(folder, { PATH: folder }), {})
})

test('a repository cannot have programs of its own started', async () => {
  commit()
  const marker = join(folder, 'started')
  mkdirSync(join(folder, 'bin'))
  const program = join(folder, 'bin/monitor')
  writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
  git('config', 'core.fsmonitor', program)
  git('config', 'core.pager', program)
  await readGitNotes(folder, env)
  assert.throws(() => rmSync(marker), /ENOENT/)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
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

/** What a repository that came from elsewhere may bring with it, and what git would start for it. */
const HOSTILE: Readonly<Record<string, (program: string) => void>> = {
  'a monitor and a pager': (program) => {
    git('config', 'core.fsmonitor', program)
    git('config', 'core.pager', program)
  },
  'a filter': (program) => {
    writeFileSync(join(folder, '.git/info/attributes'), '* filter=x')
    git('config', 'filter.x.clean', program)
  },
  'a filter that goes on, of an included file': (program) => {
    writeFileSync(join(folder, '.gitattributes'), '* filter=x')
    writeFileSync(join(folder, '.git/more'), `[filter "x"]\n\tprocess = ${program}\n`)
    git('config', 'include.path', 'more')
  },
  'a filter whose name is not text': (program) => {
    const name = Buffer.from([0xff])
    writeFileSync(join(folder, '.gitattributes'), Buffer.concat([Buffer.from('* filter='), name]))
    const lines = [Buffer.from('[filter "'), name, Buffer.from(`"]\n\tclean = ${program}\n`)]
    appendFileSync(join(folder, '.git/config'), Buffer.concat(lines))
  },
  'a server that has the commit that is missing': (program) => {
    missing(git('rev-parse', 'HEAD'), program)
  },
  'a server that has the files that are missing': (program) => {
    missing(git('rev-parse', 'HEAD^{tree}'), program)
    rmSync(join(folder, '.git/index'))
  },
  'a folder that is a repository': (program) => {
    git('config', 'core.worktree', '.')
    git('config', 'filter.x.clean', program)
    for (const name of readdirSync(join(folder, '.git')))
      renameSync(join(folder, '.git', name), join(folder, name))
    rmSync(join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, 'info/attributes'), '* filter=x')
  },
}

function missing(hash: string, program: string): void {
  rmSync(join(folder, '.git/objects', hash.slice(0, 2), hash.slice(2)))
  git('config', 'core.repositoryformatversion', '1')
  git('config', 'extensions.partialClone', 'origin')
  git('config', 'remote.origin.promisor', 'true')
  git('config', 'remote.origin.url', folder)
  git('config', 'remote.origin.uploadpack', program)
}

for (const [name, make] of Object.entries(HOSTILE))
  test(`a repository cannot have a program of its own started: ${name}`, async () => {
    commit()
    const marker = join(folder, 'started')
    mkdirSync(join(folder, 'bin'))
    const program = join(folder, 'bin/program')
    writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
    // Another time than git remembers, so that it compares what is in the file.
    utimesSync(join(folder, 'index.html'), 1, 1)
    make(program)
    await readGitNotes(folder, env)
    assert.throws(() => rmSync(marker), /ENOENT/)
  })

test('filters that the person has chosen do not keep a change from being seen', async () => {
  commit()
  writeFileSync(join(folder, 'gitconfig'), '[filter "x"]\n\tclean = cat\n')
  writeFileSync(join(folder, '.gitattributes'), '* filter=x')
  const own = { ...env, GIT_CONFIG_GLOBAL: join(folder, 'gitconfig') }
  assert.equal((await readGitNotes(folder, own)).gitDirty, '1')
  git('config', 'filter.x.clean', 'cat')
  assert.equal((await readGitNotes(folder, own)).gitDirty, undefined)
})

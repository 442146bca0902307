import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runGit, workTree } from '#test/support/git/git.ts'
import { createGitRepositories } from './git-repositories.ts'

const ID = 'prj_kept'
const [, major = 0, minor = 0] =
  /(\d+)\.(\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' })) ?? []
const syncsRefs = Number(major) > 2 || Number(minor) >= 36

async function opened(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-repositories-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const trace = join(folder, 'trace')
  const repositories = createGitRepositories({
    folder,
    confine: async () => (argv) => ['env', `GIT_TRACE2_PERF=${trace}`, ...argv],
  })
  await repositories.ensure(ID)
  const at = join(folder, `${ID}.git`)
  const tree = await workTree(t, { 'index.html': 'first' })
  const commit = await tree.commit('The first')
  await tree.must('push', '-q', at, 'main:refs/aloft/incoming')
  /** How often a run of git waited for the disk. */
  const syncs = async () => {
    const found = (await readFile(trace, 'utf8')).matchAll(/hardware-flush.*?(\d+)/g)
    return [...found].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  return { repositories, at, tree, commit, syncs, forget: () => writeFile(trace, '') }
}

test('what refs lead to is on the disk before they are told to have moved', {
  skip: !syncsRefs && 'this git is older than 2.36',
}, async (t) => {
  const { repositories, commit, syncs, forget } = await opened(t)
  await forget()
  await repositories.accept(ID, [{ ref: 'refs/heads/main', after: commit }])
  // The ref, and the file of all refs.
  assert.equal(await syncs(), 2)
})

for (const lost of [['HEAD'], ['HEAD', 'config']])
  test(`a repository of which a power cut has emptied ${lost.join(' and ')} is mended, with all that it holds`, async (t) => {
    const { repositories, at, tree, commit } = await opened(t)
    await repositories.accept(ID, [{ ref: 'refs/heads/main', after: commit }])
    for (const name of lost) await writeFile(join(at, name), '')
    await repositories.ensure(ID)
    assert.equal(await repositories.head(ID), 'main')
    assert.deepEqual([...(await repositories.refs(ID)).values()], [commit])
    assert.equal((await runGit(at, 'rev-parse', '--is-bare-repository')).stdout.trim(), 'true')
    await tree.must('push', '-q', at, 'main:other')
  })

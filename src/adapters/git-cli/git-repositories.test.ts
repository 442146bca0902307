import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { FLUSH, packet } from '#core/git/protocol/pkt-line.ts'
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

test('so are the names of pushed refs, in whatever folder', async (t) => {
  const { repositories, at, commit } = await opened(t)
  const handle = await open(at)
  await handle.close()
  const synced = new Set<number>()
  const real = handle.sync
  t.mock.method(Object.getPrototypeOf(handle), 'sync', async function (this: FileHandle) {
    await real.call(this)
    synced.add((await this.stat()).ino)
  })
  const command = `${'0'.repeat(40)} ${commit} refs/heads/team/web/feature\0 report-status`
  const none = Buffer.from('PACK\0\0\0\x02\0\0\0\0')
  const answer = await repositories.http(ID, {
    ...{ method: 'POST', path: '/git-receive-pack', query: '', maxBytes: 1e6 },
    contentType: 'application/x-git-receive-pack-request',
    body: Readable.from([packet(command), FLUSH, none, createHash('sha1').update(none).digest()]),
    signal: new AbortController().signal,
  })
  assert.match(await text(answer.body), /ok refs\/heads\/team\/web\/feature/)
  await answer.ended
  for (const folder of ['.', 'refs/heads', 'refs/heads/team', 'refs/heads/team/web'])
    assert.ok(synced.has((await stat(join(at, folder))).ino), folder)
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

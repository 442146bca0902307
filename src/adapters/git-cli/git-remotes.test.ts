import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { GitError } from '#core/git/git-repositories.ts'
import { workTree } from '#test/support/git/git.ts'
import { startGitHost } from '#test/support/git/git-host.ts'
import { createGitRemotes } from './git-remotes.ts'
import { createGitRepositories } from './git-repositories.ts'

const ID = 'prj_copy'
const { signal } = new AbortController()

/** A repository elsewhere, and one that is to be a copy of it. */
async function opened(t: TestContext, maxRefs = 1000) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-remotes-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const host = await startGitHost('token')
  t.after(() => host.close())
  const theirs = await host.repository('ada/site')
  const tree = await workTree(t, { 'index.html': 'first' })
  const commit = await tree.commit('The first')
  /** Branches and their commits, which at the host are so from now on. */
  const change = (changes: Readonly<Record<string, string | null>>) =>
    tree.must(
      ...['push', '-q', '--force', theirs],
      ...Object.entries(changes).map(([name, oid]) => `${oid ?? ''}:refs/heads/${name}`),
    )
  await change({ main: commit })
  const parts = { folder, confine: async () => (argv: readonly string[]) => argv }
  const repositories = createGitRepositories(parts)
  await repositories.ensure(ID)
  const remotes = createGitRemotes({ ...parts, allows: () => true, maxBytes: 1e7, maxRefs })
  const list = () => remotes.refs({ url: `${host.url}/ada/site.git`, token: 'token' }, signal)
  const fetch = (refs: ReadonlyMap<string, string>) =>
    remotes.fetch(ID, { url: `${host.url}/ada/site.git`, token: 'token' }, refs, signal)
  const at = join(folder, `${ID}.git`)
  const inRefs = async () =>
    (await readdir(join(at, 'refs'), { recursive: true })).filter(
      (path) => !['aloft', 'aloft/heads', 'heads', 'tags'].includes(path),
    )
  return { repositories, list, fetch, tree, commit, change, inRefs }
}

test('hundreds of branches with slashes are followed as they come, move, go and take the place of each other', async (t) => {
  const { repositories, list, fetch, tree, commit, change, inRefs } = await opened(t)
  const sync = async () => {
    const { refs } = await list()
    await fetch(refs)
    const known = await repositories.refs(ID)
    await repositories.accept(ID, [
      ...[...refs].map(([ref, after]) => ({ ref, after })),
      ...[...known.keys()].filter((ref) => !refs.has(ref)).map((ref) => ({ ref, after: null })),
    ])
    assert.deepEqual(await repositories.refs(ID), refs)
    assert.deepEqual(await repositories.incoming(ID), refs)
    // However many they are, they take no file each.
    assert.deepEqual(await inRefs(), [])
    return refs
  }
  const names = Array.from({ length: 300 }, (_, i) => `team-${i % 7}/apps/web/${i}`)
  await change(Object.fromEntries(names.map((name) => [name, commit])))
  assert.equal((await sync()).size, 301)

  const [moved = '', gone = '', below = ''] = names
  const next = await tree.commit('The next')
  await change({ [moved]: next, [gone]: null, [below]: null })
  await change({ [`${below}/deeper`]: next })
  const refs = await sync()
  assert.equal(refs.size, 300)
  assert.equal(refs.get(`refs/heads/${moved}`), next)
  assert.equal((await repositories.commit(ID, next))?.message, 'The next')
  await change({ [`${below}/deeper`]: null })
  await change({ [below]: commit })
  assert.equal((await sync()).get(`refs/heads/${below}`), commit)
})

test('a host has no more branches fetched than it has shown, whatever it shows later', async (t) => {
  const { repositories, list, fetch, tree, commit, change } = await opened(t)
  const { refs } = await list()
  await change({ main: await tree.commit('Later'), another: commit })
  await fetch(refs)
  assert.deepEqual(await repositories.incoming(ID), new Map([['refs/heads/main', commit]]))
})

test('more branches than can be pushed here are refused before anything is fetched, and names of many parts passed over', async (t) => {
  const { list, commit, change } = await opened(t, 3)
  const parts = (count: number, part: string) => Array.from({ length: count }, () => part).join('/')
  const [deep, long] = [parts(20, 'a'), 'n'.repeat(240)]
  await change({ [deep]: commit, [long]: commit })
  assert.equal((await list()).refs.size, 3)
  await change({ another: commit })
  await assert.rejects(list(), { constructor: GitError, message: /has more than 3 branches/ })
  await change({ another: null, [long]: null })
  await change({ [parts(21, 'b')]: commit, [parts(3, 'c'.repeat(100))]: commit })
  assert.deepEqual([...(await list()).refs.keys()], [`refs/heads/${deep}`, 'refs/heads/main'])
})

test('refs that cannot be written leave no folders behind', async (t) => {
  const { repositories, list, fetch, commit, inRefs } = await opened(t)
  await fetch((await list()).refs)
  const missing = '1'.repeat(40)
  await assert.rejects(
    repositories.accept(ID, [
      { ref: 'refs/heads/a/b/c/d', after: commit },
      { ref: 'refs/heads/z', after: missing },
    ]),
    GitError,
  )
  assert.deepEqual(await inRefs(), [])
})

test('what refs take of the disk is counted', async (t) => {
  const { repositories, list, fetch, commit, change } = await opened(t)
  await fetch((await list()).refs)
  const before = (await repositories.bytes(ID)) ?? 0
  const names = Array.from({ length: 100 }, (_, i) => `${'n'.repeat(100)}/${i}`)
  await change(Object.fromEntries(names.map((name) => [name, commit])))
  await fetch((await list()).refs)
  assert.ok(((await repositories.bytes(ID)) ?? 0) - before > 100 * 100)
})

import assert from 'node:assert/strict'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DAY } from '#contract/time.ts'
import { GitError } from '#core/git/git-repositories.ts'
import { runGit, type WorkTree, workTree } from '#test/support/git/git.ts'
import { createGitRepositories } from './git-repositories.ts'
import { createRepositoryFiles } from './repository-files.ts'
import { restoreOfRepository } from './restore-repository.ts'

const ID = 'prj_tidied'

async function opened(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-tidy-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const repositories = createGitRepositories({ folder, confine: async () => (argv) => argv })
  await repositories.ensure(ID)
  const at = join(folder, `${ID}.git`)
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  await tree.must('push', '-q', at, 'main')
  const has = async (oid: string) => (await runGit(at, 'cat-file', '-e', oid)).ok
  const sound = async () => {
    const { ok, said } = await runGit(at, 'fsck', '--full', '--connectivity-only')
    assert.ok(ok && !/missing|broken/.test(said), said)
  }
  const tidy = (options: { before?: number; now?: number; signal?: AbortSignal } = {}) =>
    repositories.tidy(ID, {
      ...{ now: Date.now(), before: Date.now() - 14 * DAY, signal: new AbortController().signal },
      drop: (ref) => ref.startsWith('refs/aloft/commits/'),
      ...options,
    })
  return { folder, repositories, at, tree, has, sound, tidy }
}

/** A branch of its own file, pushed and deleted. */
async function deletedBranch(tree: WorkTree, at: string, name: string): Promise<string> {
  await tree.must('checkout', '-q', '-b', name)
  await tree.write(`${name}.txt`, name)
  const commit = await tree.commit(name)
  await tree.must('push', '-q', at, name)
  await tree.must('push', '-q', at, `:${name}`)
  await tree.must('checkout', '-q', 'main')
  return commit
}

test('what a deleted branch held stays for a while and is then given back, and what branches lead to stays', async (t) => {
  const { at, tree, has, sound, tidy, folder, repositories } = await opened(t)
  const main = await tree.must('rev-parse', 'main')
  const deleted = await deletedBranch(tree, at, 'deleted')
  await runGit(at, 'update-ref', `refs/aloft/commits/${deleted}`, deleted)
  assert.equal(await tidy(), true)
  assert.equal(await has(deleted), true, 'nobody waits for it, but it is new')
  assert.equal((await runGit(at, 'for-each-ref', 'refs/aloft')).stdout, '')
  assert.equal(await tidy({ before: Date.now() + DAY }), false, 'it was tidied just now')
  const later = Date.now() + 8 * DAY
  assert.equal(await tidy({ now: later, before: later }), true)
  assert.deepEqual([await has(deleted), await has(main)], [false, true])
  assert.equal(await tidy({ now: later + 8 * DAY, before: later }), false, 'there is nothing to do')
  await sound()
  assert.equal(await repositories.commit(ID, deleted), undefined)

  // What processes that were killed have left goes as well, unless it may be under way.
  for (const [name, age] of [
    ['.look-old', 2 * DAY],
    ['.look-new', 0],
  ] as const) {
    await mkdir(join(folder, name))
    const time = new Date(Date.now() - age)
    await utimes(join(folder, name), time, time)
  }
  await repositories.removeLeftovers()
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('.')),
    ['.look-new'],
  )
})

test('people push while it is tidied, and nothing that they were told was taken is lost', async (t) => {
  const { at, tree, has, sound, tidy } = await opened(t)
  // As in every push that the platform takes. Of pushes that git takes apart it refuses one whose object goes into a folder
  // that it was just about to remove, because the last object had left it.
  assert.ok((await runGit(at, 'config', 'transfer.unpackLimit', '1')).ok)
  const taken: string[] = []
  let isOver = false
  const pushing = (async () => {
    for (let n = 0; n < 5; n++) {
      await deletedBranch(tree, at, `side-${n}`)
      await tree.write('index.html', `page ${n}`)
      taken.push(await tree.commit(`Page ${n}`))
      await tree.must('push', '-q', at, 'main')
    }
  })().finally(() => {
    isOver = true
  })
  for (let round = 1; !isOver; round++) {
    const now = Date.now() + round * 8 * DAY
    // What came since is kept by the time at which it came.
    await tidy({ now, before: Date.now() - 60_000 })
  }
  await pushing
  await tidy({ now: Date.now() + 1000 * 8 * DAY, before: Date.now() + DAY })
  for (const commit of taken) assert.ok(await has(commit), commit)
  await sound()
})

test('whenever it is killed, nothing is lost, and the next time ends what was begun', async (t) => {
  const { at, tree, has, sound, tidy } = await opened(t)
  const main = await tree.must('rev-parse', 'main')
  const deleted = await deletedBranch(tree, at, 'deleted')
  for (let n = 0; n < 6; n++) {
    const killed = new AbortController()
    setTimeout(() => killed.abort(), n * 4)
    await tidy({ before: Date.now() + DAY, signal: killed.signal }).catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error
    })
    await sound()
    assert.ok(await has(main))
  }
  // A lock, what was written under it and half a pack, as a process leaves them.
  const old = new Date(Date.now() - 2 * DAY)
  const left = ['objects/pack/.tmp-1-pack-x.pack', 'packed-refs.lock', 'packed-refs.new']
  const leftovers = left.map((name) => join(at, name))
  for (const file of leftovers) {
    await writeFile(file, '')
    await utimes(file, old, old)
  }
  await deletedBranch(tree, at, 'another').catch(() => undefined)
  await tidy({ now: Date.now() + 9 * DAY, before: Date.now() + DAY })
  for (const file of leftovers) assert.equal(existsSync(file), false, file)
  assert.equal(await has(deleted), false)
  await sound()
})

test('refs lie in one file, and of folders without any, however many, none stay', async (t) => {
  const { at, tree, repositories, tidy, sound } = await opened(t)
  const main = await tree.must('rev-parse', 'main')
  await tree.must('push', '-q', at, 'main:refs/heads/team/feature', 'main:refs/tags/v1')
  const refs = await repositories.refs(ID)
  for (let n = 0; n < 5; n++) await mkdir(join(at, `refs/heads/r${n}${'/a'.repeat(50)}`), { recursive: true })
  await tidy()
  assert.deepEqual((await readdir(join(at, 'refs'), { recursive: true })).sort(), ['heads', 'tags'])
  assert.deepEqual(await repositories.refs(ID), refs)
  assert.equal(refs.get('refs/heads/team/feature'), main)
  await tree.must('push', '-q', at, 'main:refs/heads/team/another', ':refs/heads/team/feature')
  assert.deepEqual([...(await repositories.refs(ID)).keys()].sort(), [
    'refs/heads/main',
    'refs/heads/team/another',
    'refs/tags/v1',
  ])
  await sound()
})

test('what a backup holds is whole although it is packed anew or deleted meanwhile', async (t) => {
  const { folder, at, tree, repositories, tidy } = await opened(t)
  const main = await tree.must('rev-parse', 'main')
  await tree.write('other.html', 'other')
  await tree.commit('Another')
  await tree.must('push', '-q', at, 'main')
  const held = await createRepositoryFiles(folder, repositories).hold()
  assert.deepEqual(await held.ids(), [ID])
  const { texts, objects } = await held.snapshot(ID)
  await tidy({ before: Date.now() + DAY })
  await repositories.remove(ID)
  const into = join(folder, 'restored')
  const entry = async function* (content: Buffer) {
    yield content
  }
  for (const [name, text] of texts) await restoreOfRepository(into, `git/${ID}/${name}`, entry(text))
  for (const { path, file } of objects)
    await restoreOfRepository(into, `git/${ID}/${path}`, createReadStream(file))
  const restored = join(into, `${ID}.git`)
  const { ok, said } = await runGit(restored, 'fsck', '--full')
  assert.ok(ok, said)
  assert.equal((await runGit(restored, 'rev-parse', 'main~1')).stdout.trim(), main)
  await held.close()
  assert.deepEqual(await readdir(folder), ['restored'])
})

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { createGitRepositories } from '#adapters/git-cli/git-repositories.ts'
import { createRepositoryFiles } from '#adapters/git-cli/repository-files.ts'
import { createSharedRepositories } from '#adapters/git-shared/shared-repositories.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { runGit, workTree } from '#test/support/git/git.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { quickFolder } from '#test/support/storage/quick-folder.ts'

const content = (letter: string) => ({ sha256: letter.repeat(64), size: 3 })

/** Machines with disks of their own, one database and one store of contents. */
async function machines(t: TestContext, open: OpenDatabase) {
  const { stores, clock } = await openStores(t, open)
  const root = await mkdtemp(join(quickFolder, 'aloft-shared-'))
  const blobs = await createFsBlobStore({ folder: join(root, 'blobs'), clock, log: silentLog })
  t.after(async () => {
    await blobs.close()
    await rm(root, { recursive: true, force: true })
  })
  const machine = (name: string) => {
    const folder = join(root, name)
    const folderOf = (id: string) => join(folder, `${id}.git`)
    const local = createGitRepositories({ folder, confine: async () => (argv) => argv })
    const files = createRepositoryFiles(folder, local)
    const things = stores.sharedThings
    return {
      folderOf,
      repositories: createSharedRepositories({ local, files, folderOf, things, blobs, clock }),
    }
  }
  return { stores, one: machine('one'), two: machine('two') }
}

const refsOf = async (
  { repositories }: { repositories: ReturnType<typeof createSharedRepositories> },
  id: string,
) => Object.fromEntries(await repositories.refs(id))

eachDatabase((name, open) => {
  test(`${name}: a version replaces the one before, and only one of two machines makes it`, async (t) => {
    const { sharedThings, files } = (await openStores(t, open)).stores
    assert.equal(await sharedThings.find('git', 'x'), undefined)
    const first = {
      details: 'first',
      contents: new Map([
        ['a', content('a')],
        ['b', content('b')],
      ]),
    }
    const second = { details: 'second', contents: new Map([['b', content('b')]]) }
    assert.equal(await sharedThings.put('git', 'x', 0, first, 5), true)
    assert.equal(await sharedThings.put('git', 'x', 0, second, 6), false)
    assert.deepEqual(await sharedThings.find('git', 'x'), { version: 1, ...first })
    assert.deepEqual(
      await files.known(['a', 'b', 'c'].map((letter) => letter.repeat(64))),
      new Set(['a', 'b'].map((letter) => letter.repeat(64))),
    )
    const both = await Promise.all([second, second].map((thing) => sharedThings.put('git', 'x', 1, thing, 7)))
    assert.deepEqual(both.toSorted(), [false, true])
    assert.deepEqual(await sharedThings.find('git', 'x'), { version: 2, ...second })
    assert.deepEqual(await files.known(['a'.repeat(64)]), new Set())
    assert.equal(await sharedThings.find('build-cache', 'x'), undefined)
    assert.deepEqual(await sharedThings.names('git'), ['x'])
    assert.deepEqual(await sharedThings.unused('git', 7, 10), [])
    assert.deepEqual(await sharedThings.unused('git', 8, 10), ['x'])
    await sharedThings.remove('git', 'x')
    assert.equal(await sharedThings.version('git', 'x'), 0)
    assert.deepEqual(await files.known(['b'.repeat(64)]), new Set())
  })

  test(`${name}: what is pushed to one machine is there on another`, async (t) => {
    const { one, two, stores } = await machines(t, open)
    const desk = await workTree(t, { 'a.txt': 'first' })
    const first = await desk.commit()
    await one.repositories.ensure('prj_1')
    await desk.must('push', '-q', one.folderOf('prj_1'), 'main:main', 'main:next')
    assert.deepEqual(await refsOf(one, 'prj_1'), { 'refs/heads/main': first, 'refs/heads/next': first })
    assert.deepEqual(await refsOf(two, 'prj_1'), { 'refs/heads/main': first, 'refs/heads/next': first })
    assert.equal((await two.repositories.commit('prj_1', first))?.message, 'A change')
    assert.equal((await two.repositories.tree('prj_1', first))[0]?.path, 'a.txt')

    await desk.write('b.txt', 'second')
    const second = await desk.commit()
    await desk.must('push', '-q', two.folderOf('prj_1'), 'main:main', ':next')
    assert.deepEqual(await refsOf(two, 'prj_1'), { 'refs/heads/main': second })
    assert.deepEqual(await refsOf(one, 'prj_1'), { 'refs/heads/main': second })
    const whole = await runGit(one.folderOf('prj_1'), 'fsck', '--strict')
    assert.ok(whole.ok, whole.said)
    assert.deepEqual(await stores.sharedThings.names('git'), ['prj_1'])
  })

  test(`${name}: of two machines that move the same branch one counts, and other branches of both stay`, async (t) => {
    const { one, two } = await machines(t, open)
    const desk = await workTree(t, { 'a.txt': 'first' })
    const first = await desk.commit()
    await one.repositories.ensure('prj_1')
    await desk.must('push', '-q', one.folderOf('prj_1'), 'main')
    await refsOf(one, 'prj_1')
    await refsOf(two, 'prj_1')
    await desk.write('a.txt', 'of one')
    const ofOne = await desk.commit()
    await desk.must('push', '-q', one.folderOf('prj_1'), 'main', 'main:one')
    await desk.must('reset', '-q', '--hard', first)
    await desk.write('a.txt', 'of two')
    const ofTwo = await desk.commit()
    await desk.must('push', '-q', two.folderOf('prj_1'), 'main', 'main:two')
    const [a, b] = await Promise.all([refsOf(one, 'prj_1'), refsOf(two, 'prj_1')])
    const all = await refsOf(one, 'prj_1')
    assert.deepEqual(await refsOf(two, 'prj_1'), all)
    assert.equal(all['refs/heads/one'], ofOne)
    assert.equal(all['refs/heads/two'], ofTwo)
    assert.ok(all['refs/heads/main'] === ofOne || all['refs/heads/main'] === ofTwo)
    assert.ok(a['refs/heads/one'] && b['refs/heads/two'])
  })

  test(`${name}: a repository that is removed is removed on all machines, and can be made again`, async (t) => {
    const { one, two } = await machines(t, open)
    const desk = await workTree(t, { 'a.txt': 'first' })
    const first = await desk.commit()
    await one.repositories.ensure('prj_1')
    await desk.must('push', '-q', one.folderOf('prj_1'), 'main')
    await refsOf(one, 'prj_1')
    await refsOf(two, 'prj_1')
    await two.repositories.remove('prj_1')
    assert.deepEqual(await refsOf(one, 'prj_1'), {})
    await two.repositories.ensure('prj_1')
    await desk.must('push', '-q', two.folderOf('prj_1'), 'main:again')
    assert.deepEqual(await refsOf(two, 'prj_1'), { 'refs/heads/again': first })
    assert.deepEqual(await refsOf(one, 'prj_1'), { 'refs/heads/again': first })
  })

  test(`${name}: a repository whose HEAD a loss of power has emptied is mended, and has the branch that it had`, async (t) => {
    const { one, two } = await machines(t, open)
    const desk = await workTree(t, { 'a.txt': 'first' })
    const first = await desk.commit()
    await one.repositories.ensure('prj_1')
    await desk.must('push', '-q', one.folderOf('prj_1'), 'main', 'main:next')
    await one.repositories.setHead('prj_1', 'next')
    await writeFile(join(one.folderOf('prj_1'), 'HEAD'), '')
    await one.repositories.ensure('prj_1')
    await desk.must('push', '-q', one.folderOf('prj_1'), ':main')
    assert.deepEqual(await refsOf(one, 'prj_1'), { 'refs/heads/next': first })
    assert.deepEqual(await refsOf(two, 'prj_1'), { 'refs/heads/next': first })
    for (const { repositories } of [one, two]) assert.equal(await repositories.head('prj_1'), 'next')
  })

  test(`${name}: of a repository elsewhere all machines know what was taken from it`, async (t) => {
    const { one, two } = await machines(t, open)
    const desk = await workTree(t, { 'a.txt': 'first' })
    const first = await desk.commit()
    await one.repositories.ensure('prj_1')
    await runGit(one.folderOf('prj_1'), 'fetch', '-q', desk.folder, '+refs/heads/*:refs/aloft/heads/*')
    await one.repositories.accept('prj_1', [{ ref: 'refs/heads/main', after: first }])
    assert.deepEqual(await refsOf(two, 'prj_1'), { 'refs/heads/main': first })
    assert.deepEqual(await refsOf(one, 'prj_1'), { 'refs/heads/main': first })
  })

  test(`${name}: what a machine has of a repository elsewhere goes when another machine disconnects it`, async (t) => {
    const { one, two } = await machines(t, open)
    const desk = await workTree(t, { 'a.txt': 'first' })
    const first = await desk.commit()
    const fetched = async ({ repositories, folderOf }: typeof one, id: string) => {
      await repositories.ensure(id)
      await runGit(folderOf(id), 'fetch', '-q', desk.folder, '+refs/heads/*:refs/aloft/heads/*')
      await repositories.accept(id, [{ ref: 'refs/heads/main', after: first }])
    }
    for (const id of ['prj_1', 'prj_2', 'prj_3']) await fetched(two, id)
    await two.repositories.ensure('prj_3--module')
    for (const id of ['prj_1', 'prj_2', 'prj_3']) await one.repositories.remove(id)

    // Connected to another one: nothing is known of that.
    await two.repositories.ensure('prj_1')
    assert.deepEqual(await refsOf(two, 'prj_1'), {})
    assert.equal((await two.repositories.incoming('prj_1')).size, 0)

    // Pushed to from now on: what is taken here is there for all.
    assert.deepEqual(await refsOf(two, 'prj_2'), {})
    await desk.must('push', '-q', two.folderOf('prj_2'), 'main:pushed')
    assert.deepEqual(await refsOf(two, 'prj_2'), { 'refs/heads/pushed': first })
    assert.deepEqual(await refsOf(one, 'prj_2'), { 'refs/heads/pushed': first })

    // Never asked for again: it takes no room.
    assert.ok(existsSync(two.folderOf('prj_3')))
    assert.deepEqual([...(await two.repositories.ids())].sort(), ['prj_1', 'prj_2'])
    assert.ok(!existsSync(two.folderOf('prj_3')))
    assert.ok(!existsSync(two.folderOf('prj_3--module')))
  })

  test(`${name}: what was pushed to a machine while it was alone stays, however often it was removed before`, async (t) => {
    const { one, two, stores } = await machines(t, open)
    const desk = await workTree(t, { 'a.txt': 'first' })
    const first = await desk.commit()
    await two.repositories.remove('prj_1')
    await runGit('/', 'init', '-q', '--bare', one.folderOf('prj_1'))
    await desk.must('push', '-q', one.folderOf('prj_1'), 'main')
    assert.equal(await stores.sharedThings.version('git-gone', 'prj_1'), 1)
    assert.deepEqual(await one.repositories.ids(), ['prj_1'])
    assert.deepEqual(await refsOf(one, 'prj_1'), { 'refs/heads/main': first })
    assert.deepEqual(await refsOf(two, 'prj_1'), { 'refs/heads/main': first })
  })
})

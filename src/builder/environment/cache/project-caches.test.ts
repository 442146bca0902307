import assert from 'node:assert/strict'
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { silentLog } from '#test/support/silent-log.ts'
import { until } from '#test/support/until.ts'
import { createProjectCaches, type SharedCaches } from './project-caches.ts'

/** Machines whose builds leave caches for each other. */
async function machines(
  t: TestContext,
  {
    projectBytes = 1e6,
    ...rest
  }: { projectBytes?: number; weighTree?: () => Promise<number | undefined>; syncAfterMs?: number } = {},
) {
  const root = await mkdtemp(join(tmpdir(), 'aloft-caches-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const archives = new Map<string, Buffer>()
  const shared: SharedCaches = {
    take: async (_owner, key) =>
      archives.has(key) ? Readable.from([archives.get(key) as Buffer]) : undefined,
    give: async (_owner, key, archive) => void archives.set(key, Buffer.concat(await archive.toArray())),
  }
  let discarded = 0
  const machine = async (name: string) => {
    const given: Promise<unknown>[] = []
    const start = (boot: string) =>
      createProjectCaches({
        ...{ folder: join(root, name, 'caches'), budgetBytes: 1e9, projectBytes, log: silentLog, shared },
        ...{ ...rest, boot },
        discard: (path) => rename(path, join(root, `${discarded++}`)).catch(() => undefined),
        later: (work) => void given.push(work.catch((error: unknown) => error)),
      })
    const place = {
      project: { id: 'prj_1', ownerId: 'an-account' },
      ...{ target: null, fork: undefined, nodeVersion: '22.x' },
      ...{ source: 'source', downloads: 'downloads' },
      ...{ base: join(root, name, 'root'), via: join(root, name, 'via') },
    }
    await mkdir(join(place.base, 'source'), { recursive: true })
    return { caches: start(`first of ${name}`), start, place, given, folder: join(root, name, 'caches') }
  }
  return { one: await machine('one'), two: await machine('two'), archives }
}

test('what a build left is there for the next on another machine', async (t) => {
  const { one, two, archives } = await machines(t)
  assert.deepEqual(await two.caches.restore(two.place), { digests: {}, paths: [] })
  const modules = join(one.place.base, 'source/node_modules')
  await mkdir(join(modules, 'a'), { recursive: true })
  await writeFile(join(modules, 'a/run.sh'), 'echo', { mode: 0o755 })
  await symlink('/etc/passwd', join(modules, 'away'))
  await symlink('a/run.sh', join(modules, 'near'))
  const what = { digests: { '': 'x' }, paths: ['node_modules'] }
  await one.caches.keep(one.place, what)
  assert.deepEqual(await Promise.all(one.given), [undefined])
  assert.equal(archives.size, 1)

  assert.deepEqual(await two.caches.restore({ ...two.place, target: 'production' }), {
    digests: {},
    paths: [],
  })
  assert.deepEqual(await two.caches.restore({ ...two.place, nodeVersion: '24.x' }), {
    digests: {},
    paths: [],
  })
  assert.deepEqual(await two.caches.restore(two.place), what)
  const there = join(two.place.base, 'source/node_modules')
  assert.equal(await readFile(join(there, 'near'), 'utf8'), 'echo')
  assert.equal((await lstat(join(there, 'a/run.sh'))).mode & 0o777, 0o755)
  assert.ok((await lstat(join(there, 'away'))).isSymbolicLink())
})

test('what is too large, or cut short, is left out', async (t) => {
  const { one, two, archives } = await machines(t, { projectBytes: 100_000 })
  const modules = join(one.place.base, 'source/node_modules')
  await mkdir(modules, { recursive: true })
  await writeFile(join(modules, 'zeros'), Buffer.alloc(200_000))
  await one.caches.keep(one.place, { digests: {}, paths: ['node_modules'] })
  const [problem] = await Promise.all(one.given)
  assert.match(String(problem), /too large/)
  assert.equal(archives.size, 0)

  await mkdir(modules, { recursive: true })
  await writeFile(join(modules, 'a'), 'a')
  await one.caches.keep(one.place, { digests: {}, paths: ['node_modules'] })
  await Promise.all(one.given)
  for (const [key, whole] of archives) archives.set(key, whole.subarray(0, -20))
  assert.deepEqual(await two.caches.restore(two.place), { digests: {}, paths: [] })
})

test('what a power cut may have emptied is not used, but what other machines have of it', async (t) => {
  const { one, two, archives } = await machines(t)
  const what = { digests: { '': 'x' }, paths: ['node_modules'] }
  const modules = join(one.place.base, 'source/node_modules')
  const keep = async () => {
    await mkdir(modules, { recursive: true })
    await one.caches.keep(one.place, what)
    await Promise.all(one.given)
  }
  await keep()
  assert.deepEqual(await two.caches.restore(two.place), what)
  assert.deepEqual(await one.start('second').restore(one.place), what)
  await rm(modules, { recursive: true })
  await keep()
  archives.clear()
  assert.deepEqual(await one.start('second').restore(one.place), { digests: {}, paths: [] })
  assert.deepEqual(await readdir(one.folder), [])
})

test('what was written to the disk since is used after the machine has restarted', async (t) => {
  const { one, archives } = await machines(t, { syncAfterMs: 0 })
  await mkdir(join(one.place.base, 'source/node_modules'), { recursive: true })
  const what = { digests: { '': 'x' }, paths: ['node_modules'] }
  await one.caches.keep(one.place, what)
  await Promise.all(one.given)
  archives.clear()
  const [key = ''] = await readdir(one.folder)
  await until(async () => !(await readFile(join(one.folder, key, 'contents.json'), 'utf8')).includes('first'))
  assert.deepEqual(await one.start('second').restore(one.place), what)
})

test('one that cannot be counted is not kept', async (t) => {
  const weights = [1, undefined]
  const { one } = await machines(t, { weighTree: async () => weights.shift() })
  const keep = async (name: string) => {
    const place = { ...one.place, project: { id: name, ownerId: 'an-account' } }
    const modules = join(place.base, 'source/node_modules')
    await mkdir(modules, { recursive: true })
    await writeFile(join(modules, 'a'), name)
    await one.caches.keep(place, { digests: {}, paths: ['node_modules'] })
  }
  await keep('first')
  await one.caches.shrink()
  await keep('second')
  await one.caches.shrink()
  assert.deepEqual(weights, [])
  assert.equal((await readdir(one.folder)).length, 1)
})

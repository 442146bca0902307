import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { LoadedProgram } from '#core/instance/instance.ts'
import { createTestClock } from '#test/support/clock.ts'
import { CompileCaches, cacheName } from './compile-caches.ts'

const TAG = 'v24.21.0-x64-964aae3f-1000'
const ARCHIVE = 'a'.repeat(64)

const programOf = (id: string, ownerId: string, deploymentId = 'dpl_1', projectId = 'prj_1') =>
  ({ program: { id, archive: { sha256: ARCHIVE } }, ownerId, deploymentId, projectId }) as LoadedProgram

async function folder(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'aloft-caches-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

async function openCaches(t: TestContext, options: { readonly freeBytes?: number } = {}) {
  const kept = await folder(t)
  const clock = createTestClock()
  const unpacked = new Set([ARCHIVE])
  const make = async () => {
    const caches = new CompileCaches({
      ...{ folder: kept, maxBytes: 200_000, freeBytes: 0, clock, ...options },
      isUnpacked: (sha256) => unpacked.has(sha256),
    })
    await caches.open()
    return caches
  }
  /** What the Node of an instance has left. */
  const compiled = async ({ files = 1, bytes = 40_000, tag = TAG } = {}) => {
    const from = await folder(t)
    await mkdir(join(from, tag))
    for (let n = 0; n < files; n++) await writeFile(join(from, tag, `abc${n}`), 'x'.repeat(bytes / files))
    return from
  }
  /** Which of these are kept. */
  const left = async (programs: readonly LoadedProgram[]) => {
    const names = await readdir(kept)
    return programs.filter((loaded) => names.includes(cacheName(loaded))).map(({ program }) => program.id)
  }
  return { folder: kept, clock, unpacked, make, compiled, left, caches: await make() }
}

describe('compiled code of all programs', {
  skip: process.platform !== 'linux' && 'is kept on Linux only',
}, () => {
  it('is found by later instances, also of another process, and replaced by that of another version', async (t) => {
    const { caches, make, compiled } = await openCaches(t)
    const program = programOf('one', 'owner')
    assert.equal(await caches.find(program), undefined)
    await caches.harvest(await compiled(), program, undefined)
    const found = await (await make()).find(program)
    assert.equal(found?.tag, TAG)
    assert.equal(found.files.get('abc0')?.length, 40_000)
    const tag = 'v25.0.0-x64-1-1000'
    await caches.harvest(await compiled({ tag }), program, TAG)
    assert.equal((await caches.find(program))?.tag, tag)
  })

  it('belongs to one program in one project', () => {
    const of = (id: string, ownerId: string, projectId: string) =>
      cacheName(programOf(id, ownerId, 'dpl_1', projectId))
    const all = [of('a', 'b', 'c'), of('x', 'b', 'c'), of('a', 'x', 'c'), of('a', 'b', 'x')]
    assert.equal(new Set(all).size, 4)
    assert.equal(of('a', 'b', 'c'), all[0])
  })

  it('is bounded: whoever holds the most loses what was used longest ago, also what an earlier process kept', async (t) => {
    const { caches, clock, make, compiled, left } = await openCaches(t)
    const few = programOf('few', 'neighbour')
    const many = ['1', '2', '3', '4'].map((id) => programOf(id, 'hog'))
    const keep = async (by: CompileCaches, program: LoadedProgram | undefined) => {
      assert.ok(program)
      clock.advance(1000)
      await by.harvest(await compiled(), program, undefined)
    }
    await keep(caches, few)
    await keep(caches, many[0])
    await keep(caches, many[1])
    const later = await make()
    clock.advance(1000)
    assert.ok(many[0] && (await later.find(many[0])))
    await keep(later, many[2])
    assert.deepEqual(await left([few, ...many]), ['few', '1', '3'])
    await keep(later, many[3])
    assert.deepEqual(await left([few, ...many]), ['few', '3', '4'])
  })

  it('counts by its files as well', async (t) => {
    const { caches, compiled, left } = await openCaches(t)
    const programs = [programOf('one', 'owner'), programOf('two', 'owner')] as const
    await caches.harvest(await compiled({ files: 8 }), programs[0], undefined)
    await caches.harvest(await compiled({ files: 8 }), programs[1], undefined)
    assert.equal((await left(programs)).length, 1)
  })

  it('goes with the deployment that used it last, and with its program', async (t) => {
    const { folder, caches, unpacked, make, compiled, left } = await openCaches(t)
    const programs = [programOf('one', 'owner', 'dpl_1'), programOf('two', 'owner', 'dpl_1')] as const
    for (const program of programs) await caches.harvest(await compiled(), program, undefined)
    assert.ok(await caches.find(programOf('two', 'owner', 'dpl_2')))
    await caches.settled()
    const later = await make()
    await later.forget('dpl_1')
    assert.deepEqual(await left(programs), ['two'])
    unpacked.clear()
    await later.clear()
    assert.deepEqual(await readdir(folder), [])
  })

  it('is not kept when the disk is nearly full', async (t) => {
    const { folder, caches, compiled } = await openCaches(t, { freeBytes: Number.MAX_SAFE_INTEGER })
    await caches.harvest(await compiled(), programOf('one', 'owner'), undefined)
    assert.deepEqual(await readdir(folder), [])
  })

  it('is removed where it is not known whose it is, or was not written to its end', async (t) => {
    const { folder, make } = await openCaches(t)
    await mkdir(join(folder, cacheName(programOf('one', 'owner')), TAG), { recursive: true })
    await mkdir(join(folder, `${ARCHIVE}-${'b'.repeat(32)}-cut`))
    await mkdir(join(folder, `${(2 ** 22 + 1).toString(36)}-0`))
    await make()
    assert.deepEqual(await readdir(folder), [])
  })
})

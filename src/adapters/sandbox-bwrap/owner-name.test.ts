import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { clearStale, isStale, nextOwner, ownerName } from './owner-name.ts'

test('what a process left is stale once it is gone, and not before', () => {
  const { pid } = spawnSync('true')
  assert.equal(isStale(ownerName({ pid, opening: 0 })), true)
  assert.equal(isStale(`${ownerName({ pid, opening: 3 })}-12`), true)
  assert.equal(isStale(ownerName(nextOwner())), false)
})

test('what was left by those whose processes cannot be seen from here is nobody’s to clear', () => {
  const { pid } = spawnSync('true')
  const name = ownerName({ pid, opening: 0 })
  assert.equal(isStale(name.replace(/^aloft-\w+/, 'aloft-abc123')), false)
  assert.equal(isStale('aloft-ab12'), false)
})

test('what an opening left that is over is cleared, unless it is somebody else’s', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-test-stale-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const { pid } = spawnSync('true')
  const [stale, running] = [ownerName({ pid, opening: 0 }), ownerName({ pid: process.pid, opening: 0 })]
  for (const name of [stale, running, 'aloft-other']) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'group'), '')
  }
  const mine = process.getuid?.() ?? 0
  await clearStale(folder, mine + 1)
  assert.deepEqual((await readdir(folder)).sort(), ['aloft-other', running, stale].sort())
  await clearStale(folder)
  assert.deepEqual((await readdir(folder)).sort(), ['aloft-other', running].sort())
})

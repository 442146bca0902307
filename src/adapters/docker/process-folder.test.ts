import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownProcess } from './labels.ts'
import { processFolderIn } from './process-folder.ts'

test('what belongs to a process that still runs stays, and what nobody owns goes', async (t) => {
  const shared = await mkdtemp(join(tmpdir(), 'aloft-own-folder-'))
  t.after(() => rm(shared, { recursive: true }))
  // As another process that lives: its pid, and when it began.
  const began = (await readFile(`/proc/${process.ppid}/stat`, 'utf8'))
    .replace(/^.*\)/s, '')
    .trim()
    .split(' ')[19]
  const running = `${process.ppid}.${began}`
  for (const name of [running, '1.1', 'a']) {
    await mkdir(join(shared, name))
    await writeFile(join(shared, name, 'socket'), '')
  }
  const own = await processFolderIn(shared)
  assert.equal(own, join(shared, ownProcess()))
  assert.deepEqual((await readdir(shared)).sort(), [running, ownProcess()].sort())
  assert.deepEqual(await readdir(join(shared, running)), ['socket'])
})

test('a shared folder that was left open to others is closed, and one that is a link is refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-own-folder-'))
  t.after(() => rm(folder, { recursive: true }))
  const shared = join(folder, 'shared')
  await mkdir(shared)
  await chmod(shared, 0o755)
  await processFolderIn(shared)
  assert.equal((await stat(shared)).mode & 0o777, 0o700)
  await symlink(shared, join(folder, 'link'))
  await assert.rejects(processFolderIn(join(folder, 'link')), /must belong to the platform alone/)
})

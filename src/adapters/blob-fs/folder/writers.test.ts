import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { lockFile } from './file-lock.ts'
import { layoutOf, makeLayout } from './layout.ts'
import { enterWriter, hasLiveWriters } from './writers.ts'

test('who asks for writers does not take one for dead that is just opening the folder', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'aloft-writers-'))
  t.after(() => rm(root, { recursive: true }))
  assert.equal(await hasLiveWriters(join(root, 'absent')), false)
  const layout = layoutOf(root)
  await makeLayout(layout)
  const opening = await lockFile(layout.openingLock)
  // As it is between the moment at which its file is made and the one at which that is locked.
  await writeFile(join(layout.writers, 'new.lock'), '')
  const asked = hasLiveWriters(root)
  await pause(100)
  assert.deepEqual(await readdir(layout.writers), ['new.lock'])
  const writer = enterWriter(layout.writers)
  opening.release()
  assert.equal(await asked, true)
  await writer.leave()
  assert.equal(await hasLiveWriters(root), false)
})

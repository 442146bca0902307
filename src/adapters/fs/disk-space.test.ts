import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountTinyDisk, unmountTinyDisk } from '#test/support/storage/tiny-disk.ts'
import { createDiskSpace } from './disk-space.ts'

test('logs end well before uploads do, and uploads before the disk is full', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-disk-'))
  const reason = mountTinyDisk(folder, 100)
  t.after(async () => {
    unmountTinyDisk(folder)
    await rm(folder, { recursive: true, force: true })
  })
  if (reason !== undefined) return t.skip(reason)
  const room = async (megabytesLeft: number) => {
    await writeFile(join(folder, 'filler'), Buffer.alloc((100 - megabytesLeft) * 2 ** 20))
    // A look is good for a moment.
    const disk = createDiskSpace(folder)
    return [disk.hasRoomFor('logs'), disk.hasRoomFor('content')]
  }
  assert.deepEqual(await room(60), [true, true])
  assert.deepEqual(await room(40), [false, true])
  assert.deepEqual(await room(20), [false, false])
})

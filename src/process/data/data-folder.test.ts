import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { socketFolder } from '../compose/runner-socket.ts'
import { StartError } from '../supervisor/start-error.ts'
import {
  holdDataFolder,
  requireDataFolder,
  requireSocketFolder,
  requireTemporaryFolder,
} from './data-folder.ts'

test('a data folder that cannot be used is told in one line; others are made', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-data-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const inside = (...names: string[]) => join(folder, ...names)
  writeFileSync(inside('file'), '')
  symlinkSync('loop', inside('loop'))
  symlinkSync('nowhere', inside('dangling'))
  symlinkSync('made 😀', inside('link'))

  await requireDataFolder({ dataDir: inside('made 😀') })
  assert.equal(statSync(inside('made 😀')).mode & 0o777, 0o700)
  await requireDataFolder({ dataDir: inside('made 😀', 'and', 'more') })
  await requireDataFolder({ dataDir: inside('link') })
  assert.equal(realpathSync(inside('link')), realpathSync(inside('made 😀')))

  for (const [dataDir, reason] of [
    [inside('file'), /it is a file$/],
    [inside('file', 'in'), /a part of this path is a file$/],
    [inside('loop'), /a symlink that leads to itself$/],
    [inside('dangling'), /is a symlink to a folder that does not exist$/],
    [inside('x'.repeat(300)), /the path is too long$/],
    [inside(...Array.from({ length: 500 }, () => 'xxxxxxxxx')), /the path is too long$/],
  ] as const)
    await assert.rejects(requireDataFolder({ dataDir }), (error) => {
      assert.ok(error instanceof StartError, String(error))
      assert.match(error.message, /^ALOFT_DATA_DIR: .* cannot be used: /)
      assert.match(error.message, reason)
      return true
    })
})

test('a data folder is not looked for again and again where the system makes none', {
  skip: process.platform !== 'linux' && 'there is no /proc',
}, async () => {
  for (const dataDir of ['/proc/aloft', '/proc/aloft/data'])
    await assert.rejects(
      requireDataFolder({ dataDir }),
      /^StartError: ALOFT_DATA_DIR: .*: it cannot be created there/,
    )
})

test('a data folder of a file system that is read-only is told as that', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-data-'))
  t.after(() => rmSync(folder, { recursive: true }))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', folder]).status !== 0)
    return t.skip('only an administrator can mount a file system')
  try {
    for (const dataDir of [folder, join(folder, 'data'), join(folder, 'data', 'more')])
      await assert.rejects(requireDataFolder({ dataDir }), /: its file system is read-only$/)
  } finally {
    spawnSync('umount', [folder])
  }
})

test('a folder for temporary files is required before anything is started', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-data-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await requireTemporaryFolder()
  await requireTemporaryFolder(folder)
  writeFileSync(join(folder, 'file'), '')
  await assert.rejects(requireTemporaryFolder(join(folder, 'file')), /^StartError: TMPDIR: .* it is a file$/)
  await assert.rejects(
    requireTemporaryFolder(join(folder, 'none')),
    /^StartError: TMPDIR: .* does not exist$/,
  )
})

test('where the path of a data folder is too long for sockets, they are in a folder that nobody else could have made', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-data-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.equal(socketFolder(folder), folder)
  await requireSocketFolder({ dataDir: folder })
  const dataDir = join(folder, 'a'.repeat(100))
  const sockets = socketFolder(dataDir)
  t.after(() => rmSync(sockets, { recursive: true, force: true }))
  assert.equal(dirname(sockets), tmpdir())
  // It is made anew where temporary files were tidied up.
  const release = await holdDataFolder({ dataDir })
  await assert.rejects(holdDataFolder({ dataDir }), /another server is running/)
  await release()
  assert.equal(statSync(sockets).mode & 0o777, 0o700)
  rmSync(sockets, { recursive: true })
  // As somebody else may have made it for us.
  symlinkSync(folder, sockets)
  await assert.rejects(
    requireSocketFolder({ dataDir }),
    /^StartError: ALOFT_DATA_DIR: its path is too long for sockets, and .* must belong to the platform alone/,
  )
})

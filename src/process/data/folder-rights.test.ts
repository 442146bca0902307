import assert from 'node:assert/strict'
import { chmodSync, lchownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigError } from '../../config/config.ts'
import { guardDataFolder, isDataFolderNamed } from './folder-rights.ts'

const STRANGER = 54_321
const GROUP = 2000
const asRoot = { skip: process.getuid?.() !== 0 && 'only root can give folders away' }

function makeFolder(t: TestContext, mode: number, uid?: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-data-'))
  t.after(() => rmSync(folder, { recursive: true }))
  if (uid !== undefined) lchownSync(folder, uid, GROUP)
  chmodSync(folder, mode)
  return folder
}
const modeOf = (folder: string) => statSync(folder).mode & 0o7777
const refusal = (why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ConfigError)
  assert.match(error.message, /^ALOFT_DATA_DIR: .*; work in a folder of your own, or set ALOFT_DATA_DIR/)
  assert.match(error.message, why)
  return true
}

test('a folder is named by the environment or the file, and not by an empty value', () => {
  assert.equal(isDataFolderNamed({}, {}), false)
  assert.equal(isDataFolderNamed({ ALOFT_DATA_DIR: '' }, { dataDir: 'data' }), false)
  assert.equal(isDataFolderNamed({ ALOFT_DATA_DIR: 'data' }, {}), true)
  assert.equal(isDataFolderNamed({}, { dataDir: 'data' }), true)
  assert.equal(isDataFolderNamed({}, { ALOFT_DATA_DIR: 'data' }), true)
})

test('a folder that everybody may write to is closed to them, and to nobody else', async (t) => {
  for (const [mode, after] of [
    [0o777, 0o775],
    [0o2777, 0o2775],
    [0o702, 0o700],
  ] as const)
    for (const isNamed of [false, true]) {
      const folder = makeFolder(t, mode)
      assert.match((await guardDataFolder(folder, isNamed)) ?? '', /they no longer can$/)
      assert.equal(modeOf(folder), after)
    }
  for (const mode of [0o700, 0o755, 0o2775]) {
    const folder = makeFolder(t, mode)
    assert.equal(await guardDataFolder(folder, false), undefined)
    assert.equal(modeOf(folder), mode)
  }
  assert.equal(await guardDataFolder(join(makeFolder(t, 0o700), 'missing'), false), undefined)
})

test('a folder such as /tmp is left as it is', async (t) => {
  const folder = makeFolder(t, 0o1777)
  assert.match((await guardDataFolder(folder, true)) ?? '', /can write to the data folder$/)
  assert.equal(modeOf(folder), 0o1777)
})

test('what another user left where nobody named a folder is refused', asRoot, async (t) => {
  for (const mode of [0o777, 0o2775, 0o700])
    await assert.rejects(guardDataFolder(makeFolder(t, mode, STRANGER), false), refusal(/\(uid 54321\)/))
  const folder = makeFolder(t, 0o700)
  mkdirSync(join(folder, 'own'))
  symlinkSync('own', join(folder, 'link'))
  assert.equal(await guardDataFolder(join(folder, 'link'), false), undefined)
  lchownSync(join(folder, 'link'), STRANGER, STRANGER)
  await assert.rejects(guardDataFolder(join(folder, 'link'), false), refusal(/\(uid 54321\)/))
})

test('the folder of who asked root for it is theirs', asRoot, async (t) => {
  const folder = makeFolder(t, 0o755, STRANGER)
  process.env.SUDO_UID = String(STRANGER)
  t.after(() => delete process.env.SUDO_UID)
  assert.equal(await guardDataFolder(folder, false), undefined)
  chmodSync(folder, 0o777)
  assert.match((await guardDataFolder(folder, false)) ?? '', /they no longer can$/)
  chmodSync(folder, 0o1777)
  await assert.rejects(guardDataFolder(folder, false), refusal(/can be written by every user/))
})

test('a volume is used as it was made, and named where everybody may write to it', asRoot, async (t) => {
  const ofGroup = makeFolder(t, 0o2775, STRANGER)
  assert.equal(await guardDataFolder(ofGroup, true), undefined)
  const ofAll = makeFolder(t, 0o2777, STRANGER)
  assert.match((await guardDataFolder(ofAll, true)) ?? '', /can write to the data folder$/)
  assert.equal(modeOf(ofAll), 0o2777)
})

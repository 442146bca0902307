import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CliError } from '../exit.ts'
import { LINK_FILE, readLink, removeLink, writeLink } from './link-file.ts'

function temporary(t: { after(work: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-link-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a link is read as it was written, by its owner alone, and for its installation alone', (t) => {
  const folder = temporary(t)
  assert.equal(readLink(folder), undefined)
  const link = { projectId: 'prj_1', teamId: null, baseUrl: 'http://localhost:3000' }
  writeLink(folder, { ...link, teamId: 'team_1' })
  writeLink(folder, link)
  assert.deepEqual(readLink(folder, link.baseUrl), link)
  assert.equal(readLink(folder, 'https://aloft.example.com'), undefined)
  assert.equal(statSync(join(folder, LINK_FILE)).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(folder, '.aloft')), ['project.json'])
})

test('a file that is no link is told', (t) => {
  const folder = temporary(t)
  mkdirSync(join(folder, '.aloft'))
  for (const text of ['', '{}', '[]', 'null', '{"projectId":1}', '{"projectId":"x; reboot"}']) {
    writeFileSync(join(folder, LINK_FILE), text)
    assert.throws(() => readLink(folder), CliError, text)
  }
})

test('a folder that cannot be written to is told with a way round', (t) => {
  const folder = temporary(t)
  writeFileSync(join(folder, '.aloft'), 'a file')
  assert.throws(
    () => writeLink(folder, { projectId: 'prj_1', teamId: null }),
    (error) => error instanceof CliError && /--no-link/.test(error.hint ?? ''),
  )
})

test('a link is removed with its folder, unless something else is in there', (t) => {
  const folder = temporary(t)
  assert.equal(removeLink(folder), false)
  writeLink(folder, { projectId: 'prj_1', teamId: null })
  assert.equal(removeLink(folder), true)
  assert.deepEqual(readdirSync(folder), [])
  writeLink(folder, { projectId: 'prj_1', teamId: null })
  writeFileSync(join(folder, '.aloft/other'), '')
  assert.equal(removeLink(folder), true)
  assert.deepEqual(readdirSync(join(folder, '.aloft')), ['other'])
})

test('the link of another folder is neither written nor removed through a symlink', (t) => {
  const folder = temporary(t)
  const [own, strangers] = [join(folder, 'own'), join(folder, 'strangers')]
  for (const made of [own, strangers]) mkdirSync(made)
  writeLink(own, { projectId: 'prj_own', teamId: null })
  symlinkSync('../own/.aloft', join(strangers, '.aloft'))
  assert.throws(() => writeLink(strangers, { projectId: 'prj_stranger', teamId: null }), CliError)
  assert.throws(() => removeLink(strangers), CliError)
  assert.equal(readLink(own)?.projectId, 'prj_own')
})

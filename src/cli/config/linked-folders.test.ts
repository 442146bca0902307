import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLinkedFolders } from './linked-folders.ts'

const link = { projectId: 'prj_1', teamId: null, baseUrl: 'http://localhost:3000' }

test('a link is known for its folder and as it was made, to its person alone', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'aloft-linked-'))
  t.after(() => rmSync(home, { recursive: true }))
  const [one, two] = [join(home, 'one'), join(home, 'two')]
  for (const folder of [one, two]) mkdirSync(folder)
  const path = join(home, 'config/linked-folders.json')
  const open = () => openLinkedFolders(join(home, 'config/auth.json'))
  assert.equal(open().knows(one, link), false)
  open().remember(one, link)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(open().knows(one, link), true)
  assert.equal(open().knows(two, link), false)
  for (const other of [{ projectId: 'prj_2' }, { teamId: 'team_1' }, { baseUrl: 'http://localhost:4000' }])
    assert.equal(open().knows(one, { ...link, ...other }), false)
  symlinkSync(one, join(home, 'same'))
  assert.equal(open().knows(join(home, 'same'), link), true)

  rmSync(one, { recursive: true })
  open().remember(two, link)
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(path, 'utf8'))), [two])
  writeFileSync(path, 'half of')
  assert.equal(open().knows(two, link), false)
})

test('a home that cannot be written to remembers nothing, and nothing fails', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'aloft-linked-'))
  t.after(() => rmSync(home, { recursive: true }))
  writeFileSync(join(home, 'config'), 'a file')
  const linked = openLinkedFolders(join(home, 'config/auth.json'))
  linked.remember(home, link)
  assert.equal(linked.knows(home, link), false)
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownCommand } from './own-command.ts'

test('the command line is called by its name where that is found, else by where it is', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'own command-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const program = (path: string) => writeFileSync(path, '', { mode: 0o755 })
  const linked = join(folder, 'linked')
  mkdirSync(linked)
  program(join(linked, 'aloft'))
  const own = join(folder, 'aloft.js')
  assert.equal(ownCommand(`/nowhere:${folder}`, own), 'aloft', 'a package that has no such file')
  program(own)
  assert.equal(ownCommand(`/nowhere:${folder}`, own), `'${own}'`)
  assert.equal(ownCommand(`${folder}:${linked}`, own), 'aloft')
  assert.match(ownCommand(''), /\/bin\/aloft\.js$/)
})

import assert from 'node:assert/strict'
import { chmodSync, lchownSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '../config/config.ts'
import { readConfigFile } from './config-file.ts'

test('the file of settings is read, and what is wrong with it is one line that quotes nothing of it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.deepEqual(readConfigFile(folder), {})

  const read = (text: string) => {
    writeFileSync(join(folder, 'aloft.config.json'), text)
    return readConfigFile(folder)
  }
  assert.deepEqual(read('{"port":8080}'), { port: 8080 })
  assert.deepEqual(read('\uFEFF{"port":8080}'), { port: 8080 }, 'with a byte order mark')
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"masterKey":hunter2}',
    '{"masterKey":"a"\u0001}',
    '{"a":"\n"}',
  ])
    assert.throws(
      () => read(text),
      (error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(
          error.message,
          /^aloft\.config\.json: it (?:is not valid JSON: |should contain one JSON object$)/,
        )
        assert.doesNotMatch(error.message, /\p{Cc}|hunter|masterKey/u)
        return true
      },
    )
})

test('a file that others can write is refused, and one is read through nobody else’s symlink', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'aloft.config.json')
  const refused = (error: unknown) =>
    error instanceof ConfigError && /others can write it/.test(error.message)
  writeFileSync(file, '{"port":8080}')
  chmodSync(file, 0o664)
  assert.deepEqual(readConfigFile(folder), { port: 8080 })
  chmodSync(file, 0o666)
  assert.throws(() => readConfigFile(folder), refused)
  assert.equal(statSync(file).mode & 0o777, 0o666)
  // As where a file system keeps no rights.
  assert.deepEqual(
    readConfigFile(folder, () => {}),
    { port: 8080 },
  )
  chmodSync(file, 0o644)
  if (process.getuid?.() !== 0) return
  const stranger = 54_321
  lchownSync(file, stranger, stranger)
  assert.throws(() => readConfigFile(folder), refused)
  lchownSync(file, 0, 0)
  const other = mkdtempSync(join(folder, 'other-'))
  symlinkSync(file, join(other, 'aloft.config.json'))
  assert.deepEqual(readConfigFile(other), { port: 8080 })
  lchownSync(join(other, 'aloft.config.json'), stranger, stranger)
  assert.throws(() => readConfigFile(other), refused)
  chmodSync(file, 0o666)
  assert.throws(() => readConfigFile(other, () => {}), refused)
})

test('the file is read as well by a process whose program has been removed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-config-'))
  const program = process.argv[1] as string
  t.after(() => {
    process.argv[1] = program
    rmSync(folder, { recursive: true })
  })
  process.argv[1] = join(folder, 'removed.js')
  writeFileSync(join(folder, 'aloft.config.json'), '{"port":8080}')
  assert.deepEqual(readConfigFile(folder), { port: 8080 })
})

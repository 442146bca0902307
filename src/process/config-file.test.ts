import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

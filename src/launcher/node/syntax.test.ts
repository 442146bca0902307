import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'acorn'

/** Loaded by versions only that know `import()`. */
const NEWER = ['import-module.cjs']

const files = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.cjs') && !NEWER.includes(name),
)

test('the launcher is written in what Node 8.10 reads', () => {
  assert.ok(files.includes('main.cjs'))
  for (const name of files) {
    const source = readFileSync(join(import.meta.dirname, name), 'utf8')
    assert.doesNotThrow(
      () => parse(source, { ecmaVersion: 2017, sourceType: 'script', allowReturnOutsideFunction: true }),
      name,
    )
    assert.doesNotMatch(source, /require\('node:/, `${name}: modules have no node: prefix before 14.18`)
    assert.doesNotMatch(source, /\bglobalThis\./, `${name}: globalThis is Node 12`)
  }
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'acorn'

/** Loaded by versions only that know `import()`. */
const NEWER = ['import-module.cjs']

/** What is easily written, or suggested by tools, without a thought of old versions. */
const NEWER_CALLS =
  /Object\.(?:hasOwn|fromEntries)\b|Promise\.(?:allSettled|any)\b|\.(?:at|flat|flatMap|matchAll|replaceAll|finally|trimStart|trimEnd)\(|\bglobalThis\.|\bqueueMicrotask\b|\bstructuredClone\b/

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
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
    assert.doesNotMatch(source, NEWER_CALLS, `${name}: calls what Node 8.10 has not`)
  }
})

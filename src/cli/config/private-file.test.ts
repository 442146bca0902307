import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'aloft-private-'))
after(() => rmSync(folder, { recursive: true }))

test('a file that there is no room for stays as it was, and nothing is left beside it', () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'before')
  const module = new URL('./private-file.ts', import.meta.url).href
  const script = `const { replacePrivately } = await import(${JSON.stringify(module)})
    replacePrivately(${JSON.stringify(path)}, 'x'.repeat(10_000))`
  const line = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script]
  const { status, stderr } = spawnSync('sh', line, { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /EFBIG/)
  assert.equal(readFileSync(path, 'utf8'), 'before')
  assert.deepEqual(readdirSync(folder), ['file'])
})

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBrowser } from './open-browser.ts'

test('a browser opens addresses of sites, and never files or programs that a server names', {
  skip: process.platform === 'win32' || process.platform === 'darwin',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-open-'))
  const opened = join(folder, 'opened')
  writeFileSync(opened, '')
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$@" >> ${opened}\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = `${folder}:${PATH}`
  t.after(() => {
    process.env.PATH = PATH
    rmSync(folder, { recursive: true })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const watching = watch(opened, () => readFileSync(opened, 'utf8').includes('last') && resolve())
  t.after(() => watching.close())
  for (const address of ['--version', '/bin/sh', 'file:///bin/sh', '\\\\host\\share', 'javascript:0', ''])
    openBrowser(address)
  openBrowser('https://shop.example:8080/last')
  await promise
  assert.equal(readFileSync(opened, 'utf8'), 'https://shop.example:8080/last\n')
})

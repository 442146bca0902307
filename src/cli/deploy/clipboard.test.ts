import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { clipboardPrograms, copyToClipboard } from './clipboard.ts'

test('every system has its own program, and a machine without a screen none', () => {
  const names = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    clipboardPrograms(env, platform).map(([name]) => name)
  assert.deepEqual(names({}), [])
  assert.deepEqual(names({ DISPLAY: ':0' }), ['xclip', 'xsel'])
  assert.deepEqual(names({ DISPLAY: ':0', WAYLAND_DISPLAY: 'w' }), ['wl-copy', 'xclip', 'xsel'])
  assert.deepEqual(names({ WSL_DISTRO_NAME: 'Debian' }), ['clip.exe'])
  assert.deepEqual(names({}, 'darwin'), ['pbcopy'])
  assert.deepEqual(names({}, 'win32'), ['clip.exe'])
})

test('the first program that works is given the text', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-clip-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const put = (name: string, script: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':0' }
  put('xclip', 'exit 1')
  put('xsel', 'exit 1')
  assert.equal(await copyToClipboard('http://x', env, 'linux'), false)
  put('xsel', `cat > ${folder}/copied`)
  assert.equal(await copyToClipboard('http://x', env, 'linux'), true)
  assert.equal(readFileSync(join(folder, 'copied'), 'utf8'), 'http://x')
  assert.equal(await copyToClipboard('http://x', { PATH: '/nonexistent', DISPLAY: ':0' }, 'linux'), false)
})

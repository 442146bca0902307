import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { lockFile, tryLockFile } from './file-lock.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aloft-lock-'))
})
after(() => rm(folder, { recursive: true, force: true }))

test('a lock is held once in a process, until it is released', async () => {
  const path = join(folder, 'one')
  const lock = tryLockFile(path)
  assert.ok(lock)
  assert.equal(tryLockFile(path), undefined)
  assert.equal(tryLockFile(path), undefined)
  const waiting = lockFile(path)
  lock.release()
  const next = await waiting
  assert.equal(tryLockFile(path), undefined)
  next.release()
})

test('a lock file is private', async () => {
  const path = join(folder, 'private')
  tryLockFile(path)?.release()
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('a lock of another process holds until that process is killed', async () => {
  const path = join(folder, 'other')
  const script = `
    import { tryLockFile } from ${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)}
    globalThis.lock = tryLockFile(${JSON.stringify(path)})
    process.stdout.write('locked')
    setInterval(() => undefined, 1000)
  `
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script])
  try {
    await once(child.stdout, 'data')
    assert.equal(tryLockFile(path), undefined)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const lock = tryLockFile(path)
  assert.ok(lock)
  lock.release()
})

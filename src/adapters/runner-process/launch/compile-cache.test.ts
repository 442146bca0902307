import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { layCache, readCache } from './compile-cache.ts'

const TAG = 'v24.21.0-x64-964aae3f-1000'
const LARGE = 'x'.repeat(40_000)

async function folder(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'aloft-cache-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

describe('compiled code', { skip: process.platform !== 'linux' && 'is kept on Linux only' }, () => {
  it('is read whole, but not that of a version which is known', async (t) => {
    const [from, kept] = [await folder(t), await folder(t)]
    await mkdir(join(from, TAG))
    await writeFile(join(from, TAG, 'abc123'), LARGE)
    const made = await readCache(from)
    assert.ok(made)
    await layCache(made, kept)
    const again = await readCache(kept)
    assert.equal(again?.tag, TAG)
    assert.equal(again.files.get('abc123')?.toString(), LARGE)
    assert.equal(await readCache(kept, TAG), undefined)
  })

  it('is not worth keeping where it is little', async (t) => {
    const from = await folder(t)
    await mkdir(join(from, TAG))
    await writeFile(join(from, TAG, 'abc123'), 'little')
    assert.equal(await readCache(from), undefined)
  })

  it('is not looked for behind links, in pipes, or under other names', async (t) => {
    const secret = await folder(t)
    await writeFile(join(secret, 'abc123'), LARGE)
    const linked = await folder(t)
    await symlink(secret, join(linked, TAG))
    await assert.rejects(readCache(linked), { code: /ELOOP|ENOTDIR/ })
    const inner = await folder(t)
    await mkdir(join(inner, TAG))
    await symlink(join(secret, 'abc123'), join(inner, TAG, 'abc123'))
    await assert.rejects(readCache(inner), { code: 'ELOOP' })
    const pipe = await folder(t)
    await mkdir(join(pipe, TAG))
    execFileSync('mkfifo', [join(pipe, TAG, 'abc123')])
    assert.equal(await readCache(pipe), undefined)
    const named = await folder(t)
    await mkdir(join(named, TAG))
    await writeFile(join(named, TAG, 'name.node'), LARGE)
    assert.equal(await readCache(named), undefined)
  })
})

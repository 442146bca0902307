import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { readSmall } from './read-small.ts'

async function folderOf(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-read-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('reads what is there, and refuses what is not', async (t) => {
  const folder = await folderOf(t)
  await writeFile(join(folder, 'a'), 'text')
  assert.equal(String(await readSmall(join(folder, 'a'))), 'text')
  await assert.rejects(readSmall(join(folder, 'b')), { code: 'ENOENT' })
})

it('lets others have their turn between many files', async (t) => {
  const file = join(await folderOf(t), 'a')
  await writeFile(file, Buffer.alloc(60_000))
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  t.after(() => clearInterval(timer))
  for (let n = 0; n < 3000; n++) await readSmall(file)
  assert.ok(turns > 0)
})

it('stops when it is told to', async (t) => {
  const file = join(await folderOf(t), 'a')
  await writeFile(file, 'text')
  await assert.rejects(readSmall(file, AbortSignal.abort(new Error('stopped'))), { name: /Error/ })
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { markDamaged } from '../database/damaged-file.ts'
import { openLogDatabase } from './log-database.ts'

async function folderFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-logs-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return { folder, file: join(folder, 'logs.db') }
}

test('logs that were found damaged and that somebody has deleted since are begun anew', async (t) => {
  const { folder, file } = await folderFor(t)
  markDamaged(file, () => {})
  await writeFile(`${file}-wal`, randomBytes(100))
  const database = await openLogDatabase({ file })
  await database.migrate()
  await database.check()
  await database.close()
  const names = (await readdir(folder)).map((name) => name.replace(/damaged-.*Z/, 'damaged'))
  assert.deepEqual(names.sort(), ['logs.db', 'logs.db.damaged-wal'])
})

test('a file that cannot be opened is named', async (t) => {
  const { file } = await folderFor(t)
  await mkdir(file)
  const open = async () => (await openLogDatabase({ file })).migrate()
  await assert.rejects(open, (error: Error) => `${error.message} ${error.cause}`.includes(file))
})

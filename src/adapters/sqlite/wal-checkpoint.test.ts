import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { WalCheckpoint } from './wal-checkpoint.ts'

const MIB = 1 << 20

async function openLog(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-wal-'))
  const file = join(folder, 'a.db')
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = off; pragma wal_autocheckpoint = 0')
  db.exec('create table notes (text text)')
  t.after(async () => {
    db.close()
    await rm(folder, { recursive: true, force: true })
  })
  const checkpoint = new WalCheckpoint(file)
  return {
    file,
    /** So many megabytes. */
    write(count: number) {
      for (let n = 0; n < count; n++) db.prepare('insert into notes values (?)').run('x'.repeat(MIB))
    },
    count: () => db.prepare('select count(*) as count from notes').get()?.count,
    length: async () => (await stat(`${file}-wal`)).size,
    /** As many commits as it takes to have a look. */
    async look() {
      for (let n = 0; n < 16; n++) checkpoint.note()
      await checkpoint.close()
    },
  }
}

it('puts a log away once it is long', async (t) => {
  const { write, count, length, look } = await openLog(t)
  write(2)
  const short = await length()
  await look()
  assert.equal(await length(), short)
  write(8)
  await look()
  assert.ok((await length()) < MIB, `${await length()} bytes are left`)
  assert.equal(count(), 10)
})

it('leaves a log that somebody reads from, and tries again when it has grown', async (t) => {
  const { file, write, count, length, look } = await openLog(t)
  write(10)
  const reader = new DatabaseSync(file)
  reader.exec('begin')
  assert.equal(reader.prepare('select count(*) as count from notes').get()?.count, 10)
  write(1)
  await look()
  const left = await length()
  assert.ok(left > 10 * MIB)
  assert.equal(reader.prepare('select count(*) as count from notes').get()?.count, 10)
  reader.exec('commit')
  reader.close()
  await look()
  assert.equal(await length(), left, 'it was tried just now')
  write(9)
  await look()
  assert.ok((await length()) < MIB, `${await length()} bytes are left`)
  assert.equal(count(), 20)
})

it('starts anew where somebody else has emptied the log since', async (t) => {
  const { file, write, length, look } = await openLog(t)
  write(10)
  const reader = new DatabaseSync(file)
  reader.exec('begin')
  reader.prepare('select count(*) as count from notes').get()
  write(1)
  await look()
  assert.ok((await length()) > 10 * MIB)
  reader.exec('commit; pragma wal_checkpoint(truncate)')
  reader.close()
  assert.equal(await length(), 0)
  write(9)
  await look()
  assert.ok((await length()) < MIB, `${await length()} bytes are left`)
})

it('tells of a file that cannot be opened, and puts others away after it', async (t) => {
  const { file, write, length, look } = await openLog(t)
  const failures: unknown[] = []
  const absent = new WalCheckpoint(join(file, 'none.db'), { onFailure: (error) => failures.push(error) })
  write(10)
  await Promise.all([absent.run(), look(), absent.run()])
  assert.equal(failures.length, 1)
  assert.match(String(failures[0]), /unable to open database file/)
  assert.ok((await length()) < MIB, `${await length()} bytes are left`)
})

it('tells that the machine has no thread left, and waits for the next look', async (t) => {
  const { file, write, length, look } = await openLog(t)
  const failures: unknown[] = []
  const checkpoint = new WalCheckpoint(file, { onFailure: (error) => failures.push(error) })
  write(10)
  const ref = t.mock.method(Worker.prototype, 'ref', () => {
    throw new Error('no thread')
  })
  await checkpoint.run()
  assert.deepEqual(failures.map(String), ['Error: no thread'])
  ref.mock.restore()
  await look()
  assert.ok((await length()) < MIB, `${await length()} bytes are left`)
})

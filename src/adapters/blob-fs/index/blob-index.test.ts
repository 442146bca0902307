import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import type { Log } from '#core/ports/log.ts'
import { BlobIndex } from './blob-index.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aloft-index-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const fail = (fields: object, message: string) => assert.fail(`${message}: ${JSON.stringify(fields)}`)
const log: Log = { debug: fail, info: fail, warn: fail, error: fail, child: () => log }

const noise = (putAt: number) => ({ sha256: randomBytes(32).toString('hex'), size: 1, putAt })

test('a change that throws leaves no trace, and the index works on', async () => {
  const index = new BlobIndex(join(folder, 'rollback'), log)
  await assert.rejects(
    index.write((rows) => {
      rows.addPack('half', null)
      throw new Error('no')
    }),
    /no/,
  )
  assert.deepEqual(await index.read((rows) => rows.packs()), [])
  await index.write((rows) => rows.addPack('whole', null))
  assert.equal((await index.read((rows) => rows.packs())).length, 1)
  await index.close()
})

test('a change waits for one of another process without holding the event loop', async () => {
  const path = join(folder, 'busy')
  const index = new BlobIndex(path, log)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const change = index.write((rows) => rows.addPack('late', null))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await index.read((rows) => rows.packs()), [])
  other.exec('COMMIT')
  await change
  other.close()
  await index.close()
})

test('a long log is moved into the index while it is in use', async () => {
  const path = join(folder, 'checkpoint')
  const index = new BlobIndex(path, log)
  // The last connection to close would move it in any case.
  const bystander = new BlobIndex(path, log)
  const pack = await index.write((rows) => rows.addPack('pack', null))
  for (let n = 0; n < 80; n += 1)
    await index.write((rows) => {
      for (let m = 0; m < 400; m += 1) rows.insert(noise(n), { pack, offset: m })
    })
  // It is looked at after some of the changes, and this ends when it was moved.
  while ((await stat(`${path}-wal`)).size > 16 << 20) await index.write(() => undefined)
  await index.close()
  assert.equal((await bystander.read((rows) => rows.page('', 'f'.repeat(64), 40_000))).length, 32_000)
  await bystander.close()
})

test('an index of a newer version is left alone', async () => {
  const path = join(folder, 'newer')
  const db = new DatabaseSync(path)
  db.exec('PRAGMA user_version = 99')
  db.close()
  assert.throws(() => new BlobIndex(path, log), /newer version/)
})

test('what is no index is told apart from a busy one', async () => {
  const path = join(folder, 'noise')
  await writeFile(path, randomBytes(8192))
  assert.throws(() => new BlobIndex(path, log), /not a database/)
})

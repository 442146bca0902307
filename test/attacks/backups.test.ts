import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openArchive } from '#adapters/backup-tar/archive.ts'
import { findDamage } from '#adapters/backup-tar/find-damage.ts'
import {
  type BackupEnd,
  type BackupManifest,
  backupEnd,
  CHECKSUMS,
  checksumLine,
  MANIFEST,
  tarEntry,
} from '#contract/backup/backup.ts'
import { checkBackup } from '#src/process/data/restore.ts'
import { tried } from '#test/support/attacked.ts'

const AT = 1_700_000_000_000
const manifest: BackupManifest = {
  ...{ format: 'aloft-backup', version: 2, aloft: '0.1.0', createdAt: AT, database: 'sqlite' },
  main: { migrations: ['0001'], tables: [{ name: 'users', rows: 1 }] },
  blobs: { count: 1, bytes: 5, missing: 0 },
  ...{ keyCheck: 'x', hasKey: false },
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** An archive whose every checksum matches, whatever it says. */
function archiveOf(first: unknown, more: Partial<BackupEnd> = {}): Buffer {
  const content = Buffer.from(JSON.stringify(first))
  const list = Buffer.from(checksumLine(sha256(content), MANIFEST))
  const entries = tarEntry(MANIFEST, content, AT)
  const body = Buffer.concat([entries, tarEntry(CHECKSUMS, list, AT)])
  const checksums = { at: entries.length, sha256: sha256(list) }
  const end = { sha256: sha256(body), bytes: body.length, missing: 0, checksums, ...more }
  return Buffer.concat([body, backupEnd(end, AT)])
}

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aloft-archive-'))
})
after(() => rm(folder, { recursive: true }))

const check = async (bytes: Buffer) => {
  const file = join(folder, 'backup.tar')
  await writeFile(file, bytes)
  return checkBackup({ file, cwd: folder })
}

test('a backup whose checksums match and whose manifest lies is refused in words', async (t) => {
  assert.equal((await check(archiveOf(manifest))).rows, 1)
  const lies: readonly unknown[] = [
    null,
    'aloft-backup',
    { ...manifest, version: '2' },
    { ...manifest, version: -1 },
    { ...manifest, version: 99, aloft: 'x'.repeat(1000) },
    { ...manifest, aloft: { toString: 'x' } },
    { ...manifest, createdAt: 'yesterday' },
    { ...manifest, createdAt: 9e15 },
    { ...manifest, database: '../x' },
    { ...manifest, blobs: undefined },
    { ...manifest, blobs: { count: '1', bytes: 1, missing: 0 } },
    { ...manifest, keyCheck: undefined },
    { ...manifest, main: { migrations: [], tables: [null] } },
    { ...manifest, main: { migrations: [], tables: [{ name: 'users', rows: 'many' }] } },
    { ...manifest, logs: { migrations: [{}], tables: [] } },
  ]
  for (const lie of lies)
    await assert.rejects(check(archiveOf(lie)), { name: 'RestoreError' }, JSON.stringify(lie))
  tried(t, lies.length)
})

test('so is one whose end leads elsewhere', async (t) => {
  const ends = [
    { missing: 'all' },
    { sha256: 5 },
    { sha256: 'x', checksums: { at: -512, sha256: 'x' } },
    { sha256: 'x', checksums: { at: 1e15, sha256: 'x' } },
    { sha256: 'x', checksums: { at: 0.5, sha256: 'x' } },
    { sha256: 'x', checksums: null },
  ] as unknown as readonly Partial<BackupEnd>[]
  for (const end of ends)
    await assert.rejects(check(archiveOf(manifest, end)), { name: 'RestoreError' }, JSON.stringify(end))
  tried(t, ends.length)
})

test('however many entries are missing, what is left is searched for them once', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `blobs/${String(n).padStart(64, '0')}`)
  const content = Buffer.alloc(2000, 1)
  const entries = names.map((name) => tarEntry(name, content, AT))
  const list = Buffer.from(names.map((name) => checksumLine(sha256(content), name)).join(''))
  const size = entries[0]?.length as number
  const find = async (...holes: readonly (readonly [from: number, to: number])[]) => {
    const body = Buffer.concat([...entries, tarEntry(CHECKSUMS, list, AT)])
    for (const [from, to] of holes) body.fill(0, from * size, to * size)
    let read = 0
    const readAt = async (position: number, length: number) => {
      read += length
      return body.subarray(position, position + length)
    }
    const damaged = await findDamage(readAt, body.length, { at: 200 * size, sha256: sha256(list) })
    return { damaged, isOnce: read < 4 * body.length }
  }
  assert.deepEqual(await find([150, 200]), { damaged: names.slice(150), isOnce: true })
  assert.deepEqual(await find([10, 190]), { damaged: names.slice(10, 190), isOnce: true })
  assert.deepEqual(await find([0, 1], [50, 60]), {
    ...{ damaged: [names[0], ...names.slice(50, 60)], isOnce: true },
  })
})

test('an archive that is no file is refused in words', async () => {
  await assert.rejects(openArchive(join(folder, 'none.tar')), { code: 'ENOENT' })
  await assert.rejects(check(Buffer.alloc(100)), { name: 'RestoreError' })
})

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createFileStore } from '#adapters/sql/file/file-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { shareS3, withoutS3 } from '#test/support/storage/s3.ts'
import { moveDatabase } from './move-database.ts'

const LARGE = 100_000

onPostgres((_, open) =>
  test('accounts do not have contents that were too damaged to be moved to an object store', {
    skip: withoutS3,
  }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'aloft-move-'))
    t.after(() => rm(folder, { recursive: true }))
    const s3 = await shareS3()
    t.after(() => s3.stop())
    const url = await open()
    assert.ok(url)
    t.after(() => removeDatabase(url))
    const dataDir = join(folder, 'data')
    await mkdir(dataDir, { mode: 0o700 })
    const blobs = await createFsBlobStore({
      ...{ folder: join(dataDir, 'blobs'), clock: systemClock, log: silentLog },
    })
    const now = Date.now()
    const [sound, damaged] = await Promise.all(
      ['s', 'd'].map((text) => blobs.putBytes(Buffer.alloc(LARGE, text))),
    )
    await blobs.close()
    assert.ok(sound && damaged)
    const { sha256 } = damaged
    await writeFile(join(dataDir, 'blobs/large', sha256.slice(0, 2), sha256), Buffer.alloc(LARGE, 'x'))
    const before = await openDatabase({ file: join(dataDir, 'aloft.db') })
    await before.migrate()
    await createFileStore(before.db).add('anna', [sound, damaged], now)
    await before.close()

    const env = {
      ...{ ALOFT_DATA_DIR: dataDir, ALOFT_DATABASE_URL: url, ALOFT_BLOB_URL: await s3.makeBucket('moved') },
      ...{ AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' },
    }
    const moved = await moveDatabase({ back: false, env, cwd: folder })
    assert.deepEqual([moved.contents, moved.damaged], [1, 1])
    const after = await openDatabase({ url, file: '' })
    t.after(() => after.close())
    const files = createFileStore(after.db)
    const has = await files.claim('anna', [sound.sha1, damaged.sha1], now)
    assert.deepEqual([...has.keys()], [sound.sha1])
    assert.equal(await files.countDamaged(), 1)
  }),
)

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { createMovingBlobStore } from '#adapters/blob-moving/moving-blob-store.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { type SharedS3, shareS3, withoutS3 } from '../../support/storage/s3.ts'
import { openS3Storage } from '../../support/storage/s3-storage.ts'
import { blobStoreSuite } from './blob-store-suite.ts'

blobStoreSuite('blob store on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-blobs-'))
  return {
    open: (clock) => createFsBlobStore({ folder, clock, log: silentLog }),
    strays: () => readdir(join(folder, 'temp')),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})

describe('blob store in an object store', { skip: withoutS3 }, () => {
  let server: Promise<SharedS3> | undefined
  after(async () => (await server)?.stop())
  blobStoreSuite('with copies on each machine', async () => {
    server ??= shareS3()
    return openS3Storage(await server, usualDatabase)
  })
})

blobStoreSuite('blob store whose contents are moved', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-blobs-'))
  const [to, from] = [join(folder, 'to'), join(folder, 'from')]
  return {
    open: async (clock) =>
      createMovingBlobStore(
        await createFsBlobStore({ folder: to, clock, log: silentLog }),
        await createFsBlobStore({ folder: from, clock, log: silentLog }),
      ),
    strays: async () => [...(await readdir(join(to, 'temp'))), ...(await readdir(join(from, 'temp')))],
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})

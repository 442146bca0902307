import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { blobStoreSuite } from './blob-store-suite.ts'

blobStoreSuite('blob store on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-blobs-'))
  return {
    open: (clock) => createFsBlobStore({ folder, clock, log: silentLog }),
    strays: () => readdir(join(folder, 'temp')),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})

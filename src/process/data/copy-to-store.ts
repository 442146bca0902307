import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { copyContents } from '#adapters/blob/copy-contents.ts'
import type { ContentIndex } from '#adapters/blob-s3/content-index.ts'
import { createMarker } from '#adapters/blob-s3/marker.ts'
import type { S3Client } from '#adapters/blob-s3/s3-client.ts'
import { createDiskSpace } from '#adapters/fs/disk-space.ts'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createSettingStore } from '#adapters/sql/database/setting-store.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import type { BlobStore, StoredBlob } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import type { Config } from '../../config/config.ts'
import {
  COPIES,
  claimStore,
  INSTALLATION,
  openClient,
  openDisk,
  openStore,
} from '../compose/content/contents.ts'
import { quietLog } from './quiet-log.ts'

interface CopyOptions {
  /** A database with where each content is in the object store, which is made where it is missing. */
  readonly places: string
  /** What the object store is marked with, where that is known. */
  readonly installation: string | undefined
  /** Told of a content that is damaged where it is, and is absent there from then on. */
  readonly onDamage: (sha256: string) => Promise<void>
  /** Hears after every batch how many there are. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

interface Copied {
  readonly installation: string
  /** How many are in the object store. */
  readonly contents: number
  /** How many could not be copied, because they are damaged. */
  readonly damaged: number
}

/**
 * Copies the contents on the disk to the object store that the settings name. Where they are there is noted in a database of its
 * own: that of the installation stays as it is, and can be used meanwhile. One that was cut off goes on where it was.
 */
export async function copyToStore(
  config: Config & { readonly blobUrl: string },
  { places, installation, onDamage, onProgress }: CopyOptions,
): Promise<Copied> {
  const { dataDir, blobUrl } = config
  const database = await openDatabase({ file: places })
  try {
    await database.migrate()
    const index = createContentIndex(database.db)
    const settings = createSettingStore(database.db)
    const own = await settings.ensure(INSTALLATION, installation ?? randomUUID())
    const client = openClient(config, blobUrl, systemClock)
    try {
      await forgetAbsent(client, index)
      await claimStore(createMarker(client), index, settings)
    } finally {
      client.close()
    }
    const parts = {
      ...{ index, settings, disk: createDiskSpace(dataDir), clock: systemClock, log: quietLog },
      onDamage,
    }
    const from = await openDisk(join(dataDir, 'blobs'), parts)
    try {
      const to = await openStore(config, blobUrl, COPIES, parts)
      try {
        return { installation: own, ...(await copyAbsent(from, to, onProgress)) }
      } finally {
        await to.close()
      }
    } finally {
      await from.close()
    }
  } finally {
    await database.close()
  }
}

async function copyAbsent(
  from: BlobStore,
  to: BlobStore,
  onProgress: CopyOptions['onProgress'],
): Promise<Pick<Copied, 'contents' | 'damaged'>> {
  let all = 0
  for await (const _ of from.list()) all += 1
  const counts = { contents: 0, damaged: 0 }
  const tell = () => onProgress?.(counts.contents + counts.damaged, all)
  async function* absent(): AsyncGenerator<StoredBlob> {
    for await (const batch of inBatches(from.list(), AT_ONCE)) {
      const there = await to.stat(batch.map(({ sha256 }) => sha256))
      counts.contents += there.size
      tell()
      yield* batch.filter(({ sha256 }) => !there.has(sha256))
    }
  }
  await copyContents(absent(), {
    ...{ from, to },
    onCopied(copied, batch) {
      counts.contents += copied.length
      counts.damaged += batch.length - copied.length
      tell()
    },
  })
  return counts
}

const AT_ONCE = 1000

/**
 * Objects that are no longer in the store are not counted on: since it was cut off, somebody may have emptied the bucket, or
 * named another one.
 */
async function forgetAbsent(client: S3Client, index: ContentIndex): Promise<void> {
  const there = new Set<string>()
  for (const prefix of ['packs/', 'large/'])
    for (let last: string | undefined; ; ) {
      const keys = await client.list(prefix, last)
      for (const key of keys) there.add(key)
      last = keys.at(-1)
      if (last === undefined) break
    }
  for (let last = ''; ; ) {
    const page = await index.page(last, AT_ONCE)
    const found = await index.find(page.map(({ sha256 }) => sha256))
    const gone = found.filter(({ object }) => !there.has(object)).map(({ sha256 }) => sha256)
    if (gone.length > 0) await index.remove(gone, Number.POSITIVE_INFINITY, Date.now())
    if (page.length < AT_ONCE) return
    last = page.at(-1)?.sha256 ?? last
  }
}

async function* inBatches<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const each of source) {
    batch.push(each)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  yield batch
}

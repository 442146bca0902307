import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createFsBlobStore } from '../blob-fs/fs-blob-store.ts'
import { ContentCache } from './content-cache.ts'
import type { ContentIndex } from './content-index.ts'
import { readLocation } from './location.ts'
import { createMarker, type Marker } from './marker.ts'
import { createS3BlobStore, type S3BlobStoreOptions } from './s3-blob-store.ts'
import { S3Client } from './s3-client.ts'
import type { Credentials } from './signature.ts'

export interface OpenS3Options extends Pick<S3BlobStoreOptions, 'onDamage' | 'pause' | 'smallBytes'> {
  /** As in `ALOFT_BLOB_URL`. */
  readonly url: string
  readonly credentials: Credentials
  readonly index: ContentIndex
  /** The name of the installation, which the store is marked with. */
  readonly installation: () => Promise<string>
  /** Marks the store, or rejects where it is somebody else's. */
  readonly claim?: (marker: Marker) => Promise<void>
  /** For copies on this machine. */
  readonly folder: string
  readonly budgetBytes: number
  readonly hasRoom?: () => boolean
  readonly clock: Clock
  readonly log: Log
}

export async function openS3BlobStore(options: OpenS3Options): Promise<BlobStore> {
  const { url, credentials, folder, clock, log, hasRoom = () => true } = options
  // Requests are signed with the time of the machine, whatever time the contents live in.
  const location = readLocation(url)
  const client = new S3Client({ location, credentials, clock: systemClock })
  const store = await createFsBlobStore({ folder, clock, log, hasRoom })
  const cache = new ContentCache({ store, budgetBytes: options.budgetBytes, hasRoom, log })
  const marker = createMarker(client)
  const isOwnStore = async () => (await marker.read()) === (await options.installation())
  return createS3BlobStore({
    ...options,
    client,
    cache,
    isOwnStore,
    claim: async () => options.claim?.(marker),
  })
}

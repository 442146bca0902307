import { randomUUID } from 'node:crypto'
import { opendir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { createMovingBlobStore, type MovingBlobStore } from '#adapters/blob-moving/moving-blob-store.ts'
import type { ContentIndex } from '#adapters/blob-s3/content-index.ts'
import { readLocation } from '#adapters/blob-s3/location.ts'
import { createMarker, type Marker } from '#adapters/blob-s3/marker.ts'
import { openS3BlobStore } from '#adapters/blob-s3/open-s3-blob-store.ts'
import { S3Client } from '#adapters/blob-s3/s3-client.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DiskSpace } from '#core/ports/disk-space.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { Log } from '#core/ports/log.ts'
import type { SettingStore } from '#core/setting/setting-store.ts'
import type { Config } from '../../../config/config.ts'

interface ContentParts {
  readonly index: ContentIndex
  readonly settings: SettingStore
  readonly disk: DiskSpace
  readonly onDamage: (sha256: string) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

export interface Contents {
  readonly blobs: BlobStore
  /** Where contents still are somewhere else than they are kept now. */
  readonly moving: Pick<MovingBlobStore, 'move' | 'left'> | undefined
  /** What all contents take, wherever they are: those that are still to be moved count as well. */
  bytes(): Promise<number>
  /** Marks the object store as that of this installation; rejects where it is somebody else's, or was forgotten. */
  claim(): Promise<void>
}

/** What the object store is marked with. */
export const INSTALLATION = 'content-store'
/** The folder with what this machine has a copy of, and the same of a store from which contents are moved. */
export const COPIES = 'content-copies'
const COPIES_FROM = 'content-copies-from'
/** The folders that a process has open, as far as it uses them. */
export const STORES = ['blobs', COPIES, COPIES_FROM]

/** Where the contents of files are kept: on the disk of this machine, or in an object store that all machines share. */
export async function openContents(config: Config, parts: ContentParts): Promise<Contents> {
  const { blobUrl, blobFrom, dataDir } = config
  const folder = join(dataDir, 'blobs')
  const kept =
    blobUrl === undefined ? await openDisk(folder, parts) : await openStore(config, blobUrl, COPIES, parts)
  const from = blobFrom
    ? await openStore(config, blobFrom, COPIES_FROM, parts)
    : blobUrl !== undefined && (await hasContents(folder))
      ? await openDisk(folder, parts)
      : undefined
  const moving = from && createMovingBlobStore(kept, from)
  const usesDisk = blobUrl === undefined || from !== undefined
  const usesStore = (blobUrl ?? blobFrom) !== undefined
  return {
    blobs: moving ?? kept,
    moving,
    bytes: async () => (usesDisk ? await bytesIn(folder) : 0) + (usesStore ? await parts.index.bytes() : 0),
    async claim() {
      if ((blobUrl ?? blobFrom) === undefined) await refuseForgottenStore(parts.index)
      for (const url of [blobUrl, blobFrom]) if (url !== undefined) await tryToClaim(config, url, parts)
    },
  }
}

export const openDisk = (folder: string, { clock, log, disk, onDamage }: ContentParts): Promise<BlobStore> =>
  createFsBlobStore({ folder, clock, log, hasRoom: () => disk.hasRoomFor('content'), onDamage })

/** Only packs and large files count: an empty store has folders too. */
export async function hasContents(folder: string): Promise<boolean> {
  for (const name of ['packs', 'large']) {
    const entries = await readdir(join(folder, name)).catch(() => [])
    if (entries.length > 0) return true
  }
  return false
}

const credentialsOf = ({ awsKeyId = '', awsSecretKey, awsSessionToken }: Config) => ({
  keyId: awsKeyId,
  secret: awsSecretKey?.reveal() ?? '',
  sessionToken: awsSessionToken?.reveal(),
})

export const openStore = (
  config: Config,
  url: string,
  copies: string,
  parts: ContentParts,
): Promise<BlobStore> => {
  const { index, settings, disk, onDamage, clock, log } = parts
  return openS3BlobStore({
    ...{ url, index, onDamage, clock, log },
    credentials: credentialsOf(config),
    installation: async () => (await settings.get(INSTALLATION)) ?? '',
    claim: (marker) => claimStore(marker, index, settings),
    folder: join(config.dataDir, copies),
    budgetBytes: config.cacheBytes,
    hasRoom: () => disk.hasRoomFor('content'),
  })
}

export const openClient = (config: Config, url: string, clock: Clock): S3Client =>
  new S3Client({ location: readLocation(url), credentials: credentialsOf(config), clock })

async function tryToClaim(
  config: Config,
  url: string,
  { index, settings, log, clock }: ContentParts,
): Promise<void> {
  const client = openClient(config, url, clock)
  try {
    await claimStore(createMarker(client), index, settings)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    log.warn({ err: error }, 'the object store does not respond: serving the copies on this machine')
  } finally {
    client.close()
  }
}

export async function claimStore(
  marker: Marker,
  index: Pick<ContentIndex, 'page'>,
  settings: Pick<SettingStore, 'ensure'>,
): Promise<void> {
  const own = await settings.ensure(INSTALLATION, randomUUID())
  const found = await marker.read()
  if (found === own) return
  if (found !== undefined)
    throw new Error(
      'ALOFT_BLOB_URL: the object store contains the files of another installation; use another prefix',
    )
  if ((await index.page('', 1)).length > 0) {
    // Another machine may have marked it since, and stored the first contents.
    if ((await marker.read()) === own) return
    throw new Error(
      'ALOFT_BLOB_URL: the object store is not the one that contains the files of this installation',
    )
  }
  await marker.write(own)
}

/** Throws where contents are in an object store and the settings name none. Exported for its test. */
export async function refuseForgottenStore(index: Pick<ContentIndex, 'page'>): Promise<void> {
  if ((await index.page('', 1)).length > 0)
    throw new Error(
      'ALOFT_BLOB_URL is required: contents of this installation are in an object store; to move them to the disk, set ALOFT_BLOB_FROM instead, start the server and run `aloft operator move-content`',
    )
}

/** Files that go away meanwhile count nothing. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesIn(path)
    else if (entry.isFile()) bytes += (await stat(path).catch(() => undefined))?.size ?? 0
  }
  return bytes
}

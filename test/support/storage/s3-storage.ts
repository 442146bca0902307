import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ContentIndex } from '#adapters/blob-s3/content-index.ts'
import { readLocation } from '#adapters/blob-s3/location.ts'
import { createMarker } from '#adapters/blob-s3/marker.ts'
import { type OpenS3Options, openS3BlobStore } from '#adapters/blob-s3/open-s3-blob-store.ts'
import { S3Client } from '#adapters/blob-s3/s3-client.ts'
import { type Database, openDatabase } from '#adapters/sql/database/database.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { giveBack, type OpenDatabase } from '../database/databases.ts'
import { copyDatabases } from '../database/sqlite-template.ts'
import type { TestS3 } from './s3.ts'

const credentials = { keyId: 'test', secret: 'test' }

export interface S3Storage {
  readonly client: S3Client
  readonly index: ContentIndex
  /** Where the machines have their copies: `machine-0`, `machine-1` … */
  readonly folder: string
  readonly database: Database
  /** A store of another machine: its copies are its own. */
  open(clock: Clock, options?: Partial<OpenS3Options>): Promise<BlobStore>
  strays(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** An empty bucket with a database beside it. */
export async function openS3Storage(
  server: Pick<TestS3, 'makeBucket'>,
  open: OpenDatabase,
): Promise<S3Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-s3-'))
  const url = await server.makeBucket('some/prefix')
  const databaseUrl = await open({ migrated: true, lent: true })
  if (databaseUrl === undefined) await copyDatabases(folder, ['aloft.db'])
  const database = await openDatabase({ url: databaseUrl, file: join(folder, 'aloft.db') })
  const client = new S3Client({ location: readLocation(url), credentials, clock: systemClock })
  await createMarker(client).write('one')
  const index = createContentIndex(database.db)
  let machines = 0
  return {
    client,
    index,
    folder,
    database,
    open: (clock, options) =>
      openS3BlobStore({
        url,
        credentials,
        index,
        installation: async () => 'one',
        folder: join(folder, `machine-${machines++}`),
        budgetBytes: 1 << 30,
        clock,
        log: silentLog,
        ...options,
      }),
    async strays() {
      const temps = await Promise.all(
        [...Array(machines).keys()].map((n) => readdir(join(folder, `machine-${n}`, 'temp')).catch(() => [])),
      )
      const rows = await database.db.selectFrom('content_objects').select(['key', 'state']).execute()
      const known = new Set(rows.filter(({ state }) => state !== 'uploading').map(({ key }) => key))
      const objects = [...(await client.list('packs/')), ...(await client.list('large/'))]
      const unfinished = (await client.unfinished('')).map(({ key }) => key)
      return [...temps.flat(), ...unfinished, ...objects.filter((key) => !known.has(key))]
    },
    async remove() {
      client.close()
      await database.close()
      await giveBack(databaseUrl)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

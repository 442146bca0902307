/**
 * Whether contents in an object store are read as fast as contents on the disk, once a machine has its copies: reads a
 * second of CPU time, in turn, of small contents as a whole and of larger ones as streams.
 *
 *   node bench/content-reads.ts
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { readLocation } from '#adapters/blob-s3/location.ts'
import { createMarker } from '#adapters/blob-s3/marker.ts'
import { openS3BlobStore } from '#adapters/blob-s3/open-s3-blob-store.ts'
import { S3Client } from '#adapters/blob-s3/s3-client.ts'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { shareS3 } from '#test/support/storage/s3.ts'
import { median } from './median.ts'
import { printRows, type Row } from './row.ts'
import { amount, rounds, warmUps } from './trial.ts'

const credentials = { keyId: 'test', secret: 'test' }
const TARGET = 0.95
const ROUNDS = rounds(15)
const WARM_UPS = warmUps(3)
const AT_ONCE = 16

interface Kind {
  readonly what: string
  readonly count: number
  readonly bytes: number
  readonly read: (store: BlobStore, sha256: string) => Promise<unknown>
}

const KINDS: readonly Kind[] = [
  { what: '4 KB, whole', count: amount(2000, 20), bytes: 4096, read: (store, name) => store.read(name) },
  {
    ...{ what: '1 MB, as a stream', count: amount(100, 2), bytes: 1 << 20 },
    async read(store, name) {
      for await (const _ of (await store.open(name)) ?? Readable.from([])) {
        // Only read.
      }
    },
  },
]

/** Reads a second of CPU time. */
async function rateOf({ read }: Kind, store: BlobStore, names: readonly string[]): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < names.length; at += AT_ONCE)
    await Promise.all(names.slice(at, at + AT_ONCE).map((name) => read(store, name)))
  const { user, system } = process.cpuUsage(before)
  return names.length / (Math.max(user + system, 1) / 1e6)
}

async function compare(kind: Kind, disk: BlobStore, remote: BlobStore): Promise<Row> {
  const names: string[] = []
  for (let n = 0; n < kind.count; n++) {
    const bytes = randomBytes(kind.bytes)
    names.push((await disk.putBytes(bytes)).sha256)
    await remote.putBytes(bytes)
  }
  const rates = { disk: [] as number[], remote: [] as number[] }
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const ofDisk = await rateOf(kind, disk, names)
    const ofRemote = await rateOf(kind, remote, names)
    if (round < 0) continue
    rates.disk.push(ofDisk)
    rates.remote.push(ofRemote)
  }
  const ratios = rates.remote.map((rate, round) => rate / (rates.disk[round] ?? Number.NaN))
  const ratio = median(ratios)
  return {
    id: 'P23',
    what: `warm contents of an object store, against the disk: ${kind.what}`,
    measured: `${ratio.toFixed(2)} ×`,
    target: `≥ ${TARGET} ×`,
    met: ratio >= TARGET,
    chart: {
      ...{ value: ratio, target: TARGET, better: 'more' },
      spread: [Math.min(...ratios), Math.max(...ratios)],
      rates: [median(rates.remote), median(rates.disk)],
    },
  }
}

export async function run(): Promise<Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-contents-'))
  const server = await shareS3()
  const url = await server.makeBucket('bench')
  const parts = { clock: systemClock, log: silentLog }
  const database = await openDatabase({ file: join(scratch, 'aloft.db') })
  await database.migrate()
  const client = new S3Client({ location: readLocation(url), credentials, clock: systemClock })
  await createMarker(client).write('bench')
  client.close()
  const disk = await createFsBlobStore({ folder: join(scratch, 'disk'), ...parts })
  const remote = await openS3BlobStore({
    ...{
      url,
      credentials,
      ...parts,
      index: createContentIndex(database.db),
      folder: join(scratch, 'copies'),
    },
    installation: async () => 'bench',
    budgetBytes: 1 << 30,
  })
  try {
    const rows: Row[] = []
    for (const kind of KINDS) rows.push(await compare(kind, disk, remote))
    return rows
  } finally {
    await remote.close()
    await disk.close()
    await database.close()
    await server.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())

/**
 * Whether contents in an object store are read as fast as contents on the disk, once a machine has its copies: reads a
 * second of CPU time, in turn, of small contents as a whole and of larger ones as streams.
 *
 *   node bench/deploy/content-reads.ts
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
import { median, percentile } from '../measure/median.ts'
import { amount, rounds, warmUps } from '../measure/trial.ts'
import { printRows, type Row } from '../report/row.ts'

const credentials = { keyId: 'test', secret: 'test' }
const TARGET = 0.95
const ROUNDS = rounds(21)
const WARM_UPS = warmUps(5)
const AT_ONCE = 16
const IN_A_TURN = 4 * AT_ONCE

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

interface Stores {
  readonly disk: BlobStore
  readonly remote: BlobStore
}

/** Microseconds of CPU time that it takes to read all of these. */
async function timeOf({ read }: Kind, store: BlobStore, names: readonly string[]): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < names.length; at += AT_ONCE)
    await Promise.all(names.slice(at, at + AT_ONCE).map((name) => read(store, name)))
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Reads a second of CPU time, of both in turns of a few milliseconds, each of them as often the first as the second. */
async function ratesOf(kind: Kind, { disk, remote }: Stores, names: readonly string[]) {
  const used = { disk: 0, remote: 0 }
  for (let at = 0, turn = 0; at < names.length; at += IN_A_TURN, turn++) {
    const some = names.slice(at, at + IN_A_TURN)
    if (turn % 2 === 0) used.disk += await timeOf(kind, disk, some)
    used.remote += await timeOf(kind, remote, some)
    if (turn % 2 === 1) used.disk += await timeOf(kind, disk, some)
  }
  const rate = (micros: number) => names.length / (Math.max(micros, 1) / 1e6)
  return { disk: rate(used.disk), remote: rate(used.remote) }
}

async function compare(kind: Kind, stores: Stores): Promise<Row> {
  const names: string[] = []
  for (let n = 0; n < kind.count; n++) {
    const bytes = randomBytes(kind.bytes)
    names.push((await stores.disk.putBytes(bytes)).sha256)
    await stores.remote.putBytes(bytes)
  }
  const rates = { disk: [] as number[], remote: [] as number[] }
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const { disk, remote } = await ratesOf(kind, stores, names)
    if (round < 0) continue
    rates.disk.push(disk)
    rates.remote.push(remote)
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
      spread: [percentile(ratios, 0.25), percentile(ratios, 0.75)],
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
    for (const kind of KINDS) rows.push(await compare(kind, { disk, remote }))
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

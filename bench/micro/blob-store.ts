/**
 * How fast contents become durable, as ratios of rounds that run in turn on the same disk: small contents against
 * one synced file each, a large one against what `openssl` takes to hash the same bytes. The store hashes everything
 * twice, SHA-1 for the caller and SHA-256 for the name.
 *
 * What shared syncs gain depends on what a sync costs: a disk that syncs in a fraction of a millisecond leaves only the
 * CPU time to save. A processor without SHA instructions takes twice as long for SHA-256 as for SHA-1.
 *
 *   node bench/micro/blob-store.ts
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { hash, randomFillSync } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { amount, rounds } from '../measure/trial.ts'

const FILES = amount(10_000, 200)
const FILE_BYTES = 4096
const CALLERS = 16
const LARGE_BYTES = amount(100 << 20, 1 << 20)
const CHUNK_BYTES = 64 << 10
const ROUNDS = rounds(5)

/** Seconds. */
interface Cost {
  readonly wall: number
  readonly cpu: number
}

// The size of libuv's pool is read once at start; the platform runs with this many.
if (process.env.UV_THREADPOOL_SIZE !== '16') {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '16' }
  process.exit(
    spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { stdio: 'inherit', env }).status ?? 1,
  )
}

const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-blob-'))
try {
  await main()
} finally {
  await rm(scratch, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const packed: Cost[] = []
  const perFile: Cost[] = []
  const hashedFile: Cost[] = []
  const large: Cost[] = []
  const sha1: Cost[] = []
  const both: Cost[] = []
  const largeFile = join(scratch, 'large')
  for (let round = 0; round < ROUNDS; round += 1) {
    const contents = randomFillSync(Buffer.allocUnsafe(FILES * FILE_BYTES))
    const store = await createFsBlobStore({
      folder: join(scratch, `store-${round}`),
      clock: systemClock,
      log: silentLog,
    })
    packed.push(await costOf(() => putSmall(store, contents)))
    perFile.push(await costOf(() => writeFiles(join(scratch, `file-${round}`), contents, false)))
    hashedFile.push(await costOf(() => writeFiles(join(scratch, `hashed-${round}`), contents, true)))

    const body = randomFillSync(Buffer.allocUnsafe(LARGE_BYTES))
    await writeFile(largeFile, body, { flush: true })
    const openssl = (digest: string) => execFileSync('openssl', [digest, largeFile])
    sha1.push(await costOf(async () => void openssl('sha1')))
    large.push(await costOf(() => putLarge(store, body)))
    both.push(await costOf(async () => void [openssl('sha1'), openssl('sha256')]))
    await store.close()
  }

  const table = new Table({ head: ['what', 'here', 'peer', 'ratio', 'of CPU time', 'target'] })
  const files = (costs: readonly Cost[]) => `${Math.round(FILES / median(costs.map(({ wall }) => wall)))} /s`
  const bytes = (costs: readonly Cost[]) =>
    `${Math.round(LARGE_BYTES / 1e6 / median(costs.map(({ wall }) => wall)))} MB/s`
  const ratio = (measure: keyof Cost, theirs: readonly Cost[], ours: readonly Cost[]) =>
    `${median(ours.map((cost, n) => (theirs[n]?.[measure] ?? Number.NaN) / cost[measure])).toFixed(2)} ×`
  const small = `${FILES} × ${FILE_BYTES} B over ${CALLERS} callers`
  table.push(
    [
      small,
      files(packed),
      `${files(perFile)} file and fdatasync each`,
      ratio('wall', perFile, packed),
      ratio('cpu', perFile, packed),
      '≥ 3 ×',
    ],
    [
      small,
      files(packed),
      `${files(hashedFile)} the same, named by hash`,
      ratio('wall', hashedFile, packed),
      ratio('cpu', hashedFile, packed),
      '',
    ],
    [
      '100 MiB streamed',
      bytes(large),
      `${bytes(sha1)} openssl sha1`,
      ratio('wall', sha1, large),
      '',
      '≥ 0.45 ×',
    ],
    [
      '100 MiB streamed',
      bytes(large),
      `${bytes(both)} openssl sha1, then sha256`,
      ratio('wall', both, large),
      '',
      '',
    ],
  )
  console.log(table.toString())
}

async function putSmall(store: BlobStore, contents: Buffer): Promise<void> {
  await overCallers(async (n) => {
    await store.putBytes(contents.subarray(n * FILE_BYTES, (n + 1) * FILE_BYTES))
  })
}

async function writeFiles(prefix: string, contents: Buffer, hashed: boolean): Promise<void> {
  await overCallers(async (n) => {
    const bytes = contents.subarray(n * FILE_BYTES, (n + 1) * FILE_BYTES)
    const name = hashed ? `${hash('sha1', bytes)}-${hash('sha256', bytes)}` : n
    const handle = await open(`${prefix}-${name}`, 'wx', 0o600)
    await handle.write(bytes)
    await handle.datasync()
    await handle.close()
  })
}

async function overCallers(put: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const call = async () => {
    while (next < FILES) await put(next++)
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
}

async function putLarge(store: BlobStore, body: Buffer): Promise<void> {
  await store.put(Readable.from(chunksOf(body), { objectMode: false }), {
    maxBytes: body.length,
    sizeHint: body.length,
  })
}

function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES)
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const start = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wall: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

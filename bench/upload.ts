/**
 * Durable uploads through the API: one of 100 MB against what openssl takes to hash the same bytes, and 10,000 of 4 KB
 * over 16 connections against a server that writes a file for each and syncs it.
 *
 *   node bench/upload.ts
 */
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChildServer } from './child-server.ts'
import { median, medianRatio } from './median.ts'
import { startPlatform } from './platform.ts'
import { atLeast, beside, printRows, type Row } from './row.ts'
import { oneConnection, send } from './send.ts'

const LARGE = 100 * 1000 * 1000
const LARGE_ROUNDS = 5
const SMALL = 4096
const SMALL_FILES = 2500
const SMALL_ROUNDS = 4
const CONNECTIONS = 16

const sha1 = (content: Buffer) => createHash('sha1').update(content).digest('hex')

async function seconds(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

async function large(
  upload: (content: Buffer, digest: string) => Promise<unknown>,
  folder: string,
): Promise<Row[]> {
  const file = join(folder, 'large')
  const [ours, one, both] = [[] as number[], [] as number[], [] as number[]]
  for (let round = 0; round < LARGE_ROUNDS; round++) {
    const content = randomBytes(LARGE)
    const digest = sha1(content)
    await writeFile(file, content)
    const openssl = (name: string) => seconds(() => spawnSync('openssl', [name, file]))
    ours.push(1 / (await seconds(() => upload(content, digest))))
    const first = await openssl('sha1')
    one.push(1 / first)
    both.push(1 / (first + (await openssl('sha256'))))
  }
  return [
    atLeast('P7', 'upload of 100 MB, against openssl sha1', medianRatio(ours, one), 0.45),
    beside(
      'P7',
      'the same, against openssl sha1 and sha256, both of which an upload needs',
      medianRatio(ours, both),
    ),
  ]
}

type Upload = (content: Buffer, digest: string, connection: number) => Promise<unknown>

async function rate(upload: Upload): Promise<number> {
  const files = Array.from({ length: SMALL_FILES }, () => {
    const content = randomBytes(SMALL)
    return { content, digest: sha1(content) }
  })
  const worker = async (connection: number) => {
    for (let file = files.pop(); file; file = files.pop()) await upload(file.content, file.digest, connection)
  }
  const took = await seconds(() => Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => worker(i))))
  return SMALL_FILES / took
}

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-'))
  const platform = await startPlatform()
  const peer = await startChildServer(join(import.meta.dirname, 'sync-each-server.ts'), [folder])
  const agents = Array.from({ length: CONNECTIONS }, oneConnection)
  try {
    const upload: Upload = (content, digest, connection = 0) =>
      platform.call('/v2/platform/files', {
        method: 'POST',
        headers: { 'x-platform-digest': digest },
        body: content,
        agent: agents[connection] as (typeof agents)[number],
      })
    const naive: Upload = (content, _digest, connection) =>
      send({
        url: peer.url,
        method: 'POST',
        body: content,
        agent: agents[connection] as (typeof agents)[number],
      })
    const rows = await large((content, digest) => upload(content, digest, 0), folder)
    const [ours, theirs] = [[] as number[], [] as number[]]
    for (let round = 0; round < SMALL_ROUNDS; round++) {
      ours.push(await rate(upload))
      theirs.push(await rate(naive))
    }
    const what = `uploads of 4 KB over ${CONNECTIONS} connections (${Math.round(median(ours))}/s), against a file and a sync each`
    return [...rows, atLeast('P7', what, medianRatio(ours, theirs), 3)]
  } finally {
    for (const agent of agents) agent.destroy()
    await peer.stop()
    await platform.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())

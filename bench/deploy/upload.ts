/**
 * Durable uploads through the API: one of 100 MB against what openssl takes to hash the same bytes, and 10,000 of 4 KB
 * over 16 connections, one by one and in batches, against a server that writes a file for each and syncs it. As rates, and per CPU second of all
 * processes of the server.
 *
 * An upload is hashed twice, SHA-1 for the caller and SHA-256 for the store. A processor without SHA instructions takes
 * longer for the second than for the first.
 *
 *   node bench/deploy/upload.ts
 */
import { spawnSync } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packBatch } from '#contract/file-batch.ts'
import { oneConnection, send } from '../load/send.ts'
import { median, medianRatio } from '../measure/median.ts'
import { cpuSeconds, SHORTEST } from '../measure/process-cpu.ts'
import { amount, rounds } from '../measure/trial.ts'
import { startChildServer } from '../peer/child-server.ts'
import { startPlatform } from '../platform/platform.ts'
import { atLeast, beside, printRows, type Row } from '../report/row.ts'

const LARGE_BYTES = amount(100 * 1000 * 1000, 1000 * 1000)
const LARGE_ROUNDS = rounds(5)
const SMALL_BYTES = 4096
const SMALL_FILES = amount(2500, 50)
const SMALL_ROUNDS = rounds(4)
const CONNECTIONS = 16
const BATCHED_FILES = 250
const BATCHES_AT_ONCE = 4

interface Content {
  readonly bytes: Buffer
  readonly sha1: string
}

type Upload = (content: Content, over: Agent) => Promise<unknown>

interface Target {
  readonly pid: number | undefined
  readonly upload: Upload
}

/** Seconds on the clock, and of CPU time. */
interface Cost {
  readonly wall: number
  readonly cpu: number
}

const newContent = (size: number): Content => {
  const bytes = randomBytes(size)
  return { bytes, sha1: hash('sha1', bytes) }
}

async function costOf(pid: number | undefined, work: () => unknown): Promise<Cost> {
  const before = await cpuSeconds(pid)
  const start = performance.now()
  await work()
  const wall = (performance.now() - start) / 1000
  // As a trial has so little to do, it may be over before any of it is counted, and be divided by.
  return { wall, cpu: Math.max((await cpuSeconds(pid)) - before, SHORTEST) }
}

/** How many times as fast as they, or on so much less CPU time. */
const gain = (measure: keyof Cost, ours: readonly Cost[], theirs: readonly Cost[]): number =>
  medianRatio(
    theirs.map((cost) => cost[measure]),
    ours.map((cost) => cost[measure]),
  )

async function measureLarge({ pid, upload }: Target, folder: string, agent: Agent): Promise<Row[]> {
  const file = join(folder, 'large')
  // What a child used is counted with its parent once it has ended.
  const openssl = (digest: string) => costOf(process.pid, () => spawnSync('openssl', [digest, file]))
  const [ours, sha1, both]: [Cost[], Cost[], Cost[]] = [[], [], []]
  for (let round = 0; round < LARGE_ROUNDS; round++) {
    const content = newContent(LARGE_BYTES)
    await writeFile(file, content.bytes, { flush: true })
    ours.push(await costOf(pid, () => upload(content, agent)))
    const [first, second] = [await openssl('sha1'), await openssl('sha256')]
    sha1.push(first)
    both.push({ wall: first.wall + second.wall, cpu: first.cpu + second.cpu })
  }
  return [
    atLeast('P7', 'upload of 100 MB, against openssl sha1', gain('wall', ours, sha1), 0.45),
    beside('', 'the same, against openssl sha1 and then sha256', gain('wall', ours, both)),
    beside('', 'the same, on CPU time', gain('cpu', ours, both)),
  ]
}

/** Uploads new contents over all connections. */
async function uploadSmall({ pid, upload }: Target, agents: readonly Agent[]): Promise<Cost> {
  const contents = Array.from({ length: SMALL_FILES }, () => newContent(SMALL_BYTES))
  const take = async (agent: Agent) => {
    for (let next = contents.pop(); next; next = contents.pop()) await upload(next, agent)
  }
  return costOf(pid, () => Promise.all(agents.map(take)))
}

/** As our own clients send small files: many in one body. */
async function uploadBatches(
  pid: number | undefined,
  send: (body: Buffer) => Promise<unknown>,
): Promise<Cost> {
  const contents = Array.from({ length: SMALL_FILES }, () => newContent(SMALL_BYTES))
  const bodies: Buffer[] = []
  while (contents.length > 0) bodies.push(Buffer.from(packBatch(contents.splice(0, BATCHED_FILES))))
  const take = async () => {
    for (let next = bodies.pop(); next; next = bodies.pop()) await send(next)
  }
  return costOf(pid, () => Promise.all(Array.from({ length: BATCHES_AT_ONCE }, take)))
}

async function measureBatches(
  pid: number | undefined,
  send: (body: Buffer) => Promise<unknown>,
  peer: Target,
): Promise<Row[]> {
  const agents = Array.from({ length: CONNECTIONS }, oneConnection)
  const [ours, theirs]: [Cost[], Cost[]] = [[], []]
  try {
    for (let round = 0; round < SMALL_ROUNDS; round++) {
      ours.push(await uploadBatches(pid, send))
      theirs.push(await uploadSmall(peer, agents))
    }
  } finally {
    for (const agent of agents) agent.destroy()
  }
  const rate = Math.round(SMALL_FILES / median(ours.map(({ wall }) => wall)))
  const what = `4 KB files in batches (${rate}/s), against a file and a sync each`
  return [
    atLeast('P7', what, gain('wall', ours, theirs), 3),
    beside('', 'the same, on CPU time', gain('cpu', ours, theirs)),
  ]
}

async function measureSmall(platform: Target, peer: Target): Promise<Row[]> {
  const agents = Array.from({ length: CONNECTIONS }, oneConnection)
  const [ours, theirs]: [Cost[], Cost[]] = [[], []]
  try {
    for (let round = 0; round < SMALL_ROUNDS; round++) {
      ours.push(await uploadSmall(platform, agents))
      theirs.push(await uploadSmall(peer, agents))
    }
  } finally {
    for (const agent of agents) agent.destroy()
  }
  const rate = Math.round(SMALL_FILES / median(ours.map(({ wall }) => wall)))
  const what = `uploads of 4 KB over ${CONNECTIONS} connections (${rate}/s), against a file and a sync each`
  return [
    atLeast('P7', what, gain('wall', ours, theirs), 3),
    beside('', 'the same, on CPU time', gain('cpu', ours, theirs)),
  ]
}

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-'))
  const platform = await startPlatform()
  const naive = await startChildServer(join(import.meta.dirname, '../peer/sync-each-server.ts'), [folder])
  const agent = oneConnection()
  const batches = new Agent({ keepAlive: true, maxSockets: BATCHES_AT_ONCE })
  try {
    const ours: Target = {
      pid: platform.pid,
      upload: ({ bytes, sha1 }, over) =>
        platform.call('/v2/platform/files', {
          method: 'POST',
          headers: { 'x-platform-digest': sha1 },
          body: bytes,
          agent: over,
        }),
    }
    const theirs: Target = {
      pid: naive.pid,
      upload: ({ bytes }, over) => send({ url: naive.url, method: 'POST', body: bytes, agent: over }),
    }
    const sendBatch = (body: Buffer) =>
      platform.call('/v1/platform/files/batch', { method: 'POST', body, agent: batches })
    return [
      ...(await measureLarge(ours, folder, agent)),
      ...(await measureSmall(ours, theirs)),
      ...(await measureBatches(platform.pid, sendBatch, theirs)),
    ]
  } finally {
    agent.destroy()
    batches.destroy()
    await naive.stop()
    await platform.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())

import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startPostgres } from '#test/support/database/postgres.ts'
import { createDatabase } from '#test/support/database/postgres-databases.ts'
import { type CuttableSocket, standBefore } from '#test/support/http/cuttable-socket.ts'
import { restartNow } from '#test/support/http/restart-load.ts'
import { startRedis } from '#test/support/redis.ts'
import { fillDisk, mountTinyDisk, unmountTinyDisk } from '#test/support/storage/tiny-disk.ts'
import { ask } from './load/client.ts'
import type { World } from './load/world.ts'

interface Scenario {
  readonly name: string
  /** What it needs beside an installation; answers why it cannot be had, or the settings. Scenarios with the same share it. */
  readonly prepare: () => Promise<Ground | string>
  /** Breaks something, and mends what does not mend itself; answers when it did, or when it broke. */
  break(world: World, ground: Ground): Promise<number>
}

export interface Ground {
  readonly env: Record<string, string>
  readonly cut?: CuttableSocket
  close(): Promise<void>
}

/** How long what people have to mend stays broken. */
const BROKEN_MS = 5000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const dataDirOf = ({ aloft }: World, { env }: Ground) => env.ALOFT_DATA_DIR ?? join(aloft.folder, 'data')

const PORT = 5432

async function behindPostgres(): Promise<Ground> {
  const postgres = await startPostgres()
  const direct = await createDatabase(postgres.folder, { migrated: false })
  const cut = await standBefore(join(postgres.folder, `.s.PGSQL.${PORT}`), `.s.PGSQL.${PORT}`)
  const url = new URL(direct)
  url.searchParams.set('host', cut.folder)
  return {
    env: { ALOFT_DATABASE_URL: url.href },
    cut,
    async close() {
      await cut.close()
      await postgres.stop()
    },
  }
}

async function behindRedis(): Promise<Ground> {
  const redis = await startRedis()
  const cut = await standBefore(redis.socket, 'redis')
  return {
    env: { ALOFT_REDIS_URL: `unix://${cut.path}` },
    cut,
    async close() {
      await cut.close()
      await redis.stop()
    },
  }
}

const cutFor = async ({ cut }: Ground) => {
  await cut?.cut()
  await pause(BROKEN_MS)
  await cut?.mend()
  return performance.now()
}

const silentFor = async ({ cut }: Ground) => {
  cut?.silence()
  await pause(BROKEN_MS)
  await cut?.mend()
  return performance.now()
}

async function hang(world: World, role: 'serve' | 'work'): Promise<number> {
  const at = performance.now()
  const [pid] = await world.aloft.children(role)
  process.kill(pid as number, 'SIGSTOP')
  while ((await world.aloft.children(role)).includes(pid as number)) await pause(100)
  return at
}

const noticedSoon = async (): Promise<Ground> => ({
  env: { ALOFT_HANG_SECONDS: '10' },
  close: async () => {},
})
/** Builds leave 1024 MB to others. */
const DISK_MB = 2048

/** A disk of its own, so that only the installation feels that it is full. */
async function onTinyDisk(): Promise<Ground | string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'aloft-full-'))
  const reason = mountTinyDisk(dataDir, DISK_MB)
  if (reason !== undefined) return reason
  return {
    env: { ALOFT_DATA_DIR: dataDir },
    async close() {
      unmountTinyDisk(dataDir)
    },
  }
}

const asUsual = async (): Promise<Ground> => ({ env: {}, close: async () => {} })

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'restart: SIGTERM, then a new start, with WebSockets open',
    prepare: asUsual,
    async break(world) {
      const at = performance.now()
      await world.aloft.stop()
      await world.startAgain()
      return at
    },
  },
  {
    name: 'upgrade: all processes are replaced by SIGUSR2, with WebSockets open',
    prepare: asUsual,
    async break(world) {
      // It takes as long as the new processes need; nobody is to notice, so that the time is that until all works after it.
      await restartNow(world.aloft)
      return performance.now()
    },
  },
  {
    name: 'the disk is full for 5 s',
    prepare: onTinyDisk,
    async break(world, ground) {
      const filling = join(dataDirOf(world, ground), 'somebody-elses-file')
      await fillDisk(filling)
      await pause(BROKEN_MS)
      await rm(filling)
      return performance.now()
    },
  },
  {
    name: 'a serving process is killed, with WebSockets open',
    prepare: asUsual,
    async break(world) {
      const [pid] = await world.aloft.children('serve')
      process.kill(pid as number, 'SIGKILL')
      return performance.now()
    },
  },
  { name: 'a serving process hangs', prepare: noticedSoon, break: (world) => hang(world, 'serve') },
  { name: 'the working process hangs', prepare: noticedSoon, break: (world) => hang(world, 'work') },
  {
    name: 'another program locks the SQLite file for 5 s',
    prepare: asUsual,
    async break(world, ground) {
      const other = new DatabaseSync(join(dataDirOf(world, ground), 'aloft.db'))
      other.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE')
      await pause(BROKEN_MS)
      other.exec('ROLLBACK')
      other.close()
      return performance.now()
    },
  },
  {
    name: 'PostgreSQL is unreachable for 5 s',
    prepare: behindPostgres,
    break: (_world, ground) => cutFor(ground),
  },
  { name: 'PostgreSQL hangs for 5 s', prepare: behindPostgres, break: (_world, ground) => silentFor(ground) },
  { name: 'Redis is unreachable for 5 s', prepare: behindRedis, break: (_world, ground) => cutFor(ground) },
  { name: 'Redis hangs for 5 s', prepare: behindRedis, break: (_world, ground) => silentFor(ground) },
  {
    name: 'the log database is damaged, then the server is started',
    prepare: asUsual,
    async break(world, ground) {
      await world.aloft.stop()
      const dataDir = dataDirOf(world, ground)
      for (const name of ['logs.db-wal', 'logs.db-shm']) await rm(join(dataDir, name), { force: true })
      await writeFile(join(dataDir, 'logs.db'), randomBytes(20_000))
      const at = performance.now()
      await world.startAgain()
      return at
    },
  },
  {
    name: 'a stored file is damaged, then uploaded again',
    prepare: asUsual,
    async break(world, ground) {
      const text = `damaged ${'x'.repeat(300)}`
      const { call } = world.load
      const deploy = () =>
        call.call(world.load, 'POST /v8/platform/deployments', {
          ...{ version: 2, name: 'damaged', forceNew: true },
          files: [{ file: 'index.html', data: text }],
        })
      const made = JSON.parse((await deploy()).text) as { url: string }
      const packs = join(dataDirOf(world, ground), 'blobs', 'packs')
      for (const name of await readdir(packs)) await changeByte(join(packs, name), text)
      const page = () => ask({ port: world.aloft.port, host: made.url, path: '/' })
      for (let n = 0; (await page()).status === 200; n++) if (n === 100) throw new Error('damage was served')
      await deploy()
      for (let n = 0; (await page()).text !== text; n++) {
        if (n === 100) throw new Error('an upload did not heal it')
        await pause(50)
      }
      return performance.now()
    },
  },
]

/** Changes one byte of a text in a file that has it. */
async function changeByte(path: string, text: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const at = (await file.readFile()).indexOf(text)
    if (at >= 0) await file.write('#', at + 20)
  } finally {
    await file.close()
  }
}

import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderCache, PrerenderKey } from '#core/ports/prerender-cache.ts'
import { temporaryName } from '../fs/private-file.ts'
import { readEntry, writeEntry } from './entry-file.ts'
import { addRevalidation, REVALIDATIONS, readRevalidationFile } from './revalidation-file.ts'

interface FsPrerenderCacheOptions {
  /** Shared by all processes of a machine. Nothing in it is missed when it is deleted. */
  readonly folder: string
  /** What all files together may take, roughly. */
  readonly budgetBytes: number
  readonly clock: Clock
  readonly log: Log
}

/** Of one entry with its headers. */
const MAX_ENTRY_BYTES = 16 * 1024 * 1024
/** How much of the budget is left when room was made. */
const LEFT = 0.8
/** After so much was written, it is time to look at the whole. */
const CHECKED = 0.1
/** A file that was read is marked as used, but not more often than this. */
const MARK_MS = 60_000
/** What a process left behind in the middle of a write. */
const ABANDONED_MS = 10 * 60_000

/** Keeps answers as files: a folder for each deployment, a file for each answer. */
export function createFsPrerenderCache(options: FsPrerenderCacheOptions): PrerenderCache {
  const { folder, budgetBytes, clock, log } = options
  // The first put of each process looks at what the others have left.
  let unchecked = budgetBytes
  let sweeping: Promise<void> | undefined

  const folderOf = (deploymentId: string) => join(folder, nameOf(deploymentId))
  const fileOf = ({ deploymentId, path, query }: PrerenderKey) =>
    join(folderOf(deploymentId), nameOf(`${path}\n${query}`))

  async function read(file: string): Promise<Buffer | undefined> {
    const handle = await open(file, 'r').catch(ignoreAbsence)
    if (handle === undefined) return undefined
    try {
      const { size, mtimeMs } = await handle.stat()
      if (size > MAX_ENTRY_BYTES) return undefined
      const now = clock.now()
      if (now - mtimeMs > MARK_MS) await handle.utimes(now / 1000, now / 1000)
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  }

  async function write(file: string, bytes: Buffer, deploymentId: string): Promise<void> {
    const temporary = temporaryName(file)
    try {
      await mkdir(folderOf(deploymentId), { recursive: true, mode: 0o700 })
      await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 })
      const now = clock.now() / 1000
      await utimes(temporary, now, now)
      await rename(temporary, file)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  /** Lets go of what was not used for longest, until there is room again. */
  async function sweep(): Promise<void> {
    const files = await listFiles(folder)
    let total = files.reduce((sum, { size }) => sum + size, 0)
    const isOver = total > budgetBytes
    const now = clock.now()
    for (const { path, size, usedAt, isTemporary } of files.sort((a, b) => a.usedAt - b.usedAt)) {
      const isAbandoned = isTemporary && now - usedAt > ABANDONED_MS
      const isTooMuch = isOver && !isTemporary && total > budgetBytes * LEFT
      if (!isAbandoned && !isTooMuch) continue
      await rm(path, { force: true })
      total -= size
    }
  }

  return {
    async get(key) {
      const bytes = await read(fileOf(key))
      return bytes && readEntry(bytes, key)
    },
    async put(key, entry) {
      const bytes = writeEntry(key, entry)
      if (bytes.length > Math.min(MAX_ENTRY_BYTES, budgetBytes)) return
      await write(fileOf(key), bytes, key.deploymentId)
      unchecked += bytes.length
      if (unchecked < budgetBytes * CHECKED || sweeping !== undefined) return
      unchecked = 0
      sweeping = sweep()
        .catch((error: unknown) => log.warn({ err: error }, 'no room could be made for kept answers'))
        .finally(() => {
          sweeping = undefined
        })
      await sweeping
    },
    revalidate: (deploymentId, revalidation) =>
      addRevalidation(join(folderOf(deploymentId), REVALIDATIONS), revalidation),
    revalidations: (deploymentId) => readRevalidationFile(join(folderOf(deploymentId), REVALIDATIONS)),
    async forget(deploymentId) {
      await rm(folderOf(deploymentId), { recursive: true, force: true })
    },
  }
}

interface CachedFile {
  readonly path: string
  readonly size: number
  readonly usedAt: number
  readonly isTemporary: boolean
}

async function listFiles(folder: string): Promise<CachedFile[]> {
  const files: CachedFile[] = []
  for (const deployment of await namesIn(folder))
    for (const name of await namesIn(join(folder, deployment))) {
      // It makes others wrong, and must not be gone before them.
      if (name === REVALIDATIONS) continue
      const path = join(folder, deployment, name)
      const found = await stat(path).catch(ignoreAbsence)
      if (found?.isFile())
        files.push({ path, size: found.size, usedAt: found.mtimeMs, isTemporary: name.startsWith('.') })
    }
  return files
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(ignoreAbsence)) ?? []

/** Whatever text it is, and whatever file system. */
const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex')

function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

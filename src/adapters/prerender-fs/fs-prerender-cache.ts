import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderCache, PrerenderKey } from '#core/ports/prerender-cache.ts'
import { ignoreAbsence } from '../fs/error-code.ts'
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
/** A file takes so much of a disk, however short it is. */
const LEAST_BYTES = 4096
/** How much of the budget is left when room was made. */
const LEFT = 0.8
/** After so much was written, it is time to look at the whole. */
const CHECKED = 0.1
/** A file that was read is marked as used, but not more often than this. */
const MARK_MS = MINUTE
/** What a process left behind in the middle of a write. */
const ABANDONED_MS = 10 * MINUTE

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

  /**
   * Lets go of what was not used for longest, until there is room again: of the deployments that have the most, so that
   * whoever asks one site for ever more pages takes nothing from another.
   */
  async function sweep(): Promise<void> {
    const kept = await listKept(folder, clock.now() - ABANDONED_MS)
    const sizes = kept.map(({ bytes }) => bytes)
    if (sizes.reduce((sum, bytes) => sum + bytes, 0) <= budgetBytes) return
    const most = fairShare(sizes, budgetBytes * LEFT)
    for (const { bytes, byMinute } of kept) {
      let left = bytes
      for (const minute of [...byMinute.keys()].sort((a, b) => a - b))
        for (const { path, size } of byMinute.get(minute) ?? []) {
          if (left <= most) break
          await rm(path, { force: true })
          left -= size
        }
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
      unchecked += Math.max(bytes.length, LEAST_BYTES)
      if (unchecked < budgetBytes * CHECKED || sweeping !== undefined) return
      unchecked = 0
      sweeping = sweep()
        .catch((error: unknown) => log.warn({ err: error }, 'no room could be made for kept answers'))
        .finally(() => {
          sweeping = undefined
        })
      await sweeping
    },
    async revalidate(deploymentId, revalidation, tell) {
      await addRevalidation(join(folderOf(deploymentId), REVALIDATIONS), revalidation)
      tell?.()
    },
    revalidations: (deploymentId) => readRevalidationFile(join(folderOf(deploymentId), REVALIDATIONS)),
    async forget(deploymentId) {
      await rm(folderOf(deploymentId), { recursive: true, force: true })
    },
  }
}

/** What is kept of one deployment, by the minute of its last use: to sort hundreds of thousands would stop the process. */
interface DeploymentPages {
  bytes: number
  readonly byMinute: Map<number, { readonly path: string; readonly size: number }[]>
}

/** What a process left behind in the middle of a write is removed. */
async function listKept(folder: string, abandonedBefore: number): Promise<readonly DeploymentPages[]> {
  const all: DeploymentPages[] = []
  for (const deployment of await namesIn(folder)) {
    const kept: DeploymentPages = { bytes: 0, byMinute: new Map() }
    all.push(kept)
    for (const name of await namesIn(join(folder, deployment))) {
      // It makes others wrong, and must not be gone before them.
      if (name.startsWith(REVALIDATIONS)) continue
      const path = join(folder, deployment, name)
      const found = await stat(path).catch(ignoreAbsence)
      if (!found?.isFile()) continue
      const size = Math.max(found.size, LEAST_BYTES)
      kept.bytes += size
      if (name.startsWith('.')) {
        if (found.mtimeMs < abandonedBefore) await rm(path, { force: true })
        continue
      }
      const minute = Math.floor(found.mtimeMs / MARK_MS)
      const used = kept.byMinute.get(minute)
      if (used) used.push({ path, size })
      else kept.byMinute.set(minute, [{ path, size }])
    }
  }
  return all
}

/** The most that each may have so that all together have this much; whoever has less keeps it. */
function fairShare(sizes: readonly number[], together: number): number {
  let left = together
  const ordered = sizes.toSorted((a, b) => a - b)
  for (const [n, size] of ordered.entries()) {
    const share = left / (ordered.length - n)
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(ignoreAbsence)) ?? []

/** Whatever text it is, and whatever file system. */
const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex')

import { renameSync, type Stats, statSync, utimesSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises'
import { isBlobName, type StoredBlob } from '#core/ports/blob-store.ts'
import { syncFolder } from '../fs/private-file.ts'
import { FOLDER_MODE, isMissing } from './folder/disk.ts'
import type { Layout } from './folder/layout.ts'
import type { BlobIndex } from './index/blob-index.ts'

/**
 * Large contents are files of their own, named by hash; the file system is their index and the modification time is
 * when they were last put. Whether one is there and how old it is must not change between the look and the act, in
 * any process, so both happen inside a write to the shared index: its lock is the lock of these files too. What
 * happens under it is a few quick calls on one folder entry and never a sync.
 */
export interface LargeFiles {
  /** Counts as a put if the content is there already, else tells false. Durable when it resolves. */
  repeat(sha256: string, putAt: number): Promise<boolean>
  /** Gives a synced temporary file its name. Durable when it resolves. */
  place(path: string, sha256: string): Promise<void>
  stat(sha256: string): Promise<StoredBlob | undefined>
  /** Once for all who read it at the same time: there are fewer descriptors than visitors. */
  open(sha256: string): Promise<OpenLarge | undefined>
  /** Those that have a folder: in most installations few of the 256. */
  prefixes(): Promise<ReadonlySet<string>>
  names(prefix: string): Promise<string[]>
  /** Moves the file away if it is what the caller means; only inside a write to the index. */
  takeAway(sha256: string, to: string, isMeant: (found: Stats) => boolean): boolean
}

/** Which file it is, whatever its name: one that is put again has the name of the one before. */
export type FileIdentity = Pick<Stats, 'dev' | 'ino' | 'birthtimeMs'>

export const isSameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.birthtimeMs === b.birthtimeMs

/** A content that may be read by others as well. */
export interface OpenLarge {
  readonly handle: Pick<FileHandle, 'read'>
  readonly size: number
  readonly identity: FileIdentity
  /** When nothing more of it is read; it may be called more than once. */
  close(): Promise<void>
}

interface SharedFile {
  readonly opened: Promise<OpenedFile>
  readers: number
}

interface OpenedFile {
  readonly handle: FileHandle
  readonly stats: Stats
}

export function createLargeFiles(layout: Layout, index: BlobIndex): LargeFiles {
  const made = new Set<string>()
  const shared = new Map<string, SharedFile>()

  async function leave(sha256: string, file: SharedFile): Promise<void> {
    if (--file.readers > 0) return
    if (shared.get(sha256) === file) shared.delete(sha256)
    await (await file.opened).handle.close()
  }

  /** Any process may have put another file in the place of one that is open here: that one is read by nobody who comes now. */
  async function openShared(sha256: string): Promise<OpenLarge> {
    const path = layout.largePath(sha256)
    for (;;) {
      const there = shared.has(sha256) ? await stat(path) : undefined
      const file = shared.get(sha256) ?? { opened: openFile(path), readers: 0 }
      shared.set(sha256, file)
      file.readers++
      try {
        const { handle, stats } = await file.opened
        let left: Promise<void> | undefined
        const close = () => {
          left ??= leave(sha256, file)
          return left
        }
        if (there === undefined || isSameFile(there, stats))
          return { handle, size: stats.size, identity: stats, close }
        if (shared.get(sha256) === file) shared.delete(sha256)
        await close()
      } catch (error) {
        if (shared.get(sha256) === file) shared.delete(sha256)
        throw error
      }
    }
  }

  /** Once for each prefix and process: whoever made the folder may have died before it was durable. */
  async function makePrefix(prefix: string): Promise<void> {
    if (made.has(prefix)) return
    await mkdir(layout.largeFolder(prefix), { recursive: true, mode: FOLDER_MODE })
    await syncFolder(layout.large)
    made.add(prefix)
  }

  async function syncEntry(sha256: string): Promise<void> {
    const prefix = sha256.slice(0, 2)
    await makePrefix(prefix)
    await syncFolder(layout.largeFolder(prefix))
  }

  return {
    async repeat(sha256, putAt) {
      const path = layout.largePath(sha256)
      // Most contents are new: they are told apart without the lock.
      if ((await orMissing(stat(path))) === undefined) return false
      const there = await index.write(() => touchIfThere(path, putAt))
      // Whoever named the file may not have come to sync the folder yet.
      if (there) await syncEntry(sha256)
      return there
    },
    async place(path, sha256) {
      const target = layout.largePath(sha256)
      await makePrefix(sha256.slice(0, 2))
      await index.write(() => renameSync(path, target))
      await syncEntry(sha256)
    },
    async stat(sha256) {
      const found = await orMissing(stat(layout.largePath(sha256)))
      return found && { sha256, size: found.size, putAt: Math.round(found.mtimeMs) }
    },
    open: (sha256) => orMissing(openShared(sha256)),
    prefixes: async () => new Set(await readdir(layout.large)),
    async names(prefix) {
      const files = await orMissing(readdir(layout.largeFolder(prefix)))
      return (files ?? []).filter(isBlobName).sort()
    },
    takeAway(sha256, to, isMeant) {
      const path = layout.largePath(sha256)
      const found = statSync(path, { throwIfNoEntry: false })
      if (found === undefined || !isMeant(found)) return false
      renameSync(path, to)
      return true
    },
  }
}

async function openFile(path: string): Promise<OpenedFile> {
  const handle = await open(path, 'r')
  try {
    return { handle, stats: await handle.stat() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function touchIfThere(path: string, putAt: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (putAt > found.mtimeMs) utimesSync(path, putAt / 1000, putAt / 1000)
  return true
}

async function orMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

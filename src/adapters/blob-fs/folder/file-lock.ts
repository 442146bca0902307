import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { isBusy } from '../../sqlite/sqlite-error.ts'
import { codeOf, FILE_MODE } from './disk.ts'

/** Held for as long as somebody keeps this object: the garbage collector closes what nobody refers to. */
export interface FileLock {
  release(): void
}

const WAIT_MS = 10

/**
 * SQLite opens a file it creates for everybody to read. An existing one is left alone: closing a second descriptor
 * of it would drop the locks that this process holds on it.
 */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/**
 * A lock that the kernel takes back when the process dies, however it dies. Node has no file locks of its own; an
 * open exclusive transaction of SQLite is one. Unlike process numbers it also tells the truth across containers.
 */
export function tryLockFile(path: string): FileLock | undefined {
  createPrivately(path)
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => db.close() }
}

export async function lockFile(path: string): Promise<FileLock> {
  for (;;) {
    const lock = tryLockFile(path)
    if (lock !== undefined) return lock
    await delay(WAIT_MS)
  }
}

import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { SECOND } from '#contract/time.ts'

/**
 * Runs `work` while no other process runs its own under the same path. Node has no file locks; an exclusive
 * transaction of SQLite is one, and the kernel takes it back when the process dies.
 */
export function withFileLock<T>(path: string, work: () => T): T {
  createPrivately(path)
  const db = new DatabaseSync(path, { timeout: 10 * SECOND })
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return work()
  } finally {
    db.close()
  }
}

/** SQLite would create the file for everybody to read. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Installation } from '../installation.ts'

/** Stops the working processes where they are, but not inside a transaction, in which everybody else would wait for them. */
export async function freezeWork(aloft: Installation): Promise<void> {
  const pids = await aloft.children('work')
  for (;;) {
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    // On PostgreSQL nobody waits for more than the rows that others change.
    if (aloft.databaseUrl !== undefined || FILES.every((name) => isFree(join(aloft.folder, 'data', name))))
      return
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    await new Promise((next) => setTimeout(next, 20))
  }
}

const FILES = ['aloft.db', 'logs.db']

/** Serving processes may write at this moment, too: then it is looked at again. */
function isFree(file: string): boolean {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('begin immediate; rollback')
    return true
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) return false
    throw error
  } finally {
    db.close()
  }
}

/** What it says more exactly is above the lowest eight bits. */
const SQLITE_BUSY = 5

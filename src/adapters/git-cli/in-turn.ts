import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE } from '#contract/time.ts'
import { GitError } from '#core/git/git-repositories.ts'
import { createTurns } from '#core/turns.ts'

const turns = createTurns(1)
/** No run of git that writes to a repository takes longer: what is locked for longer was locked by one that was killed. */
const LONGEST_MS = 20 * MINUTE
const ATTEMPTS = 5
const PAUSE_MS = 1000
const LOCKED = /\.lock'?: File exists/

/**
 * One change of a repository at a time, as far as this process goes; where another one holds a lock of git it is tried
 * again, and what a process that was killed has locked is unlocked.
 */
export const inTurn = <T>(folder: string, work: () => Promise<T>): Promise<T> =>
  turns.run(folder, () => tried(folder, work))

async function tried<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof GitError) || !LOCKED.test(error.message) || attempt === ATTEMPTS) throw error
      await unlock(folder)
      await pause(PAUSE_MS)
    }
}

/** Removes what was locked by a run that cannot be under way any more. */
export async function unlock(folder: string): Promise<void> {
  const inRefs = await readdir(join(folder, 'refs'), { recursive: true }).catch(() => [])
  const atTop = await readdir(folder).catch(() => [])
  for (const name of [...atTop, ...inRefs.map((path) => join('refs', path))]) {
    if (!name.endsWith('.lock')) continue
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > LONGEST_MS) await rm(join(folder, name), { force: true })
  }
}

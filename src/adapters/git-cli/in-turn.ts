import { opendir, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE } from '#contract/time.ts'
import { GitError } from '#core/git/git-repositories.ts'
import { createTurns } from '#core/turns.ts'

const turns = createTurns(1)
/** No run of git that writes to a repository takes longer: what is locked for longer was locked by one that was killed. */
const LONGEST_MS = 20 * MINUTE
/** What git writes under the lock of the packed refs, and does not write where there is one. */
const HALF = 'packed-refs.new'
const ATTEMPTS = 5
const PAUSE_MS = 1000
const LOCKED = /(?:\.lock|packed-refs\.new)'?: File exists/

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
  for (const name of await readdir(folder).catch(() => []))
    if (name.endsWith('.lock') || name === HALF) await removeOld(join(folder, name))
  await sweepRefs(folder)
}

/**
 * Removes old locks of refs, and the folders that git leaves empty where it could not write a ref. A server decides how
 * many of them there are, so that only those are held in memory that lead to the one that is looked at.
 */
export const sweepRefs = (folder: string): Promise<void> => sweep(join(folder, 'refs'), 0)

async function sweep(folder: string, depth: number): Promise<void> {
  const entries = await opendir(folder).catch(() => undefined)
  if (!entries) return
  for await (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await sweep(path, depth + 1)
    else if (entry.name.endsWith('.lock')) await removeOld(path)
  }
  // One that is not empty stays, and git makes one anew that goes while it needs it.
  if (depth > 1) await rmdir(folder).catch(() => undefined)
}

async function removeOld(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => undefined)
  if (found && Date.now() - found.mtimeMs > LONGEST_MS) await rm(lock, { force: true })
}

import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './sqlite-error.ts'

const LONGEST_PAUSE = 16

/**
 * Runs what another connection's lock prevents, again and again, until it is done or so many milliseconds have passed. The waiting
 * is done here and not by SQLite, whose busy handler would stop the whole process meanwhile.
 */
export async function whenFree<T>(run: () => T, ms: number): Promise<T> {
  const deadline = performance.now() + ms
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await sleep(1 + Math.random() * pause)
  }
}

import { SECOND } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import { DRAIN_MS } from './child.ts'

/**
 * Ends a process whose supervisor has died. What it has begun is finished first; where that takes longer than it may, nobody
 * else is there to kill it, and the next supervisor waits for the ports and files that it holds.
 */
export function endWhenOrphaned(end: () => void, log: Log, ms = DRAIN_MS + 5 * SECOND): void {
  process.once('disconnect', () => {
    end()
    setTimeout(() => {
      log.warn({}, 'this process lost its supervisor and did not stop in time')
      process.exit(1)
    }, ms).unref()
  })
}

import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'

/** Warns once a minute at most: a server that is down fails every request, and the log need not tell each. */
export function createRareWarning(log: Log, message: string, clock: Clock): (error: unknown) => void {
  let next = Number.NEGATIVE_INFINITY
  let unsaid = 0
  return (err) => {
    const now = clock.monotonic()
    if (now < next) {
      unsaid++
      return
    }
    next = now + MINUTE
    log.warn({ err, unsaid }, message)
    unsaid = 0
  }
}

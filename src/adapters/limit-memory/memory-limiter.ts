import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Clock } from '#core/ports/clock.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createPerWindow } from '../limit/per-window.ts'
import { takenOf } from '../limit/taken.ts'

export interface MemoryLimiterOptions {
  /** What `resetAt` is told in. Windows themselves end by the timers of the process. */
  readonly clock?: Clock
}

/** Counts inside this process. A key's count is dropped when its window ends. */
export function createMemoryLimiter({ clock = systemClock }: MemoryLimiterOptions = {}): RateLimiter {
  const limiterOf = createPerWindow(
    ({ points, ms }) => new RateLimiterMemory({ points, duration: ms / 1000, keyPrefix: '' }),
  )
  return {
    take(key, window, points = 1) {
      const now = clock.now()
      // Counts as `consume` does, without its rejected promise for each refusal, which costs four times as much.
      return limiterOf(window)
        .penalty(key, points)
        .then((count) => takenOf(count, window, now))
    },
  }
}

import type { Clock } from '#core/ports/clock.ts'
import type { RateLimiter, RateLimitResult } from '#core/ports/rate-limiter.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createPerWindow } from '../limit/per-window.ts'

interface MemoryLimiterOptions {
  /** What `resetAt` is told in. Windows themselves end by the timers of the process. */
  readonly clock?: Clock
}

/** What was counted for a key, for another process to go on with. */
export type GivenCount = readonly [key: string, most: number, ms: number, points: number, msLeft: number]

export interface MemoryLimiter extends RateLimiter {
  /** At once: nobody has to wait for it. */
  take(
    key: string,
    window: { readonly points: number; readonly ms: number },
    points?: number,
  ): RateLimitResult
  /** All counts, which are forgotten here. */
  giveAway(): GivenCount[]
  /** Adds what another process has counted. */
  receive(counts: readonly GivenCount[]): void
}

interface Count {
  points: number
  readonly endsAt: number
  readonly timer: NodeJS.Timeout
}

/** Counts inside this process. A key's count is dropped when its window ends. */
export function createMemoryLimiter({ clock = systemClock }: MemoryLimiterOptions = {}): MemoryLimiter {
  const windows: { readonly most: number; readonly ms: number; readonly counts: Map<string, Count> }[] = []
  const countsOf = createPerWindow(({ points, ms }) => {
    const counts = new Map<string, Count>()
    windows.push({ most: points, ms, counts })
    return counts
  })

  function add(counts: Map<string, Count>, key: string, points: number, ms: number): Count {
    const known = counts.get(key)
    if (known !== undefined) {
      known.points += points
      return known
    }
    const timer = setTimeout(() => counts.delete(key), ms)
    timer.unref?.()
    const count = { points, endsAt: Date.now() + ms, timer }
    counts.set(key, count)
    return count
  }

  // The time of day may have been set meanwhile; no window is longer for it.
  const msLeft = ({ endsAt }: Count, ms: number) => Math.min(Math.max(endsAt - Date.now(), 0), ms)

  return {
    take(key, window, points = 1) {
      const count = add(countsOf(window), key, points, window.ms)
      return {
        allowed: count.points <= window.points,
        remaining: Math.max(window.points - count.points, 0),
        resetAt: Math.round(clock.now() + msLeft(count, window.ms)),
      }
    },
    giveAway() {
      const given: GivenCount[] = []
      for (const { most, ms, counts } of windows) {
        for (const [key, count] of counts) {
          clearTimeout(count.timer)
          given.push([key, most, ms, count.points, msLeft(count, ms)])
        }
        counts.clear()
      }
      return given
    },
    receive(counts) {
      for (const [key, most, ms, points, left] of counts)
        add(countsOf({ points: most, ms }), key, points, Math.min(left, ms))
    },
  }
}

import type { RateLimiterRes } from 'rate-limiter-flexible'
import type { Window } from '#contract/limit/limits.ts'
import type { RateLimitResult } from '#core/ports/rate-limiter.ts'

/** Counters go by the time of day: when that is set back, a window seems to end later than it can. */
export const takenOf = (count: RateLimiterRes, { points, ms }: Window, now: number): RateLimitResult => ({
  allowed: count.consumedPoints <= points,
  remaining: count.remainingPoints,
  resetAt: Math.round(now + Math.min(count.msBeforeNext, ms)),
})

/** How long a request may wait for a counter in another process or machine before it passes. */
export const TIMEOUT_MS = 250

/**
 * Calls `giveUp` when no answer has come in time. Timers come before sockets in a turn of the event loop: where this process was
 * held up, the answer may have arrived without having been read, so the sockets are read once more before.
 */
export const giveUpAfter = (timeout: number, giveUp: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(giveUp), timeout)

/** The answer where no counter can be asked. */
export const passed = ({ points, ms }: Window, now: number): RateLimitResult => ({
  allowed: true,
  remaining: points,
  resetAt: now + ms,
})

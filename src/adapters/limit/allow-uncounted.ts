import type { Window } from '#contract/limit/limits.ts'
import type { RateLimitResult } from '#core/ports/rate-limiter.ts'

/** The answer where no counter can be asked. */
export const allowUncounted = ({ points, ms }: Window, now: number): RateLimitResult => ({
  allowed: true,
  remaining: points,
  resetAt: now + ms,
})

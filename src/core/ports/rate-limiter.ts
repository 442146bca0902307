import type { Window } from '#contract/limit/limits.ts'

export interface RateLimitResult {
  readonly allowed: boolean
  readonly remaining: number
  /** When the window starts anew, in ms since the epoch. */
  readonly resetAt: number
}

/**
 * Counts requests in fixed windows. Counts are exact over all serving processes that share the
 * limiter. A limiter that cannot be reached lets requests pass: a broken counter stops nobody.
 */
export interface RateLimiter {
  /** Counts one request, or as many as `points` says. */
  take(key: string, window: Window, points?: number): RateLimitResult | Promise<RateLimitResult>
}

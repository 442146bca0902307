import type { Redis } from 'ioredis'
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Window } from '#contract/limit/limits.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { RateLimiter, RateLimitResult } from '#core/ports/rate-limiter.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { giveUpAfter } from '../ipc/give-up-after.ts'
import { allowUncounted } from '../limit/allow-uncounted.ts'
import { createPerWindow } from '../limit/per-window.ts'
import { createRareWarning } from '../redis/rare-warning.ts'

interface RedisLimiterOptions {
  /** Connects by itself (no `lazyConnect`): while it is not connected, requests pass. The caller closes it. */
  readonly redis: Redis
  readonly log: Log
  readonly clock?: Clock
  /** How many ms an answer may take. */
  readonly timeout?: number
}

/** How long a request may wait for Redis before it passes. */
const TIMEOUT_MS = 250

/** Windows are rounded up to whole seconds. */
const ROUNDING_MS = 2000

/** Counts in Redis, for many machines. Windows last whole seconds there: others are rounded up. */
export function createRedisLimiter({
  redis,
  log,
  clock = systemClock,
  timeout = TIMEOUT_MS,
}: RedisLimiterOptions): RateLimiter {
  const warn = createRareWarning(log, 'Redis does not count requests: they pass without a limit', clock)
  const limiterOf = createPerWindow(
    ({ points, ms }) =>
      new RateLimiterRedis({
        storeClient: redis,
        points,
        duration: Math.ceil(ms / 1000),
        // The window is a part of the key: one caller may be counted in several windows.
        keyPrefix: `aloft:limit:${points}:${ms}`,
        // Else requests would wait for the connection to come back.
        rejectIfRedisNotReady: true,
      }),
  )
  return {
    async take(key, window, points = 1) {
      const limiter = limiterOf(window)
      try {
        // Unlike `consume`, `penalty` rejects for failures only.
        let count = await inTime(limiter.penalty(key, points), timeout)
        // Redis keeps counts until a time of day. One that ends later than a window can is of a clock that was set back,
        // and would keep its caller out for as long as that.
        if (count.msBeforeNext > window.ms + ROUNDING_MS) {
          await limiter.delete(key)
          count = await inTime(limiter.penalty(key, points), timeout)
        }
        return takenOf(count, window, clock.now())
      } catch (error) {
        warn(error)
        return allowUncounted(window, clock.now())
      }
    },
  }
}

function inTime(answer: Promise<RateLimiterRes>, timeout: number): Promise<RateLimiterRes> {
  return new Promise((resolve, reject) => {
    const timer = giveUpAfter(timeout, () => reject(new Error(`No answer within ${timeout} ms`)))
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Counters go by the time of day: when that is set back, a window seems to end later than it can. */
const takenOf = (count: RateLimiterRes, { points, ms }: Window, now: number): RateLimitResult => ({
  allowed: count.consumedPoints <= points,
  remaining: count.remainingPoints,
  resetAt: Math.round(now + Math.min(count.msBeforeNext, ms)),
})

import type { Endpoint } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { LIMITS, type LimitGroup, type Plan, type Window } from '#contract/limit/limits.ts'
import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { RateLimiter, RateLimitResult } from '#core/ports/rate-limiter.ts'

export interface Allowance extends RateLimitResult {
  readonly total: number
}

export interface Limits {
  /** Counts one request of the caller. With several windows, the one with the least left is answered. */
  take(row: Endpoint | undefined, caller: string, plan: Plan): Allowance | Promise<Allowance>
  /**
   * Counts what a large request costs beyond one: a body or an answer that is many times as large as usual takes as
   * many times as long. It is never refused itself; those that come after it are.
   */
  charge(row: Endpoint, caller: string, plan: Plan, bytes: number): Promise<void>
  /** Counts against a group of its own, such as the mails to one address. */
  takeFrom(group: LimitGroup, caller: string): Promise<Allowance>
}

/** Bytes of a body or an answer that count as much as a request. */
const BYTES_OF_ONE = 512 * 1024

/** Paths that do not exist share one allowance for each address. */
const UNKNOWN = 'unknown'

export function createLimits(limiter: RateLimiter, override: number | undefined): Limits {
  const instead: readonly Window[] | undefined =
    override === undefined ? undefined : [{ points: override, ms: MINUTE }]
  const windowsOf = (group: LimitGroup, plan: Plan): readonly Window[] =>
    instead ?? LIMITS[group].windows(plan)

  const keyOf = (row: Endpoint, caller: string): string =>
    `${'shared' in LIMITS[row.limit] ? row.limit : row.on}|${caller}`

  /** At once where the limiter answers at once: most requests need not wait for it. */
  function count(
    key: string,
    windows: readonly Window[],
    from = 0,
    tightest?: Allowance,
  ): Allowance | Promise<Allowance> {
    const window = windows[from]
    if (window === undefined) return tightest as Allowance
    const goOn = (taken: RateLimitResult): Allowance | Promise<Allowance> => {
      const allowance = { ...taken, total: window.points }
      if (!taken.allowed) return allowance
      const isTighter = !tightest || allowance.remaining < tightest.remaining
      return count(key, windows, from + 1, isTighter ? allowance : tightest)
    }
    const answer = limiter.take(`${key}|${window.ms}`, window)
    return answer instanceof Promise ? answer.then(goOn) : goOn(answer)
  }

  return {
    take(row, caller, plan) {
      if (row === undefined) return count(`${UNKNOWN}|${caller}`, windowsOf('read', plan))
      return count(keyOf(row, caller), windowsOf(row.limit, plan))
    },
    async charge(row, caller, plan, bytes) {
      const points = Math.floor(bytes / BYTES_OF_ONE)
      // Whoever sets a limit means requests. Windows of a day are about how many there are.
      if (points === 0 || instead) return
      for (const window of windowsOf(row.limit, plan))
        if (window.ms === MINUTE) await limiter.take(`${keyOf(row, caller)}|${window.ms}`, window, points)
    },
    takeFrom: async (group, caller) => count(`${group}|${caller}`, windowsOf(group, 'enterprise')),
  }
}

/** Both spellings, on every answer: a name and its value in turn. */
export function limitHeaderList({ total, remaining, resetAt }: Allowance): string[] {
  const [limit, left, reset] = [String(total), String(remaining), String(Math.ceil(resetAt / 1000))]
  return [
    ...['x-ratelimit-limit', limit, 'x-ratelimit-remaining', left, 'x-ratelimit-reset', reset],
    ...['x-rate-limit-limit', limit, 'x-rate-limit-remaining', left, 'x-rate-limit-reset', reset],
  ]
}

export function rateLimited({ total, resetAt }: Allowance): AloftError {
  return new AloftError('rate_limited', 'The rate limit of this endpoint was exceeded. Try again later.', {
    limit: { total, remaining: 0, reset: Math.ceil(resetAt / 1000), resetMs: resetAt },
  })
}

/** What was exceeded, by the error that says so; an endpoint may draw on an allowance besides the one for all requests. */
export function exceededOf({ kind, extra }: AloftError): Allowance | undefined {
  // Not everything that is too much has an allowance: so many streams at once, for one.
  if (kind !== 'rate_limited' || extra.limit === undefined) return undefined
  const { total, resetMs } = extra.limit as { total: number; resetMs: number }
  return { total, remaining: 0, resetAt: resetMs, allowed: false }
}

export const retryAfter = ({ resetAt }: RateLimitResult, clock: Clock): string =>
  String(Math.max(1, Math.ceil((resetAt - clock.now()) / 1000)))

import { SECOND } from '#contract/time.ts'
import { ApiError } from '../api-error.ts'
import { pause } from '../client.ts'
import { ConnectionError } from '../connection-error.ts'

export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>

/**
 * How long failures that pass are outlasted: longer than an installation takes to end what is under way and to start
 * again, half a minute at the least; or, where something goes on meanwhile, a quarter of an hour.
 */
type RetryFor = 'short' | 'long'

export interface Persistence {
  readonly retryFor?: RetryFor | undefined
  readonly signal?: AbortSignal | undefined
  readonly wait?: Wait | undefined
  /** Told of each failure before the next attempt. */
  readonly onFailure?: ((error: Error) => void) | undefined
}

const MAX_FAILURES: Readonly<Record<RetryFor, number>> = { short: 12, long: 150 }
const MAX_LIMITED = 60
const FIRST_BACKOFF = 250
const MAX_BACKOFF = 8 * SECOND
const MAX_LIMIT_WAIT = 90 * SECOND

/** Failures that pass: no answer, an installation that restarts, a rate limit. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError
    ? error.reason === 'dropped' || error.reason === 'refused' || error.reason === 'timeout'
    : error instanceof ApiError && (error.status === 429 || [500, 502, 503, 504].includes(error.status))

/** The same while something is followed that was reached before: a network that is gone for a while counts too. */
export const isPassingWhileFollowed = (error: unknown): boolean =>
  isPassing(error) ||
  (error instanceof ConnectionError && ['unknown_host', 'unreachable', 'failed'].includes(error.reason))

/** The wait before the next attempt, with some chance in it so that many do not come back at once. */
export const backoff = (failures: number): number =>
  Math.min(FIRST_BACKOFF * 2 ** failures, MAX_BACKOFF) * (0.5 + Math.random() / 2)

/**
 * Repeats what can be done twice without harm until it succeeds, or it has tried often enough. Rate limits are
 * waited out for as long as they last.
 */
export async function persist<T>(
  work: () => Promise<T>,
  { signal, wait = pause, retryFor = 'short', onFailure }: Persistence = {},
): Promise<T> {
  const passes = retryFor === 'long' ? isPassingWhileFollowed : isPassing
  for (let failures = 0, limited = 0; ; ) {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (!passes(error)) throw error
      if (error instanceof ApiError && error.status === 429) {
        const ms = error.retryAfterMs ?? SECOND
        if (ms > MAX_LIMIT_WAIT || ++limited > MAX_LIMITED) throw error
        await wait(ms + Math.random() * SECOND, signal)
      } else {
        if (++failures >= MAX_FAILURES[retryFor]) throw error
        onFailure?.(error as Error)
        await wait(backoff(failures), signal)
      }
    }
  }
}

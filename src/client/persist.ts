import { SECOND } from '#contract/time.ts'
import { ApiError } from './api-error.ts'
import { pause } from './client.ts'
import { ConnectionError } from './connection-error.ts'

export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export interface Persistence {
  readonly signal?: AbortSignal | undefined
  readonly wait?: Wait | undefined
}

const MAX_FAILURES = 7
const MAX_LIMITED = 60
const FIRST_BACKOFF = 250
const MAX_BACKOFF = 8 * SECOND
const MAX_LIMIT_WAIT = 90 * SECOND

/** Failures that pass: no answer, an installation that restarts, a rate limit. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError
    ? error.reason === 'dropped' || error.reason === 'refused' || error.reason === 'timeout'
    : error instanceof ApiError && (error.status === 429 || [500, 502, 503, 504].includes(error.status))

/** The wait before the next attempt, with some chance in it so that many do not come back at once. */
export const backoff = (failures: number): number =>
  Math.min(FIRST_BACKOFF * 2 ** failures, MAX_BACKOFF) * (0.5 + Math.random() / 2)

/**
 * Repeats what can be done twice without harm until it succeeds, for about half a minute. Rate limits are
 * waited out for as long as they last.
 */
export async function persist<T>(
  work: () => Promise<T>,
  { signal, wait = pause }: Persistence = {},
): Promise<T> {
  for (let failures = 0, limited = 0; ; ) {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw error
      if (error instanceof ApiError && error.status === 429) {
        const ms = error.retryAfterMs ?? SECOND
        if (ms > MAX_LIMIT_WAIT || ++limited > MAX_LIMITED) throw error
        await wait(ms + Math.random() * SECOND, signal)
      } else {
        if (++failures >= MAX_FAILURES) throw error
        await wait(backoff(failures), signal)
      }
    }
  }
}

import type { Method } from '#contract/endpoint.ts'
import { SECOND } from '#contract/time.ts'
import { ApiError } from '../api-error.ts'
import { ConnectionError } from '../connection-error.ts'

const MAX_ATTEMPTS = 3
const FIRST_BACKOFF = 100
/** A wait that is asked for and longer than this is the caller's to decide. */
const MAX_WAIT = { unavailable: 10 * SECOND, limited: 30 * SECOND } as const

export interface Attempts {
  readonly method: Method
  /** False when the body was a stream, which is used up. */
  readonly repeatable: boolean
  /** How many were made. */
  readonly made: number
  /** Whether one of them met a rate limit. */
  readonly limited: boolean
}

/**
 * How long to wait before asking again; undefined when the failure is final. Only GETs are repeated after
 * a failure that may have had an effect; a rate limit had none, so it is waited out once for every method.
 */
export function delayBeforeRetry(failure: unknown, attempts: Attempts): number | undefined {
  const { method, repeatable, made, limited } = attempts
  if (!repeatable || made >= MAX_ATTEMPTS) return undefined
  if (failure instanceof ConnectionError)
    return method === 'GET' && failure.reason === 'dropped' ? FIRST_BACKOFF * 4 ** (made - 1) : undefined
  if (!(failure instanceof ApiError)) return undefined
  if (failure.status === 429 && !limited) return within(failure.retryAfterMs, MAX_WAIT.limited)
  if (failure.status === 503 && method === 'GET') return within(failure.retryAfterMs, MAX_WAIT.unavailable)
  return undefined
}

const within = (ms: number | undefined, max: number): number | undefined =>
  ms !== undefined && ms <= max ? ms : undefined

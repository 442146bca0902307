import { ApiError } from '#client/api-error.ts'
import { ConnectionError } from '#client/connection-error.ts'
import { MINUTE } from '#contract/time.ts'

/** What went wrong and what to do, in words for a person. */
export function explain(error: unknown): string {
  if (error instanceof ConnectionError)
    return 'Can’t reach the server. Check your connection and try again. Nothing you entered is lost.'
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  if (error.status === 401 || error.extra.missingToken === true || error.extra.invalidToken === true)
    return 'You’re signed out. Sign in again in another tab, then retry.'
  if (error.status === 429)
    return `Too many requests. Try again in ${Math.ceil((error.retryAfterMs ?? MINUTE) / 1000)} seconds.`
  if (error.status >= 500 && error.requestId !== undefined && !error.message.includes(error.requestId))
    return `${error.message} Request ID: ${error.requestId}.`
  return error.message
}

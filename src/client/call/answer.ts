import type { Endpoint } from '#contract/endpoint.ts'
import { readRetryAfter } from '#contract/retry-after.ts'
import { ApiError, UNEXPECTED_ANSWER } from '../api-error.ts'
import type { TextAnswer } from './send-text.ts'

const requestIdOf = (response: TextAnswer): string | undefined =>
  response.headers.get('x-request-id') ?? undefined

const isJson = (response: TextAnswer): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a successful answer says, in the form of the row. `text` is its body, unless that is raw. */
export function readReply(response: TextAnswer, row: Endpoint, text: string, baseUrl: string): unknown {
  if (row.reply === 'empty') return undefined
  if (row.reply === 'html') return text
  const value = isJson(response) ? parse(text) : undefined
  if (value === undefined) throw unexpected(response, baseUrl)
  return value
}

export function readError(response: TextAnswer, text: string, baseUrl: string, now: number): ApiError {
  const body = isJson(response) ? (parse(text) as { error?: unknown } | null | undefined) : undefined
  const error = body?.error
  if (typeof error !== 'object' || error === null) return unexpected(response, baseUrl, now)
  const { code, message, ...extra } = error as Record<string, unknown>
  if (typeof code !== 'string' || typeof message !== 'string') return unexpected(response, baseUrl, now)
  return new ApiError({
    status: response.status,
    code,
    message,
    extra,
    requestId: requestIdOf(response),
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), now),
  })
}

/** Redirects are not followed: they turn a POST into a GET, and mean that the address is not the right one. */
function unexpected(response: TextAnswer, baseUrl: string, now?: number): ApiError {
  const location = response.headers.get('location')
  const what =
    location !== null && response.status >= 300 && response.status < 400
      ? `redirects to ${originOf(location, baseUrl)}`
      : `answered ${response.status} with ${response.headers.get('content-type') ?? 'no content type'}`
  return new ApiError({
    status: response.status,
    code: UNEXPECTED_ANSWER,
    message: `${baseUrl} ${what}, so it is not Aloft: another program or a proxy is responding.`,
    requestId: requestIdOf(response),
    ...(now === undefined ? {} : { retryAfterMs: readRetryAfter(response.headers.get('retry-after'), now) }),
  })
}

/** Only the origin: the rest of a redirect may repeat a query that holds a token. */
const originOf = (location: string, baseUrl: string): string =>
  URL.parse(location, baseUrl)?.origin ?? 'another address'

import type { IncomingHttpHeaders } from 'node:http'
import { AloftError } from '#contract/errors.ts'

const BEARER = /^bearer +([\x21-\x7e]+) *$/i

/** The token of a request; undefined when it has none. Tokens in the query string are not looked at. */
export function readBearer(headers: IncomingHttpHeaders): string | undefined {
  if (headers.authorization === undefined) return undefined
  return BEARER.exec(headers.authorization)?.[1] ?? ''
}

export const authFailed = (bearer: string | undefined): AloftError =>
  bearer === undefined
    ? new AloftError('auth_failed', 'This endpoint requires a token. Send `Authorization: Bearer <token>`.', {
        missingToken: true,
      })
    : new AloftError('auth_failed', 'The token is not valid: it is unknown, has expired or was revoked.', {
        invalidToken: true,
      })

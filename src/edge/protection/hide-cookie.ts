import type { AnyRequest } from '#core/http-message.ts'
import { VISITOR_COOKIE, withoutVisitorCookie } from './visitor-cookie.ts'

/** Takes out of a request what the visitor has shown to a protection: the code behind it could pass for him with that. */
export function hideVisitorCookie(req: AnyRequest): void {
  const { headers } = req
  if (headers.cookie === undefined || !headers.cookie.includes(VISITOR_COOKIE)) return
  const kept = withoutVisitorCookie(headers.cookie)
  if (kept === undefined) delete headers.cookie
  else headers.cookie = kept
  if ('stream' in req) return
  const { rawHeaders } = req
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'cookie') continue
    const line = withoutVisitorCookie(rawHeaders[i + 1] as string)
    if (line === undefined) rawHeaders.splice(i, 2)
    else rawHeaders[i + 1] = line
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import { AloftError } from '#contract/errors.ts'
import type { Actor } from '#core/access/context.ts'
import { actorOf, type Sessions } from '#core/session/sessions.ts'
import { readCookie } from './cookies.ts'
import { fromElsewhere, isCsrfOf, provenanceOf } from './provenance.ts'

interface Request {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly secure: boolean
}

/** Answers who calls, by the session of their browser; throws when somebody else uses that browser to call. */
type FindCaller = (request: Request) => Promise<Actor | undefined>

/**
 * The API for our own pages. A browser sends the cookie whoever asks it to, so a request counts only when it
 * comes from our own origin, and a change only with what our own pages alone can know.
 */
export const createFindCaller =
  (sessions: Sessions, site: string): FindCaller =>
  async ({ method, headers, secure }) => {
    const cookie = readCookie(headers, 'aloft_session', secure)
    if (cookie === undefined) return undefined
    const provenance = provenanceOf(headers, site, secure)
    const reads = method === 'GET' || method === 'HEAD'
    if (provenance === 'foreign' || (!reads && provenance === 'unsaid')) throw fromElsewhere()
    if (!reads && !isCsrfOf(headers['x-aloft-csrf'], cookie))
      throw new AloftError(
        'forbidden',
        'Changes with a session require the CSRF value in the header `x-aloft-csrf`.',
      )
    const found = await sessions.find(cookie)
    return found && actorOf(found)
  }

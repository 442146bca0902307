import type { IncomingHttpHeaders } from 'node:http'
import type { AuditEntry } from '#core/audit/audit.ts'
import { csrfOf, type Sessions } from '#core/session/sessions.ts'
import type { Tokens } from '#core/token/tokens.ts'
import type { User } from '#core/user/user.ts'
import { authFailed, readBearer } from '../request/authenticate.ts'
import { readCookie } from './cookies.ts'

/** Somebody at a page, and what its forms have to send along; undefined for a script, which has no session. */
export interface Person {
  readonly user: User
  readonly csrf: string | undefined
  readonly via: AuditEntry['via']
}

export type FindPerson = (headers: IncomingHttpHeaders, secure: boolean) => Promise<Person | undefined>

/** Who is signed in with this browser. */
export const createFindSession =
  (sessions: Sessions) =>
  async (
    headers: IncomingHttpHeaders,
    secure: boolean,
  ): Promise<(Person & { readonly csrf: string }) | undefined> => {
    const cookie = readCookie(headers, 'aloft_session', secure)
    const found = cookie === undefined ? undefined : await sessions.find(cookie)
    if (!found || cookie === undefined) return undefined
    const via = { kind: 'session', id: found.session.id, name: 'Browser' }
    return { user: found.user, csrf: csrfOf(cookie), via }
  }

/** Who is signed in, or whose token a script has sent in its place. */
export const createFindPerson = (sessions: Sessions, tokens: Tokens): FindPerson => {
  const findSession = createFindSession(sessions)
  return async (headers, secure) => {
    const bearer = readBearer(headers)
    if (bearer === undefined) return findSession(headers, secure)
    const found = bearer ? await tokens.authenticate(bearer) : undefined
    // An integration acts for people, but is none.
    if (!found || found.token.kind === 'oauth2') throw authFailed(bearer)
    const { kind, id, name } = found.token
    return { user: found.user, csrf: undefined, via: { kind, id, name } }
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import type { Actor } from '#core/access/context.ts'
import { actorOf, type Sessions } from '#core/session/sessions.ts'
import type { Tokens } from '#core/token/tokens.ts'
import { readBearer } from '../request/authenticate.ts'
import { readCookie } from '../session/cookies.ts'

export interface CallerParts {
  readonly tokens: Pick<Tokens, 'authenticate'>
  readonly sessions: Pick<Sessions, 'find'>
}

/** Who asks with these headers, now. They were let in with them before: what came from where is settled. */
export async function findAgain(
  { tokens, sessions }: CallerParts,
  headers: IncomingHttpHeaders,
): Promise<Actor | undefined> {
  const bearer = readBearer(headers)
  if (bearer !== undefined) return tokens.authenticate(bearer)
  // Whoever compares it with the session that was let in need not know under which name it came.
  for (const secure of [true, false]) {
    const cookie = readCookie(headers, 'aloft_session', secure)
    const found = cookie === undefined ? undefined : await sessions.find(cookie)
    if (found) return actorOf(found)
  }
  return undefined
}

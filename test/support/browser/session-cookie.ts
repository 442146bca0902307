import { beginSession } from '#core/session/sessions.ts'
import type { Account, TestServer } from '../server.ts'

/** The cookie of a browser in which this person has just signed in. How people do that, by mail, is a test of its own. */
export async function sessionCookie(
  { parts, clock }: TestServer,
  { id }: Account,
): Promise<{ readonly name: string; readonly value: string }> {
  const { bearer } = await beginSession(parts.stores.sessions, {
    userId: id,
    visit: { ip: '127.0.0.1', userAgent: 'test', secure: false, log: parts.log },
    now: clock.now(),
  })
  return { name: 'aloft_session', value: bearer }
}

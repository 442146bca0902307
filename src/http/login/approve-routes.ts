import * as api from '#contract/api/login.ts'
import type { RawReply } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import type { Logins } from '#core/login/logins.ts'
import type { Sessions } from '#core/session/sessions.ts'
import { pageReply, redirect } from '../answer/page.ts'
import { publicRoute, type Route } from '../route.ts'
import { readCookie } from '../session/cookies.ts'
import { withNext } from '../session/next.ts'
import { createFindSession } from '../session/person.ts'
import { fromElsewhere, isCsrfOf, provenanceOf } from '../session/provenance.ts'
import { accepted, askToApprove } from './pages.ts'

interface ApproveParts {
  readonly logins: Logins
  readonly sessions: Sessions
  readonly site: string
  readonly sendsMail: boolean
}

/** Whoever is signed in with a browser accepts their own login of another program there, without any mail. */
export function approveRoutes({ logins, sessions, site, sendsMail }: ApproveParts): readonly Route[] {
  const present = createFindSession(sessions)
  const toSignIn = (): RawReply => redirect(withNext('/login', '/login/approve'), { status: 303 })

  return [
    publicRoute(api.loginMethods, () => ({ mail: sendsMail, approveUrl: `${site}/login/approve` })),

    publicRoute(api.approvePage, async ({ secure }, { headers }) => {
      const found = await present(headers, secure)
      if (!found) return toSignIn()
      return pageReply(askToApprove(found.user, await logins.waitingFor(found.user), found.csrf))
    }),

    publicRoute(api.approve, async ({ secure }, { body, headers }) => {
      if (provenanceOf(headers, site, secure) === 'foreign') throw fromElsewhere()
      const found = await present(headers, secure)
      if (!found) return toSignIn()
      if (!isCsrfOf(body.csrf, readCookie(headers, 'aloft_session', secure) ?? ''))
        throw new AloftError('forbidden', 'This form has expired. Open the page again.')
      return pageReply(accepted(await logins.approve(found.user, body.id)))
    }),
  ]
}

import * as api from '#contract/api/session.ts'
import { csrfOf, type Sessions } from '#core/session/sessions.ts'
import type { SignOn } from '#core/session/sign-on.ts'
import type { Tokens } from '#core/token/tokens.ts'
import { authFailed, readBearer } from '../authenticate.ts'
import { pageReply, redirect } from '../page.ts'
import { publicRoute, type Route } from '../route.ts'
import { readCookie } from './cookies.ts'
import { withNext } from './next.ts'
import { noAccess } from './pages.ts'

export interface SsoParts {
  readonly signOn: SignOn
  readonly sessions: Sessions
  readonly tokens: Tokens
}

/** Where guarded sites send their visitors. Scripts come with a token instead of a session. */
export const ssoRoutes = ({ signOn, sessions, tokens }: SsoParts): readonly Route[] => [
  publicRoute(api.sso, async ({ secure }, { query: { url = '' }, headers }) => {
    const wanted = await signOn.find(url, headers.host)
    const bearer = readBearer(headers)
    const found = bearer ? await tokens.authenticate(bearer) : undefined
    // An integration acts for people, but is none.
    if (bearer !== undefined && (!found || found.token.kind === 'oauth2')) throw authFailed(bearer)
    const cookie = bearer === undefined ? readCookie(headers, 'aloft_session', secure) : undefined
    const user = found?.user ?? (cookie === undefined ? undefined : (await sessions.find(cookie))?.user)
    const again = withNext('/login', `/sso?url=${encodeURIComponent(url)}`)
    if (!user) return redirect(again)
    const location = await signOn.admit(user, wanted)
    if (location !== undefined) return redirect(location)
    const form = cookie === undefined ? undefined : { csrf: csrfOf(cookie), next: again }
    return pageReply(noAccess(user, wanted.host, form), { status: 403 })
  }),
]

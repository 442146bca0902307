import * as api from '#contract/api/session.ts'
import type { SignOn } from '#core/session/sign-on.ts'
import { pageReply, redirect } from '../answer/page.ts'
import { publicRoute, type Route } from '../route.ts'
import { withNext } from './next.ts'
import { noAccess } from './pages.ts'
import type { FindPerson } from './person.ts'

/** Where guarded sites send their visitors. */
export const ssoRoutes = (signOn: SignOn, findPerson: FindPerson): readonly Route[] => [
  publicRoute(api.sso, async ({ secure }, { query: { url = '' }, headers }) => {
    const wanted = await signOn.find(url, headers.host)
    const person = await findPerson(headers, secure)
    const again = withNext('/login', `/sso?url=${encodeURIComponent(url)}`)
    if (!person) return redirect(again)
    const location = await signOn.admit(person.user, wanted)
    if (location !== undefined) return redirect(location)
    const form = person.csrf === undefined ? undefined : { csrf: person.csrf, next: again }
    return pageReply(noAccess(person.user, wanted.host, form), { status: 403 })
  }),
]

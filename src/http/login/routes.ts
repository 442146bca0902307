import * as api from '#contract/api/login.ts'
import type { Logins } from '#core/login/logins.ts'
import type { Limits } from '../limits.ts'
import { linkToken } from '../request/link-token.ts'
import { publicRoute, type Route } from '../route.ts'
import { takeLoginMail } from './mail-allowance.ts'
import { accepted, askToAccept } from './pages.ts'

export const loginRoutes = (logins: Logins, limits: Limits): readonly Route[] => [
  publicRoute(api.register, async (visit, { query, body }) => {
    const sparesMail = !(await takeLoginMail(limits, visit, body.email))
    return logins.request(visit, { ...body, ...query, sparesMail })
  }),
  publicRoute(api.verify, async (_visit, { query }) => ({
    ...(await logins.verify(query.email, query.token)),
    teamId: null,
  })),
  publicRoute(api.acceptPage, async (_visit, { query }) => {
    const token = linkToken(query.token)
    return askToAccept(await logins.review(token), token)
  }),
  publicRoute(api.accept, async (_visit, { query, body }) =>
    accepted(await logins.accept(linkToken(body.token ?? query.token), body.code)),
  ),
]

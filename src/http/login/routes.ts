import * as api from '#contract/api/login.ts'
import { AloftError } from '#contract/errors.ts'
import type { Logins } from '#core/login/logins.ts'
import type { Limits } from '../limits.ts'
import { publicRoute, type Route } from '../route.ts'
import { takeLoginMail } from './mail-allowance.ts'
import { accepted, askToAccept } from './pages.ts'

const linkToken = (token: string | undefined): string => {
  if (!token)
    throw new AloftError(
      'bad_request',
      'The token is missing from this URL. Open the complete link from the email.',
    )
  return token
}

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

import * as api from '#contract/api/session.ts'
import type { RawReply } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { newBearer } from '#contract/ids.ts'
import type { Context, Visit } from '#core/access/context.ts'
import type { Logins } from '#core/login/logins.ts'
import type { Operators } from '#core/operator/operators.ts'
import type { Session } from '#core/session/session.ts'
import { csrfOf, lastUseOf, type Sessions } from '#core/session/sessions.ts'
import { pageReply, redirect } from '../answer/page.ts'
import type { Limits } from '../limits.ts'
import { takeLoginMail } from '../login/mail-allowance.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { clearCookie, readCookie, writeCookie } from './cookies.ts'
import { readNext, withNext } from './next.ts'
import { askForEmail, askToLeave, lapsed, notSetUp, signedIn, waiting } from './pages.ts'
import { createFindSession } from './person.ts'
import { fromElsewhere, isCsrfOf, provenanceOf } from './provenance.ts'

interface SessionParts {
  readonly logins: Logins
  readonly sessions: Sessions
  readonly operators: Pick<Operators, 'isSetupPending'>
  readonly limits: Limits
  readonly site: string
  readonly sendsMail: boolean
}

type Headers = Parameters<typeof readCookie>[0]

const show = (session: Session, ctx: Context) => ({
  id: session.id,
  current: session.id === ctx.actor.token.id,
  userAgent: session.userAgent,
  ip: session.ip,
  createdAt: session.createdAt,
  activeAt: lastUseOf(session),
  expiresAt: session.expiresAt,
})

const isKind = (error: unknown, kind: AloftError['kind']): boolean =>
  error instanceof AloftError && error.kind === kind

/** Signing in and out with a browser that runs no script. */
export const sessionRoutes = ({
  logins,
  sessions,
  operators,
  limits,
  site,
  sendsMail,
}: SessionParts): readonly Route[] => {
  const present = createFindSession(sessions)

  /** The form, bound to a cookie that other sites cannot read. */
  const form = (
    { secure }: Visit,
    headers: Headers,
    next: string,
    again?: { email: string; problem: string; status: number },
  ): RawReply => {
    const bearer = readCookie(headers, 'aloft_login', secure) ?? newBearer()
    return pageReply(askForEmail({ csrf: csrfOf(bearer), next }, { sendsMail, again }), {
      ...(again && { status: again.status }),
      cookies: [writeCookie('aloft_login', bearer, secure)],
    })
  }

  return [
    publicRoute(api.loginPage, async (visit, { query, headers }) => {
      const next = readNext(query.next)
      const found = await present(headers, visit.secure)
      if (!found)
        return query.anyway === undefined && (await operators.isSetupPending())
          ? pageReply(notSetUp())
          : form(visit, headers, next)
      if (query.next !== undefined) return redirect(next)
      return pageReply(signedIn(found.user, { csrf: found.csrf, next: '/login' }))
    }),

    publicRoute(api.logIn, async (visit, { body, headers }) => {
      const { secure } = visit
      if (provenanceOf(headers, site, secure) === 'foreign') throw fromElsewhere()
      const next = readNext(body.next)
      const email = body.email.trim()
      const again = (status: number, problem: string) =>
        form(visit, headers, next, { email, problem, status })
      const bearer = readCookie(headers, 'aloft_login', secure)
      if (bearer === undefined || !isCsrfOf(body.csrf, bearer))
        return again(403, 'This form has expired. Submit it again; your browser must accept cookies.')
      const sparesMail = !(await takeLoginMail(limits, visit, email))
      try {
        const { token } = await logins.request(visit, { email, tokenName: 'Browser', sparesMail })
        return redirect(withNext('/login/wait', next), {
          status: 303,
          cookies: [writeCookie('aloft_login', token, secure)],
        })
      } catch (error) {
        if (isKind(error, 'invalid_email')) return again(400, 'Enter a valid email address.')
        throw error
      }
    }),

    publicRoute(api.waitPage, async (visit, { query, headers }) => {
      const { secure } = visit
      const next = readNext(query.next)
      const again = withNext('/login', next)
      const poll = readCookie(headers, 'aloft_login', secure)
      // A page of somebody else has no reason to send anybody here.
      if (poll === undefined || provenanceOf(headers, site, secure) === 'foreign') return redirect(again)
      try {
        const login = await logins.pending(poll)
        if (login.acceptedAt === null) return pageReply(waiting(login, { next, sendsMail }))
        const { bearer } = await logins.signIn(visit, poll)
        const before = readCookie(headers, 'aloft_session', secure)
        if (before !== undefined) await sessions.end(before)
        return redirect(next, {
          status: 303,
          cookies: [writeCookie('aloft_session', bearer, secure), clearCookie('aloft_login', secure)],
        })
      } catch (error) {
        if (!isKind(error, 'not_found')) throw error
        // Another tab was first.
        if (await present(headers, secure)) return redirect(next)
        return pageReply(lapsed(again), { status: 404 })
      }
    }),

    publicRoute(api.logoutPage, async ({ secure }, { headers }) => {
      const found = await present(headers, secure)
      return found
        ? pageReply(askToLeave(found.user, { csrf: found.csrf, next: '/login' }))
        : redirect('/login')
    }),

    publicRoute(api.logOut, async ({ secure }, { body, headers }) => {
      if (provenanceOf(headers, site, secure) === 'foreign') throw fromElsewhere()
      const cookie = readCookie(headers, 'aloft_session', secure)
      if (cookie !== undefined) {
        if (!isCsrfOf(body.csrf, cookie))
          throw new AloftError('forbidden', 'This form has expired. Open the page again to sign out.')
        await sessions.end(cookie)
      }
      return redirect(readNext(body.next ?? '/login'), {
        status: 303,
        cookies: [clearCookie('aloft_session', secure)],
      })
    }),

    route(api.listSessions, async (ctx) => ({
      sessions: (await sessions.list(ctx)).map((session) => show(session, ctx)),
    })),
    route(api.getSession, async (ctx, { headers }) => {
      for (const secure of [true, false]) {
        const cookie = readCookie(headers, 'aloft_session', secure)
        const found = cookie === undefined ? undefined : await sessions.find(cookie)
        // The one that the request was let in by: a browser may hold a second, planted by somebody else.
        if (cookie !== undefined && found?.session.id === ctx.actor.token.id)
          return { session: show(found.session, ctx), csrf: csrfOf(cookie) }
      }
      throw new AloftError('not_found', 'You are using a token, not a browser session.')
    }),
    route(api.deleteSession, async (ctx, { params }) => ({ id: await sessions.revoke(ctx, params.id) })),
    route(api.deleteOtherSessions, async (ctx) => ({ ended: await sessions.revokeOthers(ctx) })),
  ]
}

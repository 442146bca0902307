import { AloftError, invalidRequest } from '#contract/errors.ts'
import { newBearer, newId } from '#contract/ids.ts'
import { MINUTE } from '#contract/time.ts'
import type { Visit } from '../access/context.ts'
import { networkOf } from '../access/network-of.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { QueueMail } from '../mail/queue-mail.ts'
import type { Transact } from '../ports/transact.ts'
import type { SessionStore } from '../session/session-store.ts'
import { beginSession } from '../session/sessions.ts'
import { hashBearer } from '../token/token.ts'
import type { TokenStore } from '../token/token-store.ts'
import { issueToken } from '../token/tokens.ts'
import { readEmail, type User } from '../user/user.ts'
import type { UserStore } from '../user/user-store.ts'
import { ensureUser, type UserRules } from '../user/users.ts'
import { LOGIN_LIFE, type Login, type NewLogin, newSecurityCode } from './login.ts'
import { loginMail } from './login-mail.ts'
import type { LoginStore } from './login-store.ts'

export interface Logins {
  /** Answers what the program that asks needs: a token to poll with and the code to show. */
  request(visit: Visit, command: NewLogin): Promise<{ readonly token: string; readonly securityCode: string }>
  /** What the person behind the mail's link is asked to accept. */
  review(link: string): Promise<Review>
  /**
   * Accepts a login: that of the mail, or the one with this security code which had no mail of its own. The account of
   * a new address is made here, so that asking alone makes none.
   */
  accept(link: string, code?: string): Promise<Login>
  /** Logins that somebody who is signed in elsewhere can accept, because they are their own; the newest first. */
  waitingFor(user: Pick<User, 'email'>): Promise<readonly Login[]>
  approve(user: Pick<User, 'email'>, id: string): Promise<Login>
  /** What the program that asked shows while it waits. */
  pending(poll: string): Promise<Login>
  /** Begins a session in the place of an API token, once. */
  signIn(visit: Visit, poll: string): Promise<{ readonly bearer: string }>
  /** Hands the API token out, once. */
  verify(email: string, poll: string): Promise<{ readonly token: string; readonly email: string }>
}

export interface Review {
  readonly login: Login
  /** Others wait for this mail too, and are told apart by their security codes. */
  readonly isShared: boolean
}

interface LoginParts extends UserRules {
  readonly store: LoginStore
  readonly users: UserStore
  readonly transact: Transact<{
    readonly logins: LoginStore
    readonly users: UserStore
    readonly tokens: TokenStore
    readonly sessions: SessionStore
    readonly jobs: JobQueue
  }>
  readonly queueMail: QueueMail
  readonly baseUrl: string
}

const isControl = /\p{Cc}/u

/** A mail that is older than this serves no more: whoever finds it has too little time. */
const LEFT_FOR_MAIL = 10 * MINUTE

/** Without a mail of its own, and asked for from the network that used up the mails. */
const sharesMailOf =
  (mailed: Login) =>
  (other: Login): boolean =>
    !other.hasMail && networkOf(other.ip) === networkOf(mailed.ip)

const spelled = (code: string): string => code.trim().replaceAll(/\s+/g, ' ').toLowerCase()

/** Two logins that one mail serves are told apart by their codes. */
function codeUnlike(others: readonly Login[]): string {
  const taken = new Set(others.map(({ securityCode }) => securityCode))
  for (let tries = 0; tries < 1000; tries++) {
    const code = newSecurityCode()
    if (!taken.has(code)) return code
  }
  return newSecurityCode()
}

export function createLogins({ store, users, transact, queueMail, baseUrl, ...rules }: LoginParts): Logins {
  const { clock } = rules
  const expired = () =>
    new AloftError('not_found', 'There is no such login request. It may have been used or have expired.')

  const live = (login: Login | undefined): Login => {
    if (!login || login.expiresAt <= clock.now()) throw expired()
    return login
  }

  /** Takes a login that was accepted, for whom it is; whoever comes second finds none. */
  const take = async (at: { logins: LoginStore; users: UserStore }, login: Login): Promise<User> => {
    // Clients compare this message to the letter.
    if (login.acceptedAt === null) throw new AloftError('confirmation_incomplete', 'Confirmation incomplete')
    const user = await at.users.byEmail(login.email)
    if (!user || !(await at.logins.take(login.id))) throw expired()
    return user
  }

  /** The login that a person means who opened the link of a mail and entered a code. */
  const withCode = async (logins: LoginStore, mailed: Login, code: string): Promise<Login> => {
    if (spelled(code) === spelled(mailed.securityCode)) return mailed
    const found = (await logins.waiting(mailed.email, clock.now()))
      .filter(sharesMailOf(mailed))
      .filter(({ securityCode }) => spelled(securityCode) === spelled(code))
    if (found.length === 1) return found[0] as Login
    throw new AloftError(
      'bad_request',
      'No pending login for this email has this security code. Check the spelling, or log in again.',
    )
  }

  return {
    async request(visit, { email: text, tokenName, mode, sparesMail = false }) {
      const email = readEmail(text)
      if (isControl.test(tokenName)) throw invalidRequest('`tokenName` should not contain control characters')
      if (mode === 'login' && !(await users.byEmail(email)))
        throw new AloftError('not_exists', 'No account has this email address.', { email })
      const poll = newBearer()
      const link = newBearer()
      const now = clock.now()
      const others = sparesMail ? await store.waiting(email, now) : []
      const hasMail = !others.some(
        (other) =>
          other.hasMail &&
          other.expiresAt - now > LEFT_FOR_MAIL &&
          networkOf(other.ip) === networkOf(visit.ip),
      )
      const login: Login = {
        id: newId.request(),
        email,
        tokenName,
        securityCode: codeUnlike(others),
        ip: visit.ip,
        userAgent: visit.userAgent.slice(0, 256),
        createdAt: now,
        expiresAt: now + LOGIN_LIFE,
        acceptedAt: null,
        hasMail,
      }
      await transact(async ({ logins, jobs }) => {
        await logins.insert(login, { poll: hashBearer(poll), ...(hasMail && { link: hashBearer(link) }) })
        if (hasMail) await queueMail(jobs, loginMail(login, `${baseUrl}/login/accept?token=${link}`))
      })
      return { token: poll, securityCode: login.securityCode }
    },

    async review(link) {
      const login = live(await store.byLink(hashBearer(link)))
      const others = await store.waiting(login.email, clock.now())
      return { login, isShared: others.some(sharesMailOf(login)) }
    },

    accept: (link, code) =>
      transact(async ({ logins, users }) => {
        const mailed = live(await logins.byLink(hashBearer(link)))
        const login = code === undefined ? mailed : await withCode(logins, mailed, code)
        if (login.acceptedAt !== null) return login
        await ensureUser(users, login.email, rules)
        await logins.accept(login.id, clock.now())
        return login
      }),

    waitingFor: async ({ email }) =>
      (await store.waiting(email, clock.now())).toSorted((a, b) => b.createdAt - a.createdAt),

    approve: ({ email }, id) =>
      transact(async ({ logins }) => {
        const login = (await logins.waiting(email, clock.now())).find((waiting) => waiting.id === id)
        if (!login || !(await logins.accept(login.id, clock.now()))) throw expired()
        return login
      }),

    pending: async (poll) => live(await store.byPoll(hashBearer(poll))),

    signIn: (visit, poll) =>
      transact(async ({ logins, users, sessions }) => {
        const login = live(await logins.byPoll(hashBearer(poll)))
        const user = await take({ logins, users }, login)
        const { bearer } = await beginSession(sessions, { userId: user.id, visit, now: clock.now() })
        return { bearer }
      }),

    verify: (emailText, poll) =>
      transact(async ({ logins, users, tokens }) => {
        const login = live(await logins.byPoll(hashBearer(poll)))
        if (login.email !== readEmail(emailText)) throw expired()
        const user = await take({ logins, users }, login)
        const { bearer } = await issueToken(tokens, {
          userId: user.id,
          name: login.tokenName,
          kind: 'login',
          now: clock.now(),
        })
        return { token: bearer, email: login.email }
      }),
  }
}

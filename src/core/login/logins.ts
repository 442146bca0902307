import { AloftError } from '#contract/errors.ts'
import { newBearer, newId } from '#contract/ids.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import type { Visit } from '../access/context.ts'
import type { JobHandler } from '../job/job-handler.ts'
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
  review(link: string): Promise<Login>
  /** Accepts a login. The account of a new address is made here, so that asking alone makes none. */
  accept(link: string): Promise<Login>
  /** What the program that asked shows while it waits. */
  pending(poll: string): Promise<Login>
  /** Begins a session in the place of an API token, once. */
  signIn(visit: Visit, poll: string): Promise<{ readonly bearer: string }>
  /** Hands the API token out, once. */
  verify(email: string, poll: string): Promise<{ readonly token: string; readonly email: string }>
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

export function createLogins({ store, users, transact, queueMail, baseUrl, ...rules }: LoginParts): Logins {
  const { clock } = rules
  const expired = () =>
    new AloftError('not_found', 'There is no such login request; it may have been used or have expired.')

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

  return {
    async request(visit, { email: text, tokenName, mode }) {
      const email = readEmail(text)
      if (isControl.test(tokenName))
        throw new AloftError(
          'bad_request',
          'Invalid request: `tokenName` should not hold control characters.',
        )
      if (mode === 'login' && !(await users.byEmail(email)))
        throw new AloftError('not_exists', 'No account has this e-mail address.', { email })
      const poll = newBearer()
      const link = newBearer()
      const now = clock.now()
      const login: Login = {
        id: newId.request(),
        email,
        tokenName,
        securityCode: newSecurityCode(),
        ip: visit.ip,
        userAgent: visit.userAgent.slice(0, 256),
        createdAt: now,
        expiresAt: now + LOGIN_LIFE,
        acceptedAt: null,
      }
      await transact(async ({ logins, jobs }) => {
        await logins.insert(login, { poll: hashBearer(poll), link: hashBearer(link) })
        await queueMail(jobs, loginMail(login, `${baseUrl}/login/accept?token=${link}`))
      })
      return { token: poll, securityCode: login.securityCode }
    },

    review: async (link) => live(await store.byLink(hashBearer(link))),

    accept: (link) =>
      transact(async ({ logins, users }) => {
        const login = live(await logins.byLink(hashBearer(link)))
        if (login.acceptedAt !== null) return login
        await ensureUser(users, login.email, rules)
        await logins.accept(login.id, clock.now())
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

export const createLoginCleanup = ({ store, clock }: Pick<LoginParts, 'store' | 'clock'>): JobHandler => ({
  kind: 'logins.clean-up',
  summary: 'Forget login requests that nobody accepted in time',
  timeLimit: MINUTE,
  maxAttempts: 3,
  every: HOUR,
  run: async () => {
    await store.deleteExpired(clock.now())
  },
})

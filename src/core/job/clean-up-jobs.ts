import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import type { LoginStore } from '../login/login-store.ts'
import type { OauthCodeStore } from '../oauth/oauth-code.ts'
import type { Clock } from '../ports/clock.ts'
import type { SsoPassStore } from '../session/session.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { InvitationStore } from '../team/invitation.ts'
import { LOGIN_IDLE } from '../token/token.ts'
import type { TokenStore } from '../token/token-store.ts'
import type { DeliveryStore } from '../webhook/webhook-store.ts'
import type { JobHandler } from './job-handler.ts'
import type { JobStore } from './job-queue.ts'

interface CleanedStores {
  readonly audit: Pick<AuditStore, 'prune'>
  readonly deliveries: Pick<DeliveryStore, 'prune'>
  readonly invitations: Pick<InvitationStore, 'prune'>
  readonly jobs: Pick<JobStore, 'prune'>
  readonly logins: Pick<LoginStore, 'deleteExpired'>
  readonly oauthCodes: Pick<OauthCodeStore, 'prune'>
  readonly sessions: Pick<SessionStore, 'prune'>
  readonly ssoPasses: Pick<SsoPassStore, 'prune'>
  readonly tokens: Pick<TokenStore, 'prune'>
}

/** Rows that are deleted at a time, where there may be many. */
const STEP = 1000

/** One job for each kind of row that is only of use for a time. */
export function createCleanUpJobs(stores: CleanedStores, clock: Clock): readonly JobHandler[] {
  const daily = (what: string, summary: string, run: JobHandler['run']): JobHandler => ({
    ...{ kind: `${what}.clean-up`, summary, run },
    ...{ timeLimit: 10 * MINUTE, maxAttempts: 3, every: DAY },
  })
  const hourly: typeof daily = (...given) => ({ ...daily(...given), timeLimit: MINUTE, every: HOUR })

  return [
    hourly('logins', 'Delete expired login requests', async () => {
      await stores.logins.deleteExpired(clock.now())
    }),
    hourly('invitations', 'Delete expired invitations', () => stores.invitations.prune(clock.now())),
    hourly('sessions', 'Delete expired sessions and passes', async () => {
      await stores.sessions.prune(clock.now())
      await stores.ssoPasses.prune(clock.now())
    }),
    hourly('tokens', 'Delete expired tokens and idle logins', () => {
      const now = clock.now()
      return stores.tokens.prune(now, now - LOGIN_IDLE)
    }),
    // A code that was used is remembered for a day, to notice when it is used again.
    hourly('oauth', 'Delete expired authorization codes of applications', () =>
      stores.oauthCodes.prune(clock.now() - DAY),
    ),
    // Long enough for somebody to look into what failed, or was sent.
    daily('jobs', 'Delete dead jobs after 30 days', async () => {
      await stores.jobs.prune(clock.now() - 30 * DAY)
    }),
    daily('webhooks', 'Delete webhook deliveries after 30 days', async (_payload, { signal }) => {
      while (!signal.aborted && (await stores.deliveries.prune(clock.now() - 30 * DAY, STEP)) === STEP);
    }),
    daily('audit', 'Delete audit log entries after 180 days', async (_payload, { signal }) => {
      while (!signal.aborted && (await stores.audit.prune(clock.now() - 180 * DAY, STEP)) === STEP);
    }),
  ]
}

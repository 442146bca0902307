import type { Role } from '#contract/api/team.ts'
import { AloftError, noSuch } from '#contract/errors.ts'
import { newBearer, newId } from '#contract/ids.ts'
import { MINUTE } from '#contract/time.ts'
import type { Context, Visit } from '../access/context.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { QueueMail } from '../mail/queue-mail.ts'
import type { Transact } from '../ports/transact.ts'
import type { SessionStore } from '../session/session-store.ts'
import { beginSession } from '../session/sessions.ts'
import { hashBearer } from '../token/token.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import { readEmail } from '../user/user.ts'
import type { UserStore } from '../user/user-store.ts'
import { ensureUser, type UserRules } from '../user/users.ts'
import { INVITATION_LIFE, type Invitation, type InvitationStore } from './invitation.ts'
import { joinMail } from './invitation-mail.ts'
import { lockedTeam, ownedTeam } from './seen-team.ts'
import type { Team } from './team.ts'
import type { TeamStore } from './team-store.ts'

export interface Invitations {
  /** Mails a link to an address, whether or not it has an account. */
  invite(
    ctx: Context,
    teamId: string,
    command: { readonly email: string; readonly role?: Role },
  ): Promise<Invitation>
  /** Those that wait to be accepted. */
  list(ctx: Context, teamId: string): Promise<readonly Invitation[]>
  revoke(ctx: Context, teamId: string, id: string): Promise<void>
  /** What the person behind the mail's link is asked to accept. */
  review(link: string): Promise<{ readonly invitation: Invitation; readonly team: Team }>
  /** Makes the account where there is none, makes it a member, and signs the browser in. Once. */
  accept(visit: Visit, link: string): Promise<{ readonly bearer: string; readonly team: Team }>
}

interface InvitationParts extends UserRules {
  readonly store: InvitationStore
  readonly teams: TeamStore
  readonly transact: Transact<
    UsageStores & {
      readonly invitations: InvitationStore
      readonly teams: TeamStore
      readonly users: UserStore
      readonly sessions: SessionStore
      readonly jobs: JobQueue
    }
  >
  readonly quotas: Pick<Quotas, 'check'>
  readonly queueMail: QueueMail
  readonly baseUrl: string
}

/** Mails to strangers are sent in the platform's name: there is an end to them. */
const MAX_WAITING = 50
const PAUSE = 10 * MINUTE

export function createInvitations(parts: InvitationParts): Invitations {
  const { store, teams, transact, quotas, queueMail, baseUrl, ...rules } = parts
  const { clock } = rules
  const gone = () =>
    new AloftError('not_found', 'This invitation has expired, was withdrawn or has been used already.')

  const live = async (invitations: InvitationStore, link: string): Promise<Invitation> => {
    const invitation = await invitations.byHash(hashBearer(link))
    if (!invitation || invitation.expiresAt <= clock.now()) throw gone()
    return invitation
  }

  const teamOf = async (store: TeamStore, { teamId }: Invitation): Promise<Team> => {
    const team = await store.byId(teamId)
    if (!team) throw gone()
    return team
  }

  return {
    invite: (ctx, teamId, { email: text, role = 'MEMBER' }) =>
      transact(async ({ invitations, teams, users, jobs }) => {
        // Of several who invite at once, each finds whom the one before has invited.
        const team = await lockedTeam(teams, ctx, teamId)
        const email = readEmail(text)
        const user = await users.byEmail(email)
        if (user && (await teams.member(teamId, user.id)))
          throw new AloftError('conflict', `${email} is already a member of this team.`)
        const now = clock.now()
        const waiting = await invitations.ofTeam(teamId, now)
        const before = waiting.find((invitation) => invitation.email === email)
        if (before && now - before.createdAt < PAUSE)
          throw new AloftError('conflict', `${email} was invited a few minutes ago. Try again later.`)
        if (!before && waiting.length >= MAX_WAITING)
          throw new AloftError(
            'conflict',
            `At most ${MAX_WAITING} invitations can be open. Withdraw one that is no longer needed.`,
          )
        const link = newBearer()
        const invitation: Invitation = {
          id: newId.request(),
          teamId,
          email,
          role,
          inviterId: ctx.actor.user.id,
          createdAt: now,
          expiresAt: now + INVITATION_LIFE,
        }
        await invitations.add(invitation, hashBearer(link))
        await queueMail(
          jobs,
          joinMail({
            ...{ to: email, team: team.name, inviter: ctx.actor.user, role },
            link: `${baseUrl}/invitation?token=${link}`,
            expiresAt: invitation.expiresAt,
          }),
        )
        return invitation
      }),

    async list(ctx, teamId) {
      await ownedTeam(teams, ctx, teamId)
      return store.ofTeam(teamId, clock.now())
    },

    revoke: (ctx, teamId, id) =>
      transact(async ({ invitations, teams }) => {
        await ownedTeam(teams, ctx, teamId)
        if (!(await invitations.take(teamId, id))) throw noSuch('invitation', id)
      }),

    async review(link) {
      const invitation = await live(store, link)
      return { invitation, team: await teamOf(teams, invitation) }
    },

    accept: (visit, link) =>
      transact(async (stores) => {
        const { invitations, teams, users, sessions } = stores
        const invitation = await live(invitations, link)
        const team = await teamOf(teams, invitation)
        if (!(await invitations.take(team.id, invitation.id))) throw gone()
        const now = clock.now()
        // The mail has reached the address, which is all that signing in asks for.
        const user = await ensureUser(users, invitation.email, rules)
        if (!(await teams.member(team.id, user.id))) await quotas.check(team, 'members', 1, stores)
        await teams.addMember(team.id, user.id, invitation.role, now)
        const { bearer } = await beginSession(sessions, { userId: user.id, visit, now })
        return { bearer, team }
      }),
  }
}

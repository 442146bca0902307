import type { Role } from '#contract/api/team.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { DisableStores } from '../installation/disable-installations.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { QueueMail } from '../mail/queue-mail.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import { readEmail } from '../user/user.ts'
import type { UserStore } from '../user/user-store.ts'
import type { Invitation, InvitationStore } from './invitation.ts'
import { invitationMail } from './invitation-mail.ts'
import { isSeen, lockedTeam, seenTeam } from './seen-team.ts'
import { type Member, readSlug, readTeamName, type Team } from './team.ts'
import type { TeamStore } from './team-store.ts'

export interface Teams {
  create(ctx: Context, command: { readonly slug: string; readonly name?: string }): Promise<Team>
  list(ctx: Context, page: PageQuery): Promise<Page<Team>>
  /** What the caller is in those of these teams that they are a member of. */
  roles(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, Role>>
  get(ctx: Context, by: { id: string } | { slug: string }): Promise<Team>
  update(ctx: Context, id: string, command: UpdateTeam): Promise<Team>
  members(ctx: Context, id: string): Promise<readonly Member[]>
  invite(ctx: Context, id: string, command: { readonly email: string; readonly role?: Role }): Promise<Member>
  changeRole(ctx: Context, id: string, userId: string, role: Role): Promise<void>
  removeMember(ctx: Context, id: string, userId: string): Promise<void>
}

interface UpdateTeam {
  readonly slug?: string
  readonly name?: string
  readonly membersMayEditProduction?: boolean
}

interface TeamParts {
  readonly store: TeamStore
  readonly transact: Transact<
    DisableStores &
      UsageStores & {
        readonly teams: TeamStore
        readonly invitations: Pick<InvitationStore, 'ofTeam' | 'take'>
        readonly users: UserStore
        readonly jobs: JobQueue
      }
  >
  readonly quotas: Pick<Quotas, 'check'>
  readonly queueMail: QueueMail
  readonly clock: Clock
  readonly defaultPlan: Plan
  readonly baseUrl: string
  /** Told inside the transaction in which somebody loses the membership. */
  readonly onLeaving: (stores: DisableStores, teamId: string, userId: string) => Promise<void>
}

export function createTeams(parts: TeamParts): Teams {
  const { store, transact, quotas, queueMail, clock, defaultPlan, baseUrl } = parts
  const slugTaken = (slug: string) => new AloftError('slug_taken', `The slug \`${slug}\` is taken.`, { slug })
  const notAMember = (userId: string) =>
    new AloftError('member_not_found', `The user \`${userId}\` is not a member of this team.`)

  /** Withdraws those that are chosen: their links work no more. */
  async function withdraw(
    { invitations }: { readonly invitations: Pick<InvitationStore, 'ofTeam' | 'take'> },
    teamId: string,
    isChosen: (invitation: Invitation) => boolean,
  ): Promise<void> {
    const open = await invitations.ofTeam(teamId, clock.now())
    for (const invitation of open) if (isChosen(invitation)) await invitations.take(teamId, invitation.id)
  }

  return {
    async create(ctx, { slug, name }) {
      const team: Team = {
        id: newId.team(),
        slug: readSlug(slug),
        name: name === undefined ? slug : readTeamName(name),
        creatorId: ctx.actor.user.id,
        avatar: null,
        plan: defaultPlan,
        softBlocked: false,
        membersMayEditProduction: true,
        createdAt: clock.now(),
      }
      const made = await transact(async (stores) => {
        // Each of them has the quotas of an account of its own.
        await quotas.check(ctx.actor.user, 'teams', 1, stores)
        return stores.teams.insert(team, ctx.actor.user.id)
      })
      if (!made) throw slugTaken(slug)
      return team
    },

    async list(ctx, page) {
      const found = await store.listFor(ctx.actor.user.id, page)
      return { ...found, items: found.items.filter((team) => isSeen(ctx, team)) }
    },

    roles: (ctx, ids) => store.roles(ctx.actor.user.id, ids),

    get: async (ctx, by) => (await seenTeam(store, ctx, by)).team,

    update: (ctx, id, command) =>
      transact(async ({ teams }) => {
        await lockedTeam(teams, ctx, id)
        const change = {
          ...(command.slug === undefined ? {} : { slug: readSlug(command.slug) }),
          ...(command.name === undefined ? {} : { name: readTeamName(command.name) }),
          ...(command.membersMayEditProduction === undefined
            ? {}
            : { membersMayEditProduction: command.membersMayEditProduction }),
        }
        if (Object.keys(change).length === 0) throw invalidRequest('`slug` or `name` is required')
        if (!(await teams.update(id, change))) throw slugTaken(command.slug ?? '')
        return (await seenTeam(teams, ctx, { id })).team
      }),

    async members(ctx, id) {
      await seenTeam(store, ctx, { id })
      return store.members(id)
    },

    invite: (ctx, id, { email: text, role = 'MEMBER' }) =>
      transact(async (stores) => {
        const { teams, users, jobs } = stores
        const team = await lockedTeam(teams, ctx, id)
        const email = readEmail(text)
        const user = await users.byEmail(email)
        if (!user) throw new AloftError('user_not_found', 'No account has this email address.', { email })
        if (!(await teams.member(id, user.id))) await quotas.check(team, 'members', 1, stores)
        if (await teams.addMember(id, user.id, role, clock.now()))
          await queueMail(
            jobs,
            invitationMail({
              ...{ to: email, team: team.name, inviter: ctx.actor.user, role },
              baseUrl: `${baseUrl}/a/${team.id}`,
            }),
          )
        // Nobody is to come back by it once they were removed.
        await withdraw(stores, id, (invitation) => invitation.email === email)
        return { userId: user.id, role, email, username: user.username }
      }),

    changeRole: (ctx, id, userId, role) =>
      transact(async (stores) => {
        const { teams } = stores
        await lockedTeam(teams, ctx, id)
        const member = await teams.member(id, userId)
        if (!member) throw notAMember(userId)
        if (member.role === 'OWNER' && role !== 'OWNER' && (await teams.countOwners(id)) === 1)
          throw new AloftError(
            'last_owner',
            'A team needs at least one OWNER. Make someone else an OWNER first.',
          )
        await teams.setRole(id, userId, role)
        if (role === 'OWNER') return
        // They would still decide who joins, as an OWNER even. Nobody is removed who was not made a MEMBER before.
        await withdraw(stores, id, ({ inviterId }) => inviterId === userId)
      }),

    removeMember: (ctx, id, userId) =>
      transact(async (stores) => {
        const { teams } = stores
        await lockedTeam(teams, ctx, id)
        const member = await teams.member(id, userId)
        if (!member) throw notAMember(userId)
        if (member.role === 'OWNER')
          throw new AloftError('forbidden', 'An OWNER can’t be removed. Make them a MEMBER first.')
        await teams.removeMember(id, userId)
        await withdraw(stores, id, ({ email }) => email === member.email)
        await parts.onLeaving(stores, id, userId)
      }),
  }
}

import { readAuditLog } from '#contract/api/audit.ts'
import * as login from '#contract/api/login.ts'
import * as teams from '#contract/api/team.ts'
import * as tokens from '#contract/api/token.ts'
import { getUser } from '#contract/api/user.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { invalidRequest } from '#contract/errors.ts'
import { shownPlan } from '../answer/shown-words.ts'
import type { CompatContext, CompatRequest, CompatRow, PartialRequest } from './row.ts'

type TeamList = ReplyOf<(typeof teams.listTeams)['reply']>
type Team = ReplyOf<(typeof teams.getTeam)['reply']>
type Member = ReplyOf<(typeof teams.listMembers)['reply']>[number]
type Audit = ReplyOf<(typeof readAuditLog)['reply']>

/** Earlier command lines ask which of two platforms the account is on: the first one is no longer anywhere. */
const showUser = ({ user }: ReplyOf<(typeof getUser)['reply']>) => ({ user: { ...user, platformVersion: 2 } })

/** A team, with what the caller is in it. */
const shownTeam = (team: Team, role: string | undefined, { ctx }: CompatContext) => {
  const createdAt = Date.parse(team.created)
  return {
    ...team,
    createdAt,
    updatedAt: createdAt,
    created: team.created,
    limited: false,
    description: null,
    stagingPrefix: team.slug,
    membership: {
      uid: ctx.actor.user.id,
      teamId: team.id,
      role,
      confirmed: true,
      confirmedAt: createdAt,
      created: createdAt,
      createdAt,
    },
    billing: { plan: shownPlan(ctx.owner.plan), period: null },
    resourceConfig: {},
  }
}

const showTeam = async (team: Team, also: CompatContext) =>
  shownTeam(team, (await also.rolesIn([team.id])).get(team.id), also)

async function showTeams(page: TeamList | Team, also: CompatContext) {
  if (!('teams' in page)) return showTeam(page, also)
  const roles = await also.rolesIn(page.teams.map(({ id }) => id))
  return {
    teams: page.teams.map((team) => shownTeam(team, roles.get(team.id), also)),
    pagination: page.pagination,
  }
}

const showMembers = (members: readonly Member[]) => ({
  members: members.map((member) => ({
    ...member,
    name: member.username,
    confirmed: true,
    createdAt: 0,
    accessRequestedAt: undefined,
    avatar: undefined,
  })),
  emailInviteCodes: [],
  pagination: { hasNext: false, count: members.length, next: null, prev: null },
})

/** Later versions send a list, of which one is taken: of several, some might be refused that come after others. */
function invitationOf({ body }: CompatRequest): { readonly email?: unknown; readonly role?: unknown } {
  if (!Array.isArray(body)) return body ?? {}
  if (body.length > 1) throw invalidRequest('members are added one at a time. Send one of them')
  return body[0] ?? {}
}

/** With the role as it is asked for: one that teams do not have here is refused, rather than made a wider one. */
const readInvitation = (asked: CompatRequest): PartialRequest => {
  const { email, role } = invitationOf(asked)
  return {
    params: { id: asked.params.id ?? '' },
    body: { email, ...(role === undefined ? {} : { role }) },
  }
}

const showInvited = (invited: object, { asked }: CompatContext) => {
  const { email, role = 'MEMBER' } = invitationOf(asked)
  return { ...invited, email, role }
}

const showEvents = ({ entries, pagination }: Audit) => ({
  events: entries.map(({ id, at, user, action, target }) => ({
    id,
    text: [action, ...Object.values(target)].join(' '),
    createdAt: at,
    userId: user.id,
    principalId: user.id,
    user: { uid: user.id, username: user.username ?? '', email: user.email ?? '', avatar: '' },
    entities: [],
  })),
  pagination,
})

/** The login of other clients names itself when it asks whether it was accepted, not before. */
const readLogin = ({ body, query }: CompatRequest): PartialRequest => ({
  query: query.mode === undefined ? {} : { mode: query.mode },
  body: { tokenName: 'Command line', ...body },
})

const readVerify = ({ query }: CompatRequest): PartialRequest => ({
  query: { email: query.email, token: query.token },
})

const pages = ({ query: { limit, since, until, from, next } }: CompatRequest): PartialRequest => {
  const before = until ?? next
  return {
    query: {
      ...(limit === undefined ? {} : { limit: String(Math.min(Number(limit), 100)) }),
      ...(since === undefined ? {} : { since }),
      ...(before === undefined ? {} : { until: before }),
      ...(from === undefined ? {} : { since: from }),
    },
  }
}

export const accountRows: readonly CompatRow[] = [
  { on: 'GET {/www,/v1}/user', is: getUser, show: showUser },
  { on: 'POST {,/now}/registration', is: login.register, read: readLogin },
  { on: 'GET {,/now}/registration/verify', is: login.verify, read: readVerify },

  { on: 'GET /v2/teams', is: teams.listTeams, read: pages, show: showTeams },
  { on: 'GET /v2/teams/:id', is: teams.getTeam, show: showTeam },
  {
    on: 'PATCH /v2/teams/:id',
    is: teams.updateTeam,
    read: ({ body: { name, slug } }) => ({ body: { ...(name && { name }), ...(slug && { slug }) } }),
    show: (_updated, also) =>
      also.call(teams.getTeam, { params: also.asked.params }).then((team) => showTeam(team, also)),
  },
  { on: 'GET /v{2,3}/teams/:id/members', is: teams.listMembers, show: showMembers },
  { on: 'POST /v2/teams/:id/members', is: teams.inviteMember, read: readInvitation, show: showInvited },
  { on: 'DELETE /v2/teams/:id/members/:userId', is: teams.removeMember },

  { on: 'GET /v{5,6}/user/tokens', is: tokens.listTokens, read: pages, show: (page) => page },
  { on: 'GET /v5/user/tokens/:id', is: tokens.getToken },
  { on: 'GET /v3/events', is: readAuditLog, read: pages, show: showEvents },
]

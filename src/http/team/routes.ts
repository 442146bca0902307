import * as api from '#contract/api/team.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { Teams } from '#core/team/teams.ts'
import type { Limits } from '../limits.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import { takeInvitationMail } from './invitation-allowance.ts'

type TeamEndpoints = Pick<typeof api, keyof typeof api.earliest>

const table = (teams: Teams, limits: Limits, rows: TeamEndpoints): readonly Route[] => [
  route(rows.createTeam, async (ctx, { body }) => ({ id: (await teams.create(ctx, body)).id })),
  route(rows.listTeams, async (ctx, { query: { slug, limit = PAGE_LIMIT.older, ...range } }) => {
    if (slug !== undefined) return current.team(await teams.get(ctx, { slug }))
    const page = await teams.list(ctx, { limit, ...range })
    return { teams: mapPage(page, current.team), pagination: page.pagination }
  }),
  route(rows.getTeam, async (ctx, { params }) => current.team(await teams.get(ctx, params))),
  route(rows.updateTeam, async (ctx, { params, body }) =>
    current.updated(await teams.update(ctx, params.id, body)),
  ),
  route(rows.listMembers, async (ctx, { params }) =>
    (await teams.members(ctx, params.id)).map(current.member),
  ),
  route(rows.inviteMember, async (ctx, { params, body }) => {
    await takeInvitationMail(limits, ctx, body.email)
    return current.invited(await teams.invite(ctx, params.id, body))
  }),
  route(rows.changeRole, async (ctx, { params, body }) => {
    await teams.changeRole(ctx, params.id, params.userId, body.role)
    return undefined
  }),
  route(rows.removeMember, async (ctx, { params }) => {
    await teams.removeMember(ctx, params.id, params.userId)
    return { id: params.id }
  }),
]

export const teamRoutes = (teams: Teams, limits: Limits): readonly Route[] => [
  ...table(teams, limits, api),
  ...table(teams, limits, api.earliest as unknown as TeamEndpoints),
]

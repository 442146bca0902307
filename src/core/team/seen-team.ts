import { AloftError } from '#contract/errors.ts'
import type { Context } from '../access/context.ts'
import { refuseBlocked } from '../access/soft-block.ts'
import type { Team } from './team.ts'
import type { TeamStore } from './team-store.ts'

/** An application knows the team that it is installed in, whatever others its person is in. */
export const isSeen = ({ actor: { installation } }: Context, { id }: Team): boolean =>
  installation === undefined || installation.teamId === id

/** The team as its caller sees it. Somebody else's team is refused in the same words as an unknown one. */
export async function seenTeam(teams: TeamStore, ctx: Context, by: { id: string } | { slug: string }) {
  const found = await teams.membership(ctx.actor.user.id, by)
  if (!found || !isSeen(ctx, found.team))
    throw new AloftError('forbidden', 'You are not a member of this team, or it does not exist.')
  return found
}

/** The team, for whoever may change it. */
export async function ownedTeam(teams: TeamStore, ctx: Context, id: string): Promise<Team> {
  const { team, role } = await seenTeam(teams, ctx, { id })
  if (role !== 'OWNER') throw new AloftError('forbidden', 'Only an OWNER of the team can do this.')
  refuseBlocked(team)
  return team
}

/** The same, while nobody else changes the team or its members: whoever had it locked before may have removed the caller. */
export async function lockedTeam(teams: TeamStore, ctx: Context, id: string): Promise<Team> {
  await ownedTeam(teams, ctx, id)
  await teams.lockMembers(id)
  return ownedTeam(teams, ctx, id)
}

import { type Endpoint, methodOf } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import type { Team } from '../team/team.ts'
import { type Actor, type Owner, personalOwner } from './context.ts'

/** The team that a request asks to act for, by id and, where the endpoint allows it, by slug. */
export interface TeamWish {
  readonly teamId?: string | undefined
  readonly slug?: string | undefined
}

export interface Memberships {
  /** The team with the user's role in it, or undefined when there is no such team or membership. */
  membership(userId: string, by: { id: string } | { slug: string }): Promise<Membership | undefined>
}

export interface Membership {
  readonly team: Team
  readonly role: Owner['role']
}

const denied = () => new AloftError('forbidden', 'You are not a member of this team, or it does not exist.')

/** Resolves the account that a request acts for. An unknown team and a foreign one look the same. */
export async function resolveOwner(actor: Actor, wish: TeamWish, teams: Memberships): Promise<Owner> {
  if (wish.teamId === undefined && wish.slug === undefined) return personalOwner(actor.user)
  const by = wish.teamId === undefined ? { slug: wish.slug as string } : { id: wish.teamId }
  const found = await teams.membership(actor.user.id, by)
  if (!found) throw denied()
  if (wish.slug !== undefined && found.team.slug !== wish.slug)
    throw new AloftError('bad_request', 'Invalid request: `teamId` and `slug` name different teams.')
  return {
    id: found.team.id,
    kind: 'team',
    slug: found.team.slug,
    plan: found.team.plan,
    softBlocked: found.team.softBlocked,
    role: found.role,
  }
}

/**
 * The one step that decides whether a call may go on. It denies whatever the endpoint's row does not
 * allow, so that an endpoint without a rule cannot be called at all.
 */
export function authorise(row: Endpoint, actor: Actor, owner: Owner): void {
  switch (row.access.kind) {
    case 'public':
      return
    case 'operator':
      if (!actor.user.operator)
        throw new AloftError('forbidden', 'Only an operator of this installation may do this.')
      return
    case 'personal':
      if (actor.token.kind === 'oauth2')
        throw new AloftError('forbidden', 'An integration may not do this, whatever its scopes.')
      break
    case 'scope':
      // Personal tokens are not limited by scopes; what integrations may do is decided by their grant.
      if (actor.token.kind === 'oauth2')
        throw new AloftError('forbidden', `The token lacks the scope ${row.access.scopes.join(', ')}.`)
      break
    default:
      throw new AloftError('forbidden', 'This endpoint has no access rule.')
  }
  if (owner.softBlocked && methodOf(row) !== 'GET')
    throw new AloftError(
      'payment_required',
      'This account is blocked. Settle its payment to make changes again.',
    )
}

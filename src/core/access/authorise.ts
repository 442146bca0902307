import { type Endpoint, methodOf } from '#contract/endpoint.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Scope } from '#contract/scopes.ts'
import { grants, type Installation } from '../installation/installation.ts'
import type { Team } from '../team/team.ts'
import { type Actor, type Owner, personalOwner } from './context.ts'
import { refuseBlocked } from './soft-block.ts'

/** The team that a request asks to act for, by id and, where the endpoint allows it, by slug. */
export interface TeamChoice {
  readonly teamId?: string | undefined
  readonly slug?: string | undefined
}

export interface Memberships {
  /** The team with the user's role in it, or undefined when there is no such team or membership. */
  membership(userId: string, by: { id: string } | { slug: string }): Promise<Membership | undefined>
}

interface Membership {
  readonly team: Team
  readonly role: Owner['role']
}

const denied = () => new AloftError('forbidden', 'You are not a member of this team, or it does not exist.')

/** Resolves the account that a request acts for. An unknown team and a foreign one look the same. */
export async function resolveOwner(actor: Actor, choice: TeamChoice, teams: Memberships): Promise<Owner> {
  const isOwn = choice.teamId === undefined || choice.teamId === actor.user.id
  // Clients that always name an account name one's own by the id of its user.
  if (isOwn && choice.slug === undefined) return personalOwner(actor.user)
  const by = isOwn ? { slug: choice.slug as string } : { id: choice.teamId as string }
  const found = await teams.membership(actor.user.id, by)
  if (!found) throw denied()
  if (choice.slug !== undefined && found.team.slug !== choice.slug)
    throw invalidRequest('`teamId` and `slug` name different teams')
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
  if (row.access.kind !== 'public') checkAccount(actor, owner)
  switch (row.access.kind) {
    case 'public':
      return
    case 'operator':
      if (actor.token.kind === 'oauth2' || !actor.user.operator)
        throw new AloftError('forbidden', 'Only an operator of this installation can do this.')
      return
    case 'personal':
      if (actor.token.kind === 'oauth2')
        throw new AloftError('forbidden', 'Integrations can’t do this, whatever their scopes.')
      break
    case 'scope':
      // Personal tokens are not limited by scopes; what integrations may do is decided by their grant.
      if (actor.token.kind === 'oauth2') checkGrant(actor.installation, row.access.scopes, row)
      break
    default:
      throw new AloftError('forbidden', 'This endpoint has no access rule.')
  }
  if (methodOf(row) !== 'GET') refuseBlocked(owner)
}

/** An application that nobody answers for any more may do nothing, whoever it asks to act for. */
export function refuseDisabled({ installation }: Actor): void {
  if (installation && installation.disabledAt !== null)
    throw new AloftError(
      'integration_configuration_disabled',
      'The integration is disabled because the person who installed it left the team. An OWNER has to take it over.',
    )
}

/** An application works in the one account that it was installed in. */
function checkAccount({ token, installation }: Actor, owner: Owner): void {
  if (token.kind !== 'oauth2') return
  if (!installation) throw new AloftError('forbidden', 'The integration is no longer installed.')
  if (owner.id === installation.ownerId) return
  throw new AloftError(
    'forbidden',
    installation.teamId === null
      ? 'The application is installed in a personal account and can’t act for a team.'
      : 'The application is installed in a team: pass the id of that team as `teamId`.',
  )
}

/** What is granted for the variables of all is granted for one's own. */
const WIDER: Partial<Record<Scope, Scope>> = { 'project-env-vars': 'global-project-env-vars' }

function checkGrant(installation: Installation | undefined, scopes: readonly Scope[], row: Endpoint): void {
  const permission = methodOf(row) === 'GET' ? 'read' : 'read-write'
  const granted = installation?.scopes ?? {}
  const missing = scopes.find(
    (scope) => !grants(granted, scope, permission) && !grants(granted, WIDER[scope] ?? scope, permission),
  )
  if (missing !== undefined)
    throw new AloftError(
      'forbidden',
      `The application lacks the permission \`${permission}\` for the scope \`${missing}\`.`,
      { scope: missing },
    )
}

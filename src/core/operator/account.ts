import type { Plan } from '#contract/limit/limits.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Team } from '../team/team.ts'
import type { User } from '../user/user.ts'

/** A user or a team, as operators see them. */
export interface Account {
  readonly id: string
  readonly kind: 'user' | 'team'
  readonly slug: string
  readonly email?: string
  readonly plan: Plan
  readonly softBlocked: boolean
}

export interface ListedAccount extends Account {
  readonly operator: boolean
  readonly createdAt: number
  readonly projects: number
  readonly deployments: number
}

export interface AccountStore {
  /** Of users and teams together, newest first; with this text in the slug or the address, in either case. */
  list(page: PageQuery, search: string | undefined): Promise<Page<ListedAccount>>
}

export const ofUser = (user: User): Account => ({
  id: user.id,
  kind: 'user',
  slug: user.username,
  email: user.email,
  plan: user.plan,
  softBlocked: user.softBlocked,
})

export const ofTeam = (team: Team): Account => ({
  id: team.id,
  kind: 'team',
  slug: team.slug,
  plan: team.plan,
  softBlocked: team.softBlocked,
})

import type { Role } from '#contract/api/team.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Origin } from '#contract/origins.ts'
import type { Installation } from '../installation/installation.ts'
import type { Log } from '../ports/log.ts'
import type { Token } from '../token/token.ts'
import type { User } from '../user/user.ts'

/** Who calls. */
export interface Actor {
  readonly user: User
  readonly token: Token
  /** The installation in whose place an application calls. */
  readonly installation?: Installation
}

/** Whose things a request reads and writes: the caller's own account, or a team it acts for. */
export interface Owner {
  readonly id: string
  readonly kind: 'user' | 'team'
  readonly slug: string
  readonly plan: Plan
  readonly softBlocked: boolean
  /** The caller's role in the owner; a user is OWNER of its own account. */
  readonly role: Role
}

/** What every use case is told about the request it serves. */
export interface Context {
  readonly actor: Actor
  readonly owner: Owner
  /** The origin that the request reached, by the name it used. */
  readonly origin: Origin
  readonly log: Log
}

/** What is known of somebody who has not signed in. */
export interface Visit {
  readonly requestId: string
  readonly at: number
  readonly ip: string
  readonly userAgent: string
  /** Whether nobody on the way can read along. */
  readonly secure: boolean
  readonly log: Log
}

export const personalOwner = (user: User): Owner => ({
  id: user.id,
  kind: 'user',
  slug: user.username,
  plan: user.plan,
  softBlocked: user.softBlocked,
  role: 'OWNER',
})

import type { Scope } from '#contract/scopes.ts'
import type { Permission, Scopes } from '../application/application.ts'

/** An application in an account: what it may do there. Clients know it as a configuration. */
export interface Installation {
  readonly id: string
  readonly applicationId: string
  /** The account it works in. */
  readonly ownerId: string
  /** The person whose name it acts in. */
  readonly userId: string
  /** The account again when that is a team. */
  readonly teamId: string | null
  readonly projectSelection: 'all' | 'selected'
  /** Ids, when they were selected. */
  readonly projects: readonly string[]
  readonly scopes: Scopes
  /** Wider scopes that nobody has agreed to yet. */
  readonly scopesQueue: readonly ScopeChange[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly disabledAt: number | null
  readonly disabledReason: string | null
}

export interface ScopeChange {
  readonly added: Scopes
  readonly upgraded: Scopes
  readonly note: string | null
  readonly requestedAt: number
  readonly confirmedAt: number | null
}

/** Whether what was granted is enough. */
export const grants = (scopes: Scopes, scope: Scope, permission: Permission): boolean =>
  scopes[scope] === 'read-write' || scopes[scope] === permission

/** Whether a project is among those that the installation may touch. */
export const reaches = (
  { projectSelection, projects }: Pick<Installation, 'projectSelection' | 'projects'>,
  projectId: string,
): boolean => projectSelection === 'all' || projects.includes(projectId)

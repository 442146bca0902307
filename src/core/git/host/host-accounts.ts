import type { HostAccess } from './host-api.ts'

/** A repository as its host lists it. */
export interface HostRepository {
  /** By which the host tells it apart, whatever it is called. */
  readonly id: string
  /** `owner/name`; on GitLab `group/…/name`. */
  readonly name: string
  /** Where it is looked at. */
  readonly webUrl: string
  /** Null of one that nothing was pushed to. */
  readonly defaultBranch: string | null
  readonly isPrivate: boolean
  readonly updatedAt: number | null
}

export interface RepositoryPage {
  readonly repositories: readonly HostRepository[]
  /** The page to go on with; null after the last. */
  readonly next: number | null
}

/**
 * What an account at a host of repositories can see. Rejects with a `HostRefusal` where asking once more would change
 * nothing, with any other error where it could.
 */
export interface HostAccounts {
  /** Whose token it is. */
  who(access: HostAccess, signal: AbortSignal): Promise<{ readonly id: string; readonly login: string }>
  /** Those that the account takes part in, the latest changed first, whose names have the text in them. */
  repositories(
    access: HostAccess,
    query: { readonly search: string; readonly page: number; readonly userId: string },
    signal: AbortSignal,
  ): Promise<RepositoryPage>
  /** Undefined where there is none of that name, or the account may not see it. */
  repository(access: HostAccess, name: string, signal: AbortSignal): Promise<HostRepository | undefined>
}

/** What hosts accept as names of owners and repositories, and what is safe as a part of an address. */
export const isRepositoryName = (name: string): boolean =>
  name.length <= 400 &&
  /^[\w.~-]+(?:\/[\w.~-]+){1,20}$/.test(name) &&
  !name.split('/').some((part) => part === '.' || part === '..')

import type { HostKind } from './host-api.ts'

/** An account at a host of repositories, which projects of an account here are deployed through. */
export interface GitConnection {
  readonly id: string
  readonly ownerId: string
  readonly kind: HostKind
  /** Where the host is, without a path: `https://github.com`. */
  readonly url: string
  /** The user name that goes with the token. Only Bitbucket asks for one. */
  readonly username: string | null
  /** Null if an app signs in. */
  readonly sealedToken: string | null
  /** The installation of an app that it stands for; null if it has a token. */
  readonly app: { readonly id: string; readonly installationId: string } | null
  /** Who the host says it is. */
  readonly login: string
  /** The id that the host has for that account. */
  readonly userId: string
  /** The user who connected it here. */
  readonly createdBy: string
  readonly createdAt: number
  /** When the host was last asked, and why it refused; the reason is null if it did not. */
  readonly checkedAt: number
  readonly problem: string | null
}

export interface ConnectionStore {
  add(connection: GitConnection): Promise<void>
  find(ownerId: string, id: string): Promise<GitConnection | undefined>
  byId(id: string): Promise<GitConnection | undefined>
  /** Those of an account, oldest first; their number is limited when they are added. */
  list(ownerId: string): Promise<readonly GitConnection[]>
  update(id: string, change: Partial<Pick<GitConnection, 'checkedAt' | 'problem'>>): Promise<boolean>
  remove(ownerId: string, id: string): Promise<boolean>
}

export const MOST_CONNECTIONS = 50

export const connectionPurpose = (id: string): string => `git-connection ${id}`

/** The addresses of hosts that nobody runs for themselves. */
export const HOST_URLS: Readonly<Partial<Record<HostKind, string>>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  bitbucket: 'https://bitbucket.org',
}

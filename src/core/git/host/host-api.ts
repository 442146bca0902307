import type { GIT_HOSTS } from '#contract/api/git-connection.ts'

/** Hosts of repositories whose API is spoken; Forgejo speaks Gitea's. */
export type HostKind = (typeof GIT_HOSTS)[number]

/** What is needed to speak with the API of a repository's host. */
export interface HostAccess {
  readonly kind: HostKind
  /** The address of the host or of a repository there, from which that of the API follows. */
  readonly url: string
  readonly username: string
  readonly token: string
  /** Whether the token is that of an app’s installation, which sees repositories in another way than people do. */
  readonly isApp?: boolean
}

export interface CommitStatus {
  readonly commit: string
  readonly state: 'pending' | 'success' | 'failure'
  /** By which those of several projects are told apart. */
  readonly context: string
  readonly description: string
  readonly url: string
}

/** A deployment as its host shows it beside the code. */
export interface HostDeployment {
  readonly commit: string
  /** The branch, or the ref of a pull request. */
  readonly ref: string
  /** By which those of several projects, and of production and previews, are told apart. */
  readonly project: string
  readonly environment: string
  /** Of a preview; the host of an environment has one address. */
  readonly branch: string
  readonly state: 'pending' | 'success' | 'failure' | 'inactive'
  readonly url: string
  readonly logUrl: string
}

/**
 * Tells the host of a repository what came of a push. All may be repeated. Rejects with a `HostRefusal` where asking once
 * more would change nothing, with any other error where it could.
 */
export interface GitHostApi {
  setStatus(access: HostAccess, status: CommitStatus, signal: AbortSignal): Promise<void>
  /**
   * Makes a deployment there, or changes the one of this id; answers the id. Undefined where the host has none that could
   * be told of from outside.
   */
  setDeployment(
    access: HostAccess,
    deployment: HostDeployment,
    id: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined>
  /** Below a pull request there is one comment with this mark: it is made, or changed in its place. */
  comment(
    access: HostAccess,
    number: number,
    comment: { readonly mark: string; readonly body: string },
    signal: AbortSignal,
  ): Promise<void>
}

export class HostRefusal extends Error {
  override readonly name = 'HostRefusal'
  /** What the host answered; undefined where it was not asked. */
  readonly status: number | undefined

  /** The time of its clock, where it told that. */
  readonly date: number | undefined

  constructor(message: string, status: number | undefined, date?: number) {
    super(message)
    this.status = status
    this.date = date
  }
}

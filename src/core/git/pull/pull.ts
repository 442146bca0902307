/** A pull request (GitLab: merge request) of a project's repository, as its host told of it. */
export interface Pull {
  readonly projectId: string
  readonly ownerId: string
  readonly number: number
  /** The repository that it is made to, as the project names it. */
  readonly repository: string
  /** What it is called here: `branch`, and `owner:branch` from a fork, which no branch can be called. */
  readonly branch: string
  readonly fork: boolean
  readonly title: string
  readonly url: string | null
  /** Its newest commit; some hosts tell only the beginning of the id. */
  readonly commit: string
  /** Under which the repository has it. */
  readonly ref: string
  readonly state: 'open' | 'closed'
  readonly updatedAt: number
}

export interface PullStore {
  find(projectId: string, number: number): Promise<Pull | undefined>
  /** In the place of the one of this number. */
  save(pull: Pull): Promise<void>
  /** Those of a project that are open. */
  open(projectId: string): Promise<readonly Pull[]>
  /** The same pull request, as each project of an account knows it that is deployed from the repository. */
  same(ownerId: string, repository: string, number: number): Promise<readonly Pull[]>
  /** Forgets those of a project. */
  clear(projectId: string): Promise<void>
}

/** What a host says of a pull request. */
export interface PullEvent {
  /** `open` also stands for new commits. */
  readonly action: 'open' | 'reopen' | 'close'
  readonly number: number
  readonly title: string
  readonly url: string | null
  /** Its branch, in the repository that it comes from. */
  readonly branch: string
  /** Whose that repository is; only of forks. */
  readonly from: string
  readonly fork: boolean
  readonly commit: string
  /** Under which the repository has it. */
  readonly ref: string
  /** Where its commits are fetched from; the repository itself unless it says another of the same host. */
  readonly fetch: { readonly ref: string; readonly repository?: string }
}

/** What a push knows of its pull request. */
export interface PullOfPush extends Pick<Pull, 'number' | 'branch' | 'url' | 'commit'> {
  readonly fetch: PullEvent['fetch']
}

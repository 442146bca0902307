import type { Origin } from '#contract/origins.ts'
import type { HostDeployment } from '../host/host-api.ts'
import type { PullOfPush } from '../pull/pull.ts'

/** How the platform came to know of a push. */
const PUSH_SOURCES = ['git', 'ssh', 'hook', 'poll', 'webhook', 'again'] as const
export type PushSource = (typeof PUSH_SOURCES)[number]

/**
 * - `receiving`: announced, while its content is still on the way
 * - `queued`: stored for good, and will be looked at
 * - `waiting`: an earlier build of the branch is under way
 * - `held`: somebody of the project has to approve it
 * - the others are final: a deployment was made of it, what it asked for was done without one, there was a reason to
 *   make none, or it failed
 */
const PUSH_STATES = [
  'receiving',
  'queued',
  'waiting',
  'held',
  'deployed',
  'done',
  'skipped',
  'failed',
] as const
export type PushState = (typeof PUSH_STATES)[number]

/** What still has to be seen to. */
export const OPEN_STATES = ['receiving', 'queued', 'waiting'] as const satisfies readonly PushState[]

export interface PushReason {
  /** For programs, such as `superseded`. */
  readonly code: string
  /** For people: why there is no deployment. */
  readonly message: string
}

/** What the pusher asked for beside the push itself. */
export interface PushOptions {
  /** To production, whatever the branch. */
  readonly prod?: boolean
  /** Deployed even where it would be skipped. */
  readonly force?: boolean
}

interface HostReport {
  /** Of its commit; see `report-job.ts`. */
  readonly status: string | null
  /** What the host calls the deployment, and its state. */
  readonly deployment: { readonly id: string; readonly state: HostDeployment['state'] } | null
}

export const NOTHING_REPORTED: HostReport = { status: null, deployment: null }

/** A ref of a repository moved: what came of it, or why nothing did. */
export interface Push {
  readonly id: string
  readonly ownerId: string
  readonly projectId: string
  readonly source: PushSource
  /** Of the machine that received it. Absent from those that nobody sent, and from those of earlier releases. */
  readonly origin?: Origin
  /** Such as `refs/heads/main`. */
  readonly ref: string
  /** Null where the ref is new. */
  readonly before: string | null
  /** Null where the ref was deleted; `LATEST` where it is what the branch holds when the push is looked at. */
  readonly after: string | null
  /** Who pushed: a user of the account. */
  readonly userId: string
  readonly author: string | null
  readonly message: string | null
  /** Whether it comes from somebody else's copy of the repository. */
  readonly fork: boolean
  /** Where it is of a pull request; null elsewhere. */
  readonly pull: PullOfPush | null
  readonly options: PushOptions
  readonly state: PushState
  readonly reason: PushReason | null
  /** What was left out and the like, in words for the pusher. */
  readonly notes: readonly string[]
  readonly deploymentId: string | null
  /** What its host was told of it last, so that nothing is told twice. */
  readonly told: HostReport
  readonly createdAt: number
  /** When it came to its state. */
  readonly stateAt: number
}

/** Stands for the commit of a push that named none: whatever its branch holds. */
export const LATEST = ''

export type PushChange = Partial<
  Pick<
    Push,
    'after' | 'state' | 'reason' | 'notes' | 'deploymentId' | 'author' | 'message' | 'told' | 'stateAt'
  >
>

const BRANCH = 'refs/heads/'
const TAG = 'refs/tags/'

export const branchOfRef = (ref: string): string | undefined =>
  ref.startsWith(BRANCH) ? ref.slice(BRANCH.length) : undefined

export const isTag = (ref: string): boolean => ref.startsWith(TAG)

export const refOfBranch = (branch: string): string => `${BRANCH}${branch}`

export const isOpen = ({ state }: Pick<Push, 'state'>): boolean =>
  (OPEN_STATES as readonly PushState[]).includes(state)

/** As people are shown a commit. */
export const shortOid = (oid: string): string => oid.slice(0, 7)

/** The key in the `meta` of a deployment under which its push is found. */
export const PUSH_META = 'gitPushId'

/** Told on the bus with the id of a push that came to another state. */
export const PUSHES_TOPIC = 'git-pushes'

import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import { newPush } from './new-push.ts'
import { LATEST, type Push, type PushSource, refOfBranch } from './push.ts'
import { REASONS } from './push-rules.ts'
import type { PushStore } from './push-store.ts'
import { queuePush } from './queue-push.ts'

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

/** What it is called here. A branch has no colon in its name, so that no fork can pass for one. */
const nameOf = ({ fork, from, branch }: Pick<PullEvent, 'fork' | 'from' | 'branch'>): string =>
  fork ? `${from}:${branch}` : branch

const isWhole = (commit: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)

interface PullStores {
  readonly pushes: PushStore
  readonly pulls: PullStore
  readonly jobs: JobQueue
}

/**
 * What a pull request leads to, inside the caller's transaction: a push, of the branch where it is one of the repository
 * itself, of the pull request where it comes from a fork; once it is closed, one that gives up its names.
 */
export async function followPull(
  { pushes, pulls, jobs }: PullStores,
  clock: Clock,
  whose: Pick<Push, 'projectId' | 'ownerId' | 'userId'> & {
    readonly repository: string
    readonly by: PushSource
  },
  event: PullEvent,
): Promise<void> {
  const { by, repository, projectId, ownerId, userId } = whose
  const { action, number, title, url, fork, commit } = event
  const known = await pulls.find(projectId, number)
  const isClosed = action === 'close'
  if (isClosed ? known?.state === 'closed' : known?.state === 'open' && known.commit === commit) return
  const branch = nameOf(event)
  const state = isClosed ? ('closed' as const) : ('open' as const)
  await pulls.save({
    ...{ projectId, ownerId, number, repository, branch, fork, title, url, commit, state },
    updatedAt: clock.now(),
  })
  const pull: PullOfPush = { number, branch, url, commit, fetch: event.fetch }
  const given = { projectId, ownerId, userId, source: by, fork, pull, before: null } as const
  const add = async (more: Partial<Push> & Pick<Push, 'ref' | 'after'>) =>
    queuePush(jobs, await newPush(pushes, clock, { ...given, state: 'queued', ...more }))

  if (isClosed) await add({ ref: event.ref, after: null })
  else if (fork) await add({ ref: event.ref, after: isWhole(commit) ? commit : LATEST })
  else {
    const ref = refOfBranch(branch)
    const isDeployed = (await pushes.newestOf(projectId, ref))?.after?.startsWith(commit) === true
    const isAgain = action === 'reopen' || known?.state === 'closed'
    if (!isDeployed || isAgain)
      // What was given up when it was closed is to be there again, though nothing has changed.
      await add({ ref, after: isWhole(commit) ? commit : LATEST, options: isAgain ? { force: true } : {} })
    else
      await newPush(pushes, clock, {
        ...{ ...given, ref: event.ref, after: commit, state: 'done' },
        reason: REASONS.ofBranch(number, branch),
      })
  }
}

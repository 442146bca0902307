import type { JobQueue } from '../../job/job-queue.ts'
import type { Clock } from '../../ports/clock.ts'
import { newPush } from '../push/new-push.ts'
import { LATEST, type Push, type PushSource, refOfBranch } from '../push/push.ts'
import { REASONS } from '../push/push-rules.ts'
import type { PushStore } from '../push/push-store.ts'
import { queuePush, queueReport } from '../push/queue-push.ts'
import type { PullEvent, PullOfPush, PullStore } from './pull.ts'

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
  whose: Pick<Push, 'projectId' | 'ownerId' | 'userId' | 'origin'> & {
    readonly repository: string
    readonly by: PushSource
  },
  event: PullEvent,
): Promise<void> {
  const { by, repository, projectId, ownerId, userId, origin } = whose
  const { action, number, title, url, fork, commit, ref } = event
  const known = await pulls.find(projectId, number)
  const isClosed = action === 'close'
  if (isClosed ? known?.state === 'closed' : known?.state === 'open' && known.commit === commit) return
  const branch = nameOf(event)
  const state = isClosed ? ('closed' as const) : ('open' as const)
  await pulls.save({
    ...{ projectId, ownerId, number, repository, branch, fork, title, url, commit, ref, state },
    updatedAt: clock.now(),
  })
  const pull: PullOfPush = { number, branch, url, commit, fetch: event.fetch }
  const from = { source: by, ...(origin && { origin }) }
  const given = { projectId, ownerId, userId, ...from, fork, pull, before: null } as const
  const add = async (more: Partial<Push> & Pick<Push, 'ref' | 'after'>) =>
    queuePush(jobs, await newPush(pushes, clock, { ...given, state: 'queued', ...more }))

  if (isClosed) await add({ ref, after: null })
  else if (fork) await add({ ref, after: isWhole(commit) ? commit : LATEST })
  else {
    const head = refOfBranch(branch)
    const isDeployed = (await pushes.newestOf(projectId, head))?.after?.startsWith(commit) === true
    const isAgain = action === 'reopen' || known?.state === 'closed'
    if (!isDeployed || isAgain)
      // What was given up when it was closed is to be there again, though nothing has changed.
      await add({
        ref: head,
        after: isWhole(commit) ? commit : LATEST,
        options: isAgain ? { force: true } : {},
      })
    else
      await queueReport(
        jobs,
        await newPush(pushes, clock, {
          ...{ ...given, ref, after: commit, state: 'done' },
          reason: REASONS.ofBranch(number, branch),
        }),
      )
  }
}

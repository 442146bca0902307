import type { Deployment } from '../../deployment/deployment.ts'
import { shareOf } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import { PUSH_META, type Push } from './push.ts'

export const PUSH_JOB = 'git.push'
export const AFTER_PUSH_JOB = 'git.after-push'
export const REPORT_JOB = 'git.report'

/**
 * Has the host of the repository told what came of a push. Those of an account go one after the other, so that two of its
 * projects never both find that a pull request has no comment yet.
 */
export const queueReport = (
  jobs: JobQueue,
  { id, ownerId, state, deploymentId }: Pick<Push, 'id' | 'ownerId' | 'state' | 'deploymentId'>,
  round = '',
): Promise<string> =>
  jobs.enqueue({
    kind: REPORT_JOB,
    payload: { pushId: id },
    key: `git-report:${id}:${state}:${deploymentId ?? ''}:${round}`,
    share: ownerId,
  })

/** Has a push looked at; those of one project one after the other. */
export const queuePush = (
  jobs: JobQueue,
  { id, ownerId, projectId }: Pick<Push, 'id' | 'ownerId' | 'projectId'>,
  { runAt, round = 0 }: { readonly runAt?: number; readonly round?: number } = {},
): Promise<string> =>
  jobs.enqueue({
    kind: PUSH_JOB,
    payload: { pushId: id, round },
    key: `push:${id}:${round}`,
    share: shareOf(ownerId, projectId),
    ...(runAt === undefined ? {} : { runAt }),
  })

/** A deployment that a push led to has come to its end: the next of its branch may begin. */
export async function queueAfterPush(
  jobs: JobQueue,
  { id, meta }: Pick<Deployment, 'id' | 'meta'>,
): Promise<void> {
  const pushId = meta[PUSH_META]
  if (pushId === undefined) return
  await jobs.enqueue({
    kind: AFTER_PUSH_JOB,
    payload: { pushId, deploymentId: id },
    key: `after-push:${id}`,
  })
}

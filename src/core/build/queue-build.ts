import type { JobQueue } from '../job/job-queue.ts'

export const BUILD_JOB = 'deployments.build'

/** Has a deployment built, once, in its account's turn. */
export const queueBuild = (
  jobs: JobQueue,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
): Promise<string> =>
  jobs.enqueue({ kind: BUILD_JOB, payload: { deploymentId: id }, key: `build:${id}`, share: ownerId })

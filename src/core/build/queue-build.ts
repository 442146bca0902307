import type { JobQueue } from '../job/job-queue.ts'

export const BUILD_JOB = 'deployments.build'

/** What the key of a deployment's job begins with; its id follows. */
export const BUILD_KEY = 'build:'

/** Has a deployment built, once, in its account's turn. */
export const queueBuild = (
  jobs: JobQueue,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
): Promise<string> =>
  jobs.enqueue({ kind: BUILD_JOB, payload: { deploymentId: id }, key: `${BUILD_KEY}${id}`, share: ownerId })

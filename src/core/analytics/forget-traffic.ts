import { MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { TrafficStore } from './traffic-store.ts'

const KIND = 'analytics.forget'

/** By then every process has written what it counted of it. */
const LATER = MINUTE

interface Forgotten {
  readonly projectId: string
  /** Absent: the project with all of its deployments. */
  readonly deploymentId?: string
}

/** Has the numbers of a deployment or a project deleted, as a part of the transaction that deletes it. */
export const queueForgetTraffic = async (jobs: JobQueue, gone: Forgotten, now: number): Promise<void> => {
  await jobs.enqueue({ kind: KIND, payload: { ...gone }, runAt: now + LATER })
}

export const createForgetTrafficJob = ({
  store,
}: {
  readonly store: Pick<TrafficStore, 'deleteFor'>
}): JobHandler => ({
  kind: KIND,
  summary: 'Delete the analytics of a deleted project or deployment',
  timeLimit: 10 * MINUTE,
  maxAttempts: 10,
  async run(payload) {
    const { projectId, deploymentId } = payload as unknown as Forgotten
    await store.deleteFor(projectId, deploymentId)
  },
})

import { MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { LogStore } from '../log-store.ts'

const KIND = 'logs.forget'

/** By then a build that was under way has ended, and everybody has written what they had to say of it. */
const LATER = MINUTE

/** Has the log of a deployment deleted, as a part of the transaction that deletes the deployment. */
export const queueForget = async (jobs: JobQueue, deploymentId: string, now: number): Promise<void> => {
  await jobs.enqueue({ kind: KIND, payload: { deploymentId }, runAt: now + LATER })
}

export const createForgetJob = ({ store }: { readonly store: Pick<LogStore, 'deleteFor'> }): JobHandler => ({
  kind: KIND,
  summary: 'Delete the log of a deleted deployment',
  timeLimit: 10 * MINUTE,
  maxAttempts: 10,
  run: async (payload) => {
    await store.deleteFor([(payload as { readonly deploymentId: string }).deploymentId])
  },
})

import { MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { LogStore } from '../log-store.ts'

const KIND = 'logs.forget'

/** Has the log of a deployment deleted, as a part of the transaction that deletes the deployment. */
export const queueForget = async (jobs: JobQueue, deploymentId: string): Promise<void> => {
  await jobs.enqueue({ kind: KIND, payload: { deploymentId } })
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

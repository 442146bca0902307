import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeploymentStore } from './deployment-store.ts'

const BATCH = 100

/** Deployments that were begun and whose files never came. */
export const createAbandonedJob = ({
  store,
  clock,
}: {
  store: DeploymentStore
  clock: Clock
}): JobHandler => ({
  kind: 'deployments.clean-up',
  summary: 'Delete deployments whose files were not uploaded within 24 hours',
  timeLimit: 5 * MINUTE,
  maxAttempts: 3,
  every: HOUR,
  async run(_payload, { signal }) {
    while (!signal.aborted) {
      const found = await store.abandoned(clock.now() - DAY, BATCH)
      for (const { id } of found) await store.delete(id, clock.now(), 'incomplete')
      if (found.length < BATCH) return
    }
  },
})

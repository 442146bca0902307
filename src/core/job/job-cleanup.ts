import { DAY, MINUTE } from '#contract/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { JobHandler } from './job-handler.ts'
import type { JobStore } from './job-queue.ts'

/** Long enough for somebody to look into what failed. */
const KEPT = 30 * DAY

export const createJobCleanup = ({ store, clock }: { store: JobStore; clock: Clock }): JobHandler => ({
  kind: 'jobs.clean-up',
  summary: 'Delete dead jobs after 30 days',
  timeLimit: MINUTE,
  maxAttempts: 3,
  every: DAY,
  run: async () => {
    await store.prune(clock.now() - KEPT)
  },
})

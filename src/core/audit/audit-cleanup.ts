import { DAY, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { AuditStore } from './audit-store.ts'

const KEPT = 180 * DAY
const STEP = 1000

export const createAuditCleanup = ({
  store,
  clock,
}: {
  readonly store: Pick<AuditStore, 'prune'>
  readonly clock: Clock
}): JobHandler => ({
  kind: 'audit.clean-up',
  summary: 'Delete audit log entries after 180 days',
  timeLimit: 10 * MINUTE,
  maxAttempts: 3,
  every: DAY,
  async run(_payload, { signal }) {
    while (!signal.aborted && (await store.prune(clock.now() - KEPT, STEP)) === STEP);
  },
})

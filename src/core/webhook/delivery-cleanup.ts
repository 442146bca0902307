import { DAY, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeliveryStore } from './webhook-store.ts'

/** How long people can look up what was sent. */
const KEPT = 30 * DAY
const STEP = 1000

export const createDeliveryCleanup = ({
  store,
  clock,
}: {
  readonly store: Pick<DeliveryStore, 'prune'>
  readonly clock: Clock
}): JobHandler => ({
  kind: 'webhooks.clean-up',
  summary: 'Delete webhook deliveries after 30 days',
  timeLimit: 10 * MINUTE,
  maxAttempts: 3,
  every: DAY,
  async run(_payload, { signal }) {
    while (!signal.aborted && (await store.prune(clock.now() - KEPT, STEP)) === STEP);
  },
})

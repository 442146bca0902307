import { DAY, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { UsageStore } from './usage-store.ts'

interface CompactParts {
  readonly store: Pick<UsageStore, 'compact' | 'prune'>
  readonly clock: Clock
}

const BATCH = 200
/** Days and months that are over are still there for a while, for whoever asks what was used. */
const KEPT = { day: 7 * DAY, month: 400 * DAY } as const

/** Keeps what is counted short enough to be added up with every request. */
export const createCompactUsageJob = ({ store, clock }: CompactParts): JobHandler => ({
  kind: 'usage.compact',
  summary: 'Compact the usage records of accounts',
  timeLimit: 5 * MINUTE,
  maxAttempts: 3,
  every: MINUTE,
  async run(_payload, { signal }) {
    while (!signal.aborted && (await store.compact(BATCH)) === BATCH) {
      // A full batch: there may be more.
    }
    const before = (ms: number) => new Date(clock.now() - ms).toISOString()
    await store.prune(before(KEPT.day).slice(0, 10))
    await store.prune(before(KEPT.month).slice(0, 7))
  },
})

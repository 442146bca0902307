import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { Step, TrafficStore } from './traffic-store.ts'

/** How long counts are kept. Where a table holds the rows of a whole period, it is kept until the end of that is as old. */
export const KEPT = {
  all: { minute: 2 * DAY, hour: 60 * DAY, day: 730 * DAY },
  paths: { hour: 2 * DAY, day: 60 * DAY },
} as const

interface CleanupParts {
  readonly store: Pick<TrafficStore, 'rotate' | 'prune'>
  readonly clock: Clock
}

/** Rows deleted at a time. */
const STEP = 500
/** Between two steps, so that those who count get their turn. */
const PAUSE_MS = 10

export const createTrafficCleanup = ({ store, clock }: CleanupParts): JobHandler => ({
  kind: 'analytics.clean-up',
  summary: 'Delete request counts: per minute after 2 days, per hour after 60 days, per day after 2 years',
  timeLimit: 30 * MINUTE,
  maxAttempts: 3,
  every: HOUR,
  async run(_payload, { signal }) {
    const now = clock.now()
    const failures: unknown[] = []
    for (const kind of ['all', 'paths'] as const)
      for (const [name, ms] of Object.entries(KEPT[kind])) {
        const step = name as Step
        // Whatever is wrong with it, rows that are too old have to go.
        await store.rotate(kind, step, now, now - ms).catch((error: unknown) => failures.push(error))
        while ((await store.prune(kind, step, now - ms, STEP)) === STEP)
          await sleep(PAUSE_MS, undefined, { signal })
      }
    if (failures.length > 0) throw failures[0]
  },
})

import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { LogStore } from './log-store.ts'

interface LogCleanupParts {
  readonly store: Pick<LogStore, 'prune'>
  readonly clock: Clock
  /** Entries deleted at a time. */
  readonly step?: number
  /** Between two steps, so that those who write entries get their turn. */
  readonly pauseMs?: number
}

/** How long visits and what applications wrote are kept. */
export const RUNTIME_KEPT = 3 * DAY

export const createLogCleanup = ({
  store,
  clock,
  step = 1000,
  pauseMs = 10,
}: LogCleanupParts): JobHandler => ({
  kind: 'logs.clean-up',
  summary: 'Delete log entries of visits and applications that are older than 3 days',
  timeLimit: 30 * MINUTE,
  maxAttempts: 3,
  every: 10 * MINUTE,
  run: async (_payload, { signal }) => {
    const createdBefore = clock.now() - RUNTIME_KEPT
    while ((await store.prune(createdBefore, step)) === step) await sleep(pauseMs, undefined, { signal })
  },
})

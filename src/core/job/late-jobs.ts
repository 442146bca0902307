import { MINUTE } from '#contract/time.ts'
import type { ScheduledJob } from './clock-jump.ts'
import type { JobHandler } from './job-handler.ts'
import { recurringKey } from './recurring-key.ts'

/** A job that comes round by itself, and does not when it should. */
export interface LateJob {
  readonly kind: string
  /** Null where nobody has put it into the queue. */
  readonly dueAt: number | null
  readonly state: 'overdue' | 'far off' | 'missing'
}

/** A queue that is busy for a while is no reason to complain. */
const OVERDUE_AFTER = 15 * MINUTE
/** Clocks of machines are never quite the same, and a clock that jumped is noticed within a minute. */
const TOLERANCE = 2 * MINUTE

/** Which of these jobs were due long ago, or are due later than they come round. */
export function lateJobs(
  handlers: readonly Pick<JobHandler, 'kind' | 'every'>[],
  scheduled: readonly ScheduledJob[],
  now: number,
): readonly LateJob[] {
  const byKey = new Map(scheduled.map((job) => [job.key, job]))
  return handlers.flatMap(({ kind, every }): LateJob[] => {
    if (every === undefined) return []
    const job = byKey.get(recurringKey(kind))
    if (job === undefined) return [{ kind, dueAt: null, state: 'missing' }]
    const { dueAt } = job
    if (dueAt < now - OVERDUE_AFTER) return [{ kind, dueAt, state: 'overdue' }]
    return dueAt > now + every + TOLERANCE ? [{ kind, dueAt, state: 'far off' }] : []
  })
}

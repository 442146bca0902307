import { DAY, MINUTE } from '#contract/time.ts'

/** A job that waits, or that a worker has. */
export interface ScheduledJob {
  readonly id: string
  readonly key: string | null
  readonly createdAt: number
  /** When it can be claimed: it is due, or the lease of its worker runs out. */
  readonly dueAt: number
  readonly attempts: number
  readonly isLeased: boolean
}

interface Rules {
  readonly leaseMs: number
  /** How often jobs of these keys come round. */
  readonly every: ReadonlyMap<string, number>
}

/** How far the clocks of machines may differ. */
export const TOLERANCE = MINUTE
/** No handler pauses for longer between two attempts. */
const LONGEST_PAUSE = DAY

/**
 * When a job should be due: earlier than it is where a clock that was ahead for a while wrote a time down that would keep
 * it waiting for as long as the clock had jumped.
 */
export function rightDueAt(job: ScheduledJob, now: number, { leaseMs, every }: Rules): number {
  // By whichever clock it runs out: when the job was made has nothing to do with it.
  if (job.isLeased) return Math.min(job.dueAt, now + leaseMs + TOLERANCE)
  const ahead = job.createdAt - now
  const shifted = ahead > TOLERANCE ? Math.max(now, job.dueAt - ahead) : job.dueAt
  const comesRound = job.key === null ? undefined : every.get(job.key)
  if (comesRound !== undefined) return Math.min(shifted, now + comesRound)
  return job.attempts > 0 ? Math.min(shifted, now + LONGEST_PAUSE) : shifted
}

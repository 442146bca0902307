import { MINUTE, SECOND } from '#contract/time.ts'
import type { Log } from '../ports/log.ts'
import type { JobPayload } from './job-queue.ts'

export interface JobRun {
  readonly id: string
  readonly attempt: number
  /** Aborted when the time limit is reached, the lease was lost, or the process drains. */
  readonly signal: AbortSignal
  readonly log: Log
}

export interface JobWait {
  /** Jobs that will be begun before it. */
  readonly ahead: number
  /** Milliseconds; undefined as long as nobody can tell. */
  readonly expected: number | undefined
  /** Whether it was not told before. */
  readonly isFirst: boolean
}

/** How one kind of job is done. `run` is idempotent: a crash between its effect and its end repeats it. */
export interface JobHandler {
  readonly kind: string
  readonly summary: string
  readonly timeLimit: number
  readonly maxAttempts: number
  /** The pause after the given failed attempt. */
  readonly backOff?: (attempt: number) => number
  /** Run again and again, this far apart; such a job can also be run by hand. */
  readonly every?: number
  /**
   * How many run at once in one process, apart from all other jobs. They take turns by share, and are stopped at once
   * when the process drains, to be begun anew by the next.
   */
  readonly atOnce?: number
  /**
   * How many of those are of one account, so that one whose jobs take long leaves room for the others. Shares of things
   * of one account begin with the account: see `shareOf`.
   */
  readonly ofOneAccount?: number
  /**
   * How many run at once in one process, beside all other jobs, in the order in which they fell due: for kinds without
   * shares that have to wait for nobody, or for strangers, for whom nobody else should wait.
   */
  readonly apart?: number
  /**
   * One that runs longer than this no longer keeps a share from its turn that has none running: as many more as run at
   * once may be begun beside those that do not end.
   */
  readonly givesWayAfter?: number
  /** Told to those that have to wait for others, whenever it changes: how many are before it, and for how long as a rule. */
  readonly onWaiting?: (payload: JobPayload, wait: JobWait) => Promise<void>
  /** Whether the machine can bear one more beside those that run; one alone is always begun. Asked again when one ends. */
  readonly mayBegin?: () => boolean
  /** Of one share, one at a time, in the order in which they fell due. */
  readonly inOrder?: boolean
  run(payload: JobPayload, run: JobRun): Promise<void>
}

/** The share of something that takes its turn by itself, and counts with its account. */
export const shareOf = (ownerId: string, id: string): string => `${ownerId}/${id}`
export const accountOf = (share: string): string => share.split('/', 1)[0] ?? share

/** Doubles from five seconds up to half an hour. */
export const doubling = (attempt: number): number =>
  Math.min(30 * MINUTE, 5 * SECOND * 2 ** Math.min(attempt - 1, 20))

/** An error that another attempt cannot mend. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure'
}

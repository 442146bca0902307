import type { Page, PageQuery } from '#contract/page.ts'
import type { ScheduledJob } from './clock-jump.ts'

/** Plain JSON. */
export type JobPayload = Readonly<Record<string, unknown>>

export interface NewJob {
  readonly kind: string
  readonly payload: JobPayload
  /** At most one unfinished job has this key; another enqueue answers the one that is there. */
  readonly key?: string
  /** Whose work it is. Kinds of jobs that have workers of their own need one: each share gets its turn. */
  readonly share?: string
  /** Not before this time; now unless said. */
  readonly runAt?: number
}

export interface Job {
  readonly id: string
  readonly kind: string
  readonly payload: JobPayload
  readonly key: string | null
  /** How often it was started, this time included. */
  readonly attempts: number
}

/**
 * Work to be done later, written in the transaction that causes it: when that commits, the job will be
 * run at least once, whatever dies in between; when it does not, there is no job.
 */
export interface JobQueue {
  enqueue(job: NewJob): Promise<string>
  /** Takes back the job of a key that nobody has begun; false where somebody has, or there is none. */
  withdraw(key: string): Promise<boolean>
  /**
   * What is enqueued with this key from now on is another job than the one that somebody has begun: that one may have
   * looked already at what the other is about.
   */
  begun(key: string): Promise<void>
}

/**
 * What the runner needs. A job is leased to one worker at a time; a lease that runs out, because its
 * worker died, makes the job claimable again. Every method after `claim` does nothing and answers false
 * once the lease is lost.
 *
 * What waits is due by the time of day. Leases run out by `leaseNow`, the time of a clock that all workers share, where
 * that is another one than `now`.
 */
export interface JobStore extends JobQueue, FailedJobs {
  claim(claim: {
    readonly kinds: readonly string[]
    readonly worker: string
    readonly now: number
    readonly leaseNow?: number
    readonly leaseUntil: number
    readonly limit: number
    /** Only the jobs of this share. */
    readonly share?: string
    /** None while another job of the share is leased, to whichever worker. Needs a share, and one kind. */
    readonly oneAtATime?: boolean
  }): Promise<readonly Job[]>
  /** Who waits for a kind of job, the longest waiting first, and how many of its jobs run. */
  waiting(
    kind: string,
    now: number,
    leaseNow?: number,
  ): Promise<readonly { readonly share: string; readonly running: number }[]>
  /** Jobs of a kind that wait, the longest waiting first. */
  queue(
    kind: string,
    now: number,
    limit: number,
    leaseNow?: number,
  ): Promise<readonly { readonly id: string; readonly payload: JobPayload; readonly share: string }[]>
  extend(id: string, worker: string, leaseUntil: number): Promise<boolean>
  /** Removes the job. */
  complete(id: string, worker: string): Promise<boolean>
  retry(id: string, worker: string, runAt: number, error: string): Promise<boolean>
  /** Lets go of a job that was not at fault: it is due now, and this attempt does not count. */
  giveBack(id: string, worker: string, now: number): Promise<boolean>
  /** Makes due what an earlier life of this worker held. */
  reclaim(worker: string, now: number): Promise<void>
  /** Gives up: the job stays, for people to see, and is not run again. */
  bury(id: string, worker: string, error: string, now: number): Promise<boolean>
  /** Unfinished jobs, those that are due last first; all, or those that were made after a time. */
  latest(limit: number, madeAfter?: number): Promise<readonly ScheduledJob[]>
  /** The unfinished jobs of these keys. */
  scheduled(keys: readonly string[]): Promise<readonly ScheduledJob[]>
  /**
   * Makes a job due at another time, unless somebody else has changed when it is. One that was made in the future is made
   * now instead, so that nobody brings it forward twice.
   */
  reschedule(job: Pick<ScheduledJob, 'id' | 'dueAt'>, dueAt: number): Promise<boolean>
  /** When the next job of these kinds can be claimed; undefined when none waits. */
  nextDue(kinds: readonly string[]): Promise<number | undefined>
  counts(): Promise<{ readonly queued: number; readonly running: number; readonly failed: number }>
  /** Forgets buried jobs that failed before this time. */
  prune(before: number): Promise<number>
}

/** A job that was given up. */
export interface FailedJob {
  readonly id: string
  readonly kind: string
  readonly createdAt: number
  readonly failedAt: number
  readonly attempts: number
  /** Of the last attempt. */
  readonly error: string
}

/** What people do about jobs that were given up. */
export interface FailedJobs {
  /** The latest failure first. */
  failed(page: PageQuery): Promise<Page<FailedJob>>
  /** Makes it due again, as if it had never run. Answers the job that will be done, undefined when there is none. */
  retryFailed(id: string): Promise<{ readonly id: string; readonly kind: string } | undefined>
  forgetFailed(id: string): Promise<boolean>
}

/** The bus topic that wakes runners when a job was enqueued. */
export const JOBS_TOPIC = 'jobs'

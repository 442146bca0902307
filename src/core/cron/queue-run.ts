import { newId } from '#contract/ids.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Cron, Trigger } from './cron.ts'
import { nextRun } from './cron-expression.ts'

export const CRON_JOB = 'crons.run'

/** What the job of a run says. */
export interface RunOrder {
  readonly cronId: string
  readonly runId: string
  readonly trigger: Trigger
  readonly dueAt: number
}

/** Of the job of a scheduled run. */
export const keyOfRun = (cronId: string, dueAt: number): string => `${CRON_JOB}:${cronId}:${dueAt}`

/**
 * The job of the next run, inside the transaction that says when that is. Nothing is taken back: a job whose time is not
 * the schedule's any more does nothing.
 */
export async function queueNext(
  jobs: JobQueue,
  { id: cronId, ownerId, nextAt }: Pick<Cron, 'id' | 'ownerId' | 'nextAt'>,
): Promise<void> {
  if (nextAt === null) return
  const order: RunOrder = { cronId, runId: newId.cronRun(), trigger: 'schedule', dueAt: nextAt }
  const key = keyOfRun(cronId, nextAt)
  await jobs.enqueue({ kind: CRON_JOB, payload: { ...order }, key, share: ownerId, runAt: nextAt })
}

/** A run that somebody has asked for; answers its id. */
export async function queueNow(
  jobs: JobQueue,
  { id: cronId, ownerId }: Pick<Cron, 'id' | 'ownerId'>,
  now: number,
): Promise<string> {
  const order: RunOrder = { cronId, runId: newId.cronRun(), trigger: 'manual', dueAt: now }
  await jobs.enqueue({ kind: CRON_JOB, payload: { ...order }, share: ownerId })
  return order.runId
}

/** When a schedule comes round next; null while it is paused. */
export const nextOf = (
  { enabled, schedule, timeZone }: Pick<Cron, 'enabled' | 'schedule' | 'timeZone'>,
  after: number,
): number | null => (enabled ? nextRun(schedule, timeZone, after) : null)

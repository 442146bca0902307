import type { OVERLAPS } from '#contract/api/cron.ts'

/** A path to be requested again and again, as a configuration file or a build output names it. */
export interface CronSpec {
  readonly path: string
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly schedule: string
  /** Of the IANA database, such as `Europe/Paris`; UTC where it is left out. */
  readonly timeZone?: string
}

/** What happens when a run falls due while the one before is still going on. */
export type Overlap = (typeof OVERLAPS)[number]

/** A schedule of a project. Its runs request the project's production deployment, and no other. */
export interface Cron {
  readonly id: string
  readonly ownerId: string
  readonly projectId: string
  /** `config`: named by the production deployment, and gone with it. `api`: made by somebody, and kept. */
  readonly source: 'config' | 'api'
  readonly path: string
  readonly schedule: string
  readonly timeZone: string
  readonly enabled: boolean
  readonly overlap: Overlap
  /** Whether a run that was missed or interrupted is made up for, once. */
  readonly makeUp: boolean
  /** Failed runs since the last that succeeded. */
  readonly failures: number
  /** Null while it is paused, and where the schedule never comes round again. */
  readonly nextAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * - `running`; `succeeded`: the answer was below 400; `failed`: it was not, or there was none
 * - `skipped`: there was nothing to call, or the run before was still going on
 * - `missed`: nobody was there to do it when it was due
 * - `interrupted`: the platform ended in the middle of it
 */
const RUN_STATES = ['running', 'succeeded', 'failed', 'skipped', 'missed', 'interrupted'] as const
export type RunState = (typeof RUN_STATES)[number]

const TRIGGERS = ['schedule', 'manual', 'make-up'] as const
export type Trigger = (typeof TRIGGERS)[number]

export interface CronRun {
  readonly id: string
  readonly cronId: string
  readonly trigger: Trigger
  readonly state: RunState
  readonly dueAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Of the answer. */
  readonly status: number | null
  readonly deploymentId: string | null
  /** By which the log of the run is found among the project's. */
  readonly requestId: string | null
  /** Why it is in this state, in words. */
  readonly message: string | null
}

export const MOST_CRONS = 100
/** Of each schedule; older ones are forgotten. */
export const KEPT_RUNS = 100
export const LONGEST_PATH = 512
/** In a row, after which the owner is told. */
export const FAILURES_TOLD = 3

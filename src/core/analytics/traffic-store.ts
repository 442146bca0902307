import type { TrafficTarget } from '#contract/api/analytics.ts'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { Tally } from './tally.ts'

/** How long each piece of time is that visits are counted by. Days are those of UTC. */
export const STEPS = { minute: MINUTE, hour: HOUR, day: DAY } as const
export type Step = keyof typeof STEPS

/** The project as a whole, in the place of a deployment. */
export const WHOLE = ''

/** Whose visits. */
export interface TrafficScope {
  readonly projectId: string
  /** A deployment, or `WHOLE`. */
  readonly deploymentId: string
}

/** Of what time: from here, included, to there, excluded. */
export interface TrafficTime {
  readonly step: Step
  readonly from: number
  readonly to: number
}

/** Visits of one step. */
export interface TrafficRow extends TrafficScope {
  readonly target: TrafficTarget
  readonly step: Step
  /** When the step begins. */
  readonly at: number
  /** Of this path alone; absent: of all. */
  readonly path?: string
  readonly tally: Tally
}

/** Of each step, the paths that are kept: those with the most requests. */
export const KEPT_PATHS = 100

/**
 * Numbers of visits, shared by every process of an installation.
 *
 * - Added up: whoever adds to a row that is there makes it larger, however many do so at once.
 * - Bounded: of the paths of one step, about `KEPT_PATHS` are kept.
 * - Kept like logs: what was added outlives the death of any process; a power cut may take the last moments.
 */
export interface TrafficStore {
  /** All of them or none. No two of the rows are about the same. */
  add(rows: readonly TrafficRow[]): Promise<void>

  /** What there is, in the order of time; of both targets unless one is named. Steps without a visit are not there. */
  read(
    scope: TrafficScope,
    time: TrafficTime,
    target?: TrafficTarget,
  ): Promise<readonly { readonly at: number; readonly tally: Tally }[]>

  /** The paths with the most requests, the most first. */
  topPaths(
    scope: TrafficScope,
    time: TrafficTime,
    limit: number,
    target?: TrafficTarget,
  ): Promise<readonly { readonly path: string; readonly tally: Tally }[]>

  /** Requests of whole projects, hour by hour. */
  hours(
    projectIds: readonly string[],
    from: number,
    to: number,
  ): Promise<
    readonly {
      readonly projectId: string
      readonly at: number
      readonly requests: number
      readonly errors: number
    }[]
  >

  /**
   * Where times have tables of their own, makes those that will be needed, and drops those of times that were over before
   * this one. What is read or written at this moment is left for another time.
   */
  rotate(of: 'all' | 'paths', step: Step, now: number, before: number): Promise<void>

  /** Deletes some rows of steps that began before this time, but none that go with their table, and tells how many. */
  prune(of: 'all' | 'paths', step: Step, before: number, limit: number): Promise<number>

  /** Deletes what is known of a deployment, or of a project with all of its deployments. May be repeated. */
  deleteFor(projectId: string, deploymentId?: string): Promise<void>
}

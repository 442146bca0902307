import type { CHECKS } from '#contract/api/release.ts'
import { MINUTE } from '#contract/time.ts'

/** A share of production's visitors who get the new deployment, and what it takes to go on to the next. */
export interface Stage {
  readonly targetPercentage: number
  /** Minutes until the next stage begins by itself; null: it waits for somebody. */
  readonly duration: number | null
  /** Whether somebody has to agree before the next stage begins. */
  readonly requireApproval: boolean
  /** Whether the share grows steadily to that of the next stage, instead of in one step. */
  readonly linearShift: boolean
}

export type CheckType = (typeof CHECKS)[number]

/** Compares the new deployment with the one that is live. */
export interface Check {
  readonly type: CheckType
  /** How much worse the new one may be: points of per cent for errors, per cent of the time for latency. */
  readonly margin: number
  /** With fewer requests of either, nothing is concluded. */
  readonly minSampleSize: number
}

/** What is looked at while a release is under way. */
export interface Gate {
  readonly enabled: boolean
  readonly action: 'pause' | 'rollback'
  /** Whether a failure is only noted. */
  readonly dryRun: boolean
  /** So many failures among the last `windowSize` looks trip it. */
  readonly failureThreshold: number
  readonly windowSize: number
  readonly checks: readonly Check[]
}

/** How new production deployments of a project reach their visitors. */
export interface ReleaseConfig {
  /** The last one is all visitors. */
  readonly stages: readonly Stage[]
  /** Whether answers of the new deployment say so in a header. */
  readonly canaryResponseHeader: boolean
  readonly gate: Gate | null
}

/** The last release of a project, under way or over. */
export interface Release {
  readonly state: 'ACTIVE' | 'COMPLETE' | 'ABORTED'
  /** Its share stays as it is until somebody decides. */
  readonly paused: boolean
  /** Why it was paused or aborted, in words. */
  readonly reason: string | null
  /** What was live when it began. */
  readonly currentDeploymentId: string
  readonly canaryDeploymentId: string
  readonly canaryHost: string
  /** As it was when the release began: later changes are for the next one. */
  readonly config: ReleaseConfig
  readonly stage: number
  readonly stageAt: number
  /** When its project was resumed last. What visitors got until then says nothing of either deployment. */
  readonly resumedAt?: number
  readonly startedAt: number
  readonly updatedAt: number
  /** Whether each of the last looks failed, the newest last. */
  readonly looks: readonly boolean[]
  /** Counts what was done to it: a job that was meant for an earlier state does nothing. */
  readonly turn: number
}

/** A share that grows from one value to another. */
export interface Ramp {
  readonly from: number
  readonly to: number
  readonly startsAt: number
  readonly endsAt: number
}

export const EVERYBODY = 100

export const isActive = (release: Release | null): release is Release => release?.state === 'ACTIVE'

/** The share of visitors, in per cent, as it goes on from the beginning of the stage. */
export function rampOf({ config, stage, stageAt, paused, updatedAt }: Release): Ramp {
  const { stages } = config
  const { targetPercentage: from, linearShift, duration } = stages[stage] as Stage
  const next = stages[stage + 1]
  const endsAt = stageAt + (duration ?? 0) * MINUTE
  if (!linearShift || duration === null || next === undefined)
    return { from, to: from, startsAt: stageAt, endsAt: stageAt }
  const ramp = { from, to: next.targetPercentage, startsAt: stageAt, endsAt }
  if (!paused) return ramp
  // Nothing changes a paused one, so this is the moment at which it was paused.
  const share = shareAt(ramp, updatedAt)
  return { from: share, to: share, startsAt: stageAt, endsAt: stageAt }
}

export function shareAt({ from, to, startsAt, endsAt }: Ramp, now: number): number {
  if (now >= endsAt) return to
  if (now <= startsAt) return from
  return from + ((to - from) * (now - startsAt)) / (endsAt - startsAt)
}

/** Of the visitors who get the new deployment, in per cent. */
export function shareOf(release: Release, now: number): number {
  if (release.state !== 'ACTIVE') return release.state === 'COMPLETE' ? EVERYBODY : 0
  return shareAt(rampOf(release), now)
}

/** When the stage ends by itself; null: somebody has to agree. */
export function stageEndsAt({ config, stage, stageAt, paused }: Release): number | null {
  const { duration, requireApproval } = config.stages[stage] as Stage
  return duration === null || requireApproval || paused ? null : stageAt + duration * MINUTE
}

export const needsApproval = ({ stages }: ReleaseConfig): boolean =>
  stages.slice(0, -1).some(({ requireApproval, duration }) => requireApproval || duration === null)

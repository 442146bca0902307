import { invalidRequest } from '#contract/errors.ts'
import {
  type Check,
  type CheckType,
  EVERYBODY,
  type Gate,
  type ReleaseConfig,
  type Stage,
} from './release.ts'

/** What a request may say. What it leaves out has its default. */
export interface GivenConfig {
  readonly advancementType?: 'automatic' | 'manual-approval' | undefined
  readonly stages: readonly {
    readonly targetPercentage: number
    readonly duration?: number | null | undefined
    readonly requireApproval?: boolean | undefined
    readonly linearShift?: boolean | undefined
  }[]
  readonly canaryResponseHeader?: boolean | undefined
  readonly gate?: GivenGate | null | undefined
}

interface GivenGate {
  readonly enabled?: boolean | undefined
  readonly action?: Gate['action'] | undefined
  readonly dryRun?: boolean | undefined
  readonly failureThreshold?: number | undefined
  readonly windowSize?: number | undefined
  readonly checks?:
    | readonly {
        readonly type: CheckType
        readonly margin?: number | undefined
        readonly minSampleSize?: number | undefined
      }[]
    | undefined
}

const MARGINS: Readonly<Record<CheckType, number>> = { 'error-rate-5xx': 2, 'p95-latency': 50 }
const ENOUGH = 100
const THRESHOLD = 3
const WINDOW = 5

export function readReleaseConfig(given: GivenConfig): ReleaseConfig {
  const { advancementType, canaryResponseHeader = false, gate = null } = given
  const stages = given.stages.map(
    ({ targetPercentage, duration, requireApproval, linearShift }): Stage => ({
      targetPercentage,
      duration: duration ?? null,
      requireApproval: requireApproval ?? advancementType === 'manual-approval',
      linearShift: linearShift ?? false,
    }),
  )
  checkStages(stages, advancementType === 'automatic')
  return { stages, canaryResponseHeader, gate: gate && readGate(gate) }
}

function checkStages(stages: readonly Stage[], isAutomatic: boolean): void {
  if (stages.length < 2)
    throw invalidRequest('`stages` should have at least two entries, the last with 100 percent')
  if (stages.at(-1)?.targetPercentage !== EVERYBODY)
    throw invalidRequest('the last of `stages` should have a `targetPercentage` of 100')
  stages.forEach(({ targetPercentage, duration }, index) => {
    const before = stages[index - 1]
    if (before !== undefined && targetPercentage <= before.targetPercentage)
      throw invalidRequest('each of `stages` should have a larger `targetPercentage` than the one before')
    if (isAutomatic && index < stages.length - 1 && duration === null)
      throw invalidRequest(
        `\`stages[${index}]\` should have a \`duration\` in minutes, because stages advance automatically`,
      )
  })
}

function readGate(given: GivenGate): Gate {
  const { failureThreshold = THRESHOLD, windowSize = WINDOW } = given
  if (failureThreshold > windowSize)
    throw invalidRequest('`gate.failureThreshold` should be at most `gate.windowSize`')
  const checks = given.checks ?? [{ type: 'error-rate-5xx' as const }, { type: 'p95-latency' as const }]
  return {
    enabled: given.enabled ?? true,
    action: given.action ?? 'rollback',
    dryRun: given.dryRun ?? false,
    failureThreshold,
    windowSize,
    checks: checks.map(
      ({ type, margin, minSampleSize }): Check => ({
        type,
        margin: margin ?? MARGINS[type],
        minSampleSize: minSampleSize ?? ENOUGH,
      }),
    ),
  }
}

import type { LegacyState, LegacyType, ReadyState } from '#contract/api/deployment.ts'

/** What decides how an older client sees a state. */
interface StateFacts {
  readonly type: LegacyType
  /** Files are still to be uploaded. */
  readonly incomplete: boolean
  readonly instances: number
  /** Whether the failure came from a build rather than from running. */
  readonly failedBuilding: boolean
}

/** A state without a row here does not compile. */
const LEGACY_STATE = {
  INITIALIZING: ({ incomplete }) => (incomplete ? 'DEPLOYING' : 'BUILDING'),
  ANALYZING: () => 'BUILDING',
  BUILDING: () => 'BUILDING',
  DEPLOYING: ({ type }) => (type === 'STATIC' ? 'DEPLOYING' : 'BOOTED'),
  READY: ({ type, instances }) => (type === 'STATIC' || instances > 0 ? 'READY' : 'FROZEN'),
  ERROR: ({ failedBuilding }) => (failedBuilding ? 'BUILD_ERROR' : 'DEPLOYMENT_ERROR'),
} as const satisfies Record<ReadyState, (facts: StateFacts) => LegacyState>

export const legacyState = (state: ReadyState, facts: StateFacts): LegacyState => LEGACY_STATE[state](facts)

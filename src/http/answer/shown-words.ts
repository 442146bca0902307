import type { ReadyState } from '#contract/api/deployment.ts'
import type { Plan } from '#contract/limit/limits.ts'

const PLANS = {
  oss: 'hobby',
  free: 'hobby',
  pro: 'pro',
  enterprise: 'enterprise',
} as const satisfies Record<Plan, string>

const STATES = {
  INITIALIZING: 'INITIALIZING',
  ANALYZING: 'BUILDING',
  BUILDING: 'BUILDING',
  DEPLOYING: 'BUILDING',
  READY: 'READY',
  ERROR: 'ERROR',
} as const satisfies Record<ReadyState, ReadyState>

/** Clients of projects, and those from elsewhere, know fewer plans and states than there are here. */
export const shownPlan = (plan: Plan) => PLANS[plan]
export const shownState = (state: ReadyState) => STATES[state]

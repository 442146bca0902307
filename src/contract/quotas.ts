import type { Plan } from './limits.ts'

/** What one account may hold at a time, apart from how often it may ask. */
export interface Quotas {
  /** Instances that run at all times, `min` of all its deployments together, visited or not. */
  readonly keptInstances: number
}

export const QUOTAS: Readonly<Record<Plan, Quotas>> = {
  oss: { keptInstances: 2 },
  free: { keptInstances: 2 },
  pro: { keptInstances: 10 },
  enterprise: { keptInstances: 20 },
}

import type { Plan } from './limits.ts'

interface QuotaSpec {
  readonly title: string
  readonly unit: 'count' | 'bytes' | 'megabytes' | 'minutes'
  /** What is used is forgotten when the next of these begins, by the clock of UTC; else it counts as long as it is there. */
  readonly per?: 'day' | 'month'
}

/** What an account may hold and use up, apart from how often it may ask. */
export const QUOTAS = {
  instances: { title: 'Running instances', unit: 'count' },
  keptInstances: { title: 'Instances that always run', unit: 'count' },
  memoryMb: { title: 'Memory of running instances', unit: 'megabytes' },
  contentBytes: { title: 'Storage', unit: 'bytes' },
  deployments: { title: 'Deployments', unit: 'count' },
  buildMinutes: { title: 'Build time', unit: 'minutes', per: 'month' },
  logBytes: { title: 'Log entries', unit: 'bytes', per: 'day' },
} as const satisfies Record<string, QuotaSpec>

/** What the storage of an account is made of. */
export const STORAGE_TITLES = { files: 'Files', repositories: 'Git repositories' } as const
export type StoragePart = keyof typeof STORAGE_TITLES
export const STORAGE_PARTS = Object.keys(STORAGE_TITLES) as readonly StoragePart[]

export type QuotaName = keyof typeof QUOTAS
export const QUOTA_NAMES = Object.keys(QUOTAS) as readonly QuotaName[]
export const quotaSpec = (name: QuotaName): QuotaSpec => QUOTAS[name]

/** Null: as much as the machine can bear. */
export type QuotaLimits = Readonly<Record<QuotaName, number | null>>

const GB = 10 ** 9

const SMALL: QuotaLimits = {
  instances: 10,
  keptInstances: 2,
  memoryMb: 10 * 1024,
  contentBytes: 5 * GB,
  deployments: 1000,
  buildMinutes: 600,
  logBytes: GB,
}

/** What each plan allows unless the operator says otherwise. */
export const PLAN_QUOTAS: Readonly<Record<Plan, QuotaLimits>> = {
  oss: SMALL,
  free: SMALL,
  pro: {
    instances: 50,
    keptInstances: 10,
    memoryMb: 50 * 1024,
    contentBytes: 100 * GB,
    deployments: 20_000,
    buildMinutes: 6000,
    logBytes: 10 * GB,
  },
  enterprise: {
    instances: 200,
    keptInstances: 20,
    memoryMb: null,
    contentBytes: null,
    deployments: null,
    buildMinutes: null,
    logBytes: 100 * GB,
  },
}

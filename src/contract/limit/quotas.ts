import type { Plan } from './limits.ts'

interface QuotaSpec {
  readonly title: string
  readonly unit: 'count' | 'bytes' | 'megabytes' | 'minutes'
  /** What is used is forgotten when the next of these begins, by the clock of UTC; else it counts as long as it is there. */
  readonly per?: 'day' | 'month'
  /** Whose it is, where not every account can have it. */
  readonly of?: 'user' | 'team'
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
  projects: { title: 'Projects', unit: 'count' },
  aliases: { title: 'Aliases', unit: 'count' },
  domains: { title: 'Domains', unit: 'count' },
  certificates: { title: 'Certificates', unit: 'count' },
  secrets: { title: 'Secrets', unit: 'count' },
  members: { title: 'Members', unit: 'count', of: 'team' },
  teams: { title: 'Teams created', unit: 'count', of: 'user' },
  tokens: { title: 'Tokens', unit: 'count', of: 'user' },
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
  projects: 200,
  aliases: 2000,
  domains: 50,
  certificates: 100,
  secrets: 1000,
  members: 100,
  teams: 10,
  tokens: 200,
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
    projects: 2000,
    aliases: 20_000,
    domains: 500,
    certificates: 1000,
    secrets: 10_000,
    members: 1000,
    teams: 50,
    tokens: 1000,
  },
  enterprise: {
    instances: 200,
    keptInstances: 20,
    memoryMb: null,
    contentBytes: null,
    deployments: null,
    buildMinutes: null,
    logBytes: 100 * GB,
    projects: null,
    aliases: null,
    domains: null,
    certificates: null,
    secrets: null,
    members: null,
    teams: null,
    tokens: null,
  },
}

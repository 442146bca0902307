export const DRAIN_FORMATS = ['json', 'ndjson', 'syslog'] as const
export const DRAIN_SOURCES = ['static', 'lambda', 'build', 'edge', 'external'] as const
export const DRAIN_ENVIRONMENTS = ['production', 'preview'] as const

/** Where the logs of an account are sent as they are written. */
export interface Drain {
  readonly id: string
  readonly ownerId: string
  /** The installation that it belongs to; null for one that a person made. */
  readonly installationId: string | null
  readonly name: string
  readonly url: string
  readonly format: (typeof DRAIN_FORMATS)[number]
  /** Null: all of them. */
  readonly projectIds: readonly string[] | null
  readonly sources: readonly (typeof DRAIN_SOURCES)[number][] | null
  readonly environments: readonly (typeof DRAIN_ENVIRONMENTS)[number][] | null
  /** Sealed, as they often hold keys. */
  readonly sealedHeaders: string | null
  readonly sealedSecret: string | null
  /** The share of entries that are sent, from 0 to 1. */
  readonly samplingRate: number
  readonly status: 'enabled' | 'disabled' | 'errored'
  /** Since when nothing arrived; null when it works. */
  readonly failingSince: number | null
  readonly createdAt: number
}

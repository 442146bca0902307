import { hash } from 'node:crypto'
import type { DRAIN_ENVIRONMENTS, DRAIN_FORMATS, DRAIN_SOURCES } from '#contract/api/drain.ts'

export type DrainFormat = (typeof DRAIN_FORMATS)[number]
export type DrainSource = (typeof DRAIN_SOURCES)[number]
export type DrainEnvironment = (typeof DRAIN_ENVIRONMENTS)[number]

/** Where the logs of an account are sent as they are written. */
export interface Drain {
  readonly id: string
  readonly ownerId: string
  /** The installation that it belongs to; null for one that a person made. */
  readonly installationId: string | null
  readonly name: string
  readonly url: string
  readonly format: DrainFormat
  /** Null: all of them. */
  readonly projectIds: readonly string[] | null
  readonly sources: readonly DrainSource[] | null
  readonly environments: readonly DrainEnvironment[] | null
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

/** How many an account may have. */
export const MOST_DRAINS = 10

/** The topic that tells working processes of drains that came or went. */
export const DRAINS_TOPIC = 'drains'

export const drainHeadersPurpose = (drainId: string): string => `drain-headers ${drainId}`
export const drainSecretPurpose = (drainId: string): string => `drain-secret ${drainId}`

export const VERIFY_HEADER = 'x-platform-verify'
/** Receivers written for another platform answer by its name. */
export const OTHER_VERIFY_HEADER = 'x-vercel-verify'

/**
 * What an address has to answer with before logs of the account are sent to it. Not a secret: it shows that
 * whoever runs the address has agreed to get the logs of this account, and of no other.
 */
export const verifyCodeOf = (ownerId: string): string => hash('sha1', `log-drain ${ownerId}`)

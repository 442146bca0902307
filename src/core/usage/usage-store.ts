/**
 * What is counted, because nobody could add it up in time. Time of builds is in milliseconds; instances are not among
 * these, for those that run are known.
 */
export const METERED = ['contentBytes', 'deployments', 'buildMs', 'logBytes'] as const
export type MeteredUsage = (typeof METERED)[number]

/** What an account has, in rows of its own that can be counted in time. */
export const STORED_ITEMS = [
  'projects',
  'aliases',
  'domains',
  'certificates',
  'secrets',
  'members',
  'teams',
  'tokens',
] as const
export type StoredItem = (typeof STORED_ITEMS)[number]

export interface UsageEntry {
  readonly ownerId: string
  readonly what: MeteredUsage
  /** The day or month it counts for; empty for what counts as long as it is there. */
  readonly period: string
  readonly amount: number
}

/**
 * How much each account uses. Stored files and deployments are counted by the stores that keep them, in the transaction
 * that changes them; so the count is right whatever dies.
 */
export interface UsageStore {
  /** Never waits for others that add for the same account. */
  add(entries: readonly UsageEntry[]): Promise<void>
  /** 0 where nothing was counted. */
  used(ownerId: string, what: MeteredUsage, period: string): Promise<number>
  /** How many of these it has. Of teams, those that the user has created; of tokens, those that were made by hand. */
  held(ownerId: string, what: StoredItem): Promise<number>
  /** Makes one of the entries that say the same, of a bounded number of accounts; tells of how many. Changes no sum. */
  compact(limit: number): Promise<number>
  /** Forgets periods of this length of name that are over: days and months before the one that is given. */
  prune(before: string): Promise<void>
}

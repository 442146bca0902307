// Apart from what prepares, because the supervisor reads this and has no use for the rest.

export const PREPARED = 'prepared'

export interface Prepared {
  readonly kind: typeof PREPARED
  /** Of the one-time set-up link, when nobody operates this installation. */
  readonly setupToken?: string
  /** Nothing could be prepared: the database, which is on another machine, does not answer. */
  readonly isAway?: true
}

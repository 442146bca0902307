/** For what no row stands for: how many of a kind an account has, or whether there is one at all. */
export interface Locks {
  /** Until the transaction ends, whoever takes the same lock waits. A database with a single writer needs none. */
  take(kind: string, of: string): Promise<void>
}

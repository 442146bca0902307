import type { Login } from './login.ts'

/** Login requests, by the hash of the poller's token or of the link's token. */
export interface LoginStore {
  /** A login without a mail of its own has no hash of a link. */
  insert(login: Login, hashes: { readonly poll: string; readonly link?: string }): Promise<void>
  byPoll(hash: string): Promise<Login | undefined>
  byLink(hash: string): Promise<Login | undefined>
  /** Those of an address that were neither accepted nor expired at this time. */
  waiting(email: string, at: number): Promise<readonly Login[]>
  /** False where it was accepted before. */
  accept(id: string, acceptedAt: number): Promise<boolean>
  /** Removes the request; only one caller is ever told true. */
  take(id: string): Promise<boolean>
  deleteExpired(before: number): Promise<number>
}

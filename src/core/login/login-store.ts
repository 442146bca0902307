import type { Login } from './login.ts'

/** Login requests, by the hash of the poller's token or of the link's token. */
export interface LoginStore {
  insert(login: Login, hashes: { readonly poll: string; readonly link: string }): Promise<void>
  byPoll(hash: string): Promise<Login | undefined>
  byLink(hash: string): Promise<Login | undefined>
  accept(id: string, acceptedAt: number): Promise<void>
  /** Removes the request; only one caller is ever told true. */
  take(id: string): Promise<boolean>
  deleteExpired(before: number): Promise<number>
}

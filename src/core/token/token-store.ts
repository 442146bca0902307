import type { Page, PageQuery } from '#contract/page.ts'
import type { Installation } from '../installation/installation.ts'
import type { User } from '../user/user.ts'
import type { Token } from './token.ts'

/** Whose token it is, and the installation where it is an application's. */
export interface Bearer {
  readonly token: Token
  readonly user: User
  readonly installation?: Installation
}

/** Tokens by the hash of their value; a value itself is never stored. */
export interface TokenStore {
  insert(token: Token, hash: string): Promise<void>
  /** The token with its user, whatever their state: the caller decides whether it still counts. */
  byHash(hash: string): Promise<Bearer | undefined>
  byId(userId: string, id: string): Promise<Token | undefined>
  list(userId: string, page: PageQuery): Promise<Page<Token>>
  touch(id: string, activeAt: number): Promise<void>
  /** Answers whether there was such a token. */
  delete(userId: string, id: string): Promise<boolean>
  /** Of an installation, those that were used least recently go, until there are so many. */
  keep(installationId: string, most: number): Promise<void>
  /** Forgets those that have expired, and logins that nobody has used since this time. */
  prune(now: number, usedSince: number): Promise<void>
  /** From now on the tokens of an installation act in the name of this person. */
  handOver(installationId: string, userId: string): Promise<void>
}

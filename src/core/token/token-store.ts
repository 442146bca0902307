import type { Page, PageQuery } from '#contract/page.ts'
import type { User } from '../user/user.ts'
import type { Token } from './token.ts'

/** Tokens by the hash of their value; a value itself is never stored. */
export interface TokenStore {
  insert(token: Token, hash: string): Promise<void>
  /** The token and its user, whatever their state: the caller decides whether it still counts. */
  byHash(hash: string): Promise<{ readonly token: Token; readonly user: User } | undefined>
  byId(userId: string, id: string): Promise<Token | undefined>
  list(userId: string, page: PageQuery): Promise<Page<Token>>
  touch(id: string, activeAt: number): Promise<void>
  /** Answers whether there was such a token. */
  delete(userId: string, id: string): Promise<boolean>
}

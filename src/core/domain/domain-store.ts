import type { Page, PageQuery } from '#contract/page.ts'
import type { Domain } from './domain.ts'

export type DomainChange = Partial<Omit<Domain, 'id' | 'ownerId' | 'name' | 'createdAt'>>

export interface DomainStore {
  /** False when the account has the name, or another account has verified it. */
  add(domain: Domain): Promise<boolean>
  find(ownerId: string, name: string): Promise<Domain | undefined>
  /** The account's own domain that a host is in: the longest name that it holds, verified or not. */
  covering(ownerId: string, host: string): Promise<Domain | undefined>
  /** The verified domain that a host is in, whoever holds it: the longest name. */
  verifiedCovering(host: string): Promise<Domain | undefined>
  /**
   * Until the transaction ends, none of the domains that a host is in is removed. One whose removal has begun is waited for, and
   * is not found afterwards.
   */
  hold(host: string): Promise<void>
  /** As it is. Until the transaction ends nobody else changes it, nor begins to use it; undefined where it is gone. */
  lock(id: string): Promise<Domain | undefined>
  /** Newest first. */
  list(ownerId: string, page: PageQuery): Promise<Page<Domain>>
  /** False when it is gone, or would be the second verified domain of the name. */
  update(id: string, change: DomainChange): Promise<boolean>
  /** Takes the name away from every other account. Answers what was removed. */
  removeOthers(name: string, keptId: string): Promise<readonly Domain[]>
  /** Removes it with its DNS records; false where it was removed before. */
  remove(id: string): Promise<boolean>
  /** Unverified ones that are looked up again, by when they were last: the longest ago first. */
  unverified(checkedBefore: number, createdAfter: number, limit: number): Promise<readonly Domain[]>
  /** Verified ones, by when they were last looked up: the longest ago first. */
  verified(checkedBefore: number, limit: number): Promise<readonly Domain[]>
  /** Notes that these were looked at, and nothing more. */
  touch(ids: readonly string[], checkedAt: number): Promise<void>
}

import type { Page, PageQuery } from '#contract/page.ts'
import type { Certificate } from './certificate.ts'

export type CertificateContent = Pick<
  Certificate,
  'names' | 'source' | 'autoRenew' | 'expiresAt' | 'renewAt' | 'cert' | 'sealedKey'
>

export interface CertificateStore {
  /** False when the account has a certificate for exactly these names. */
  add(certificate: Certificate): Promise<boolean>
  /** In the place of one that is there: id, owner and time of creation stay. False when that is gone. */
  replace(id: string, by: CertificateContent): Promise<boolean>
  find(ownerId: string, id: string): Promise<Certificate | undefined>
  /** The account's certificate for exactly these names. */
  withNames(ownerId: string, names: readonly string[]): Promise<Certificate | undefined>
  /** Those that have the name among theirs, or a wildcard that it falls under. Newest first. */
  forHost(host: string): Promise<readonly Certificate[]>
  /** Those of an account with a name in the domain. Newest first. */
  inDomain(ownerId: string, domain: string): Promise<readonly Certificate[]>
  /** Newest first. */
  list(ownerId: string, page: PageQuery): Promise<Page<Certificate>>
  /** Those whose time to be renewed has come, the longest overdue first. */
  toRenew(now: number, limit: number): Promise<readonly Certificate[]>
  /** How many end before this time, ended ones included. */
  endingBefore(time: number): Promise<number>
  /** Looks at it again at this time. */
  postpone(id: string, renewAt: number): Promise<void>
  remove(ownerId: string, id: string): Promise<boolean>
}

/** What came of the last time that a certificate was asked of an authority. */
interface Attempt {
  /** The host that got it by itself, or the key of an order. */
  readonly host: string
  /** The domain that somebody registered, under which the host is. */
  readonly domain: string
  /** Since the last success. */
  readonly failures: number
  readonly at: number
  /** Before this, another attempt is not made. */
  readonly retryAt: number
  readonly error: string | null
}

export interface AttemptStore {
  find(host: string): Promise<Attempt | undefined>
  save(attempt: Attempt): Promise<void>
  /** Saves the one that follows the last, or is the first; false, and nothing changes, where somebody else has saved one since. */
  begin(attempt: Attempt, last: Attempt | undefined): Promise<boolean>
  remove(host: string): Promise<void>
  /** How many hosts of the domain were tried after this time, counted up to the limit. */
  count(domain: string, since: number, limit: number): Promise<number>
  /** Hosts of accounts that failed and may be tried again, the longest waiting first. */
  due(now: number, limit: number): Promise<readonly string[]>
  /** The aliases that came after this one, in their order. */
  aliasesAfter(last: HostMark, limit: number): Promise<readonly HostMark[]>
  /** The same of the verified domains of projects, which may show nothing yet; those that were changed came anew. */
  domainsAfter(last: HostMark, limit: number): Promise<readonly HostMark[]>
  /** Forgets what succeeded before this time. */
  prune(before: number): Promise<void>
}

/** A place among all hosts of a kind, by age. */
export interface HostMark {
  readonly createdAt: number
  readonly host: string
}

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
  /** Looks at it again at this time. */
  postpone(id: string, renewAt: number): Promise<void>
  remove(ownerId: string, id: string): Promise<boolean>
}

/** What came of the last time that a certificate was made for a host without anybody asking. */
export interface Attempt {
  readonly host: string
  /** The domain that somebody registered, under which the host is. */
  readonly domain: string
  /** Since the last success. */
  readonly failures: number
  readonly at: number
  readonly retryAt: number
}

export interface AttemptStore {
  find(host: string): Promise<Attempt | undefined>
  save(attempt: Attempt): Promise<void>
  /** How many hosts of the domain were tried after this time, counted up to the limit. */
  count(domain: string, since: number, limit: number): Promise<number>
  prune(before: number): Promise<void>
}

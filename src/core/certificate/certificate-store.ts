import type { Page, PageQuery } from '#contract/page.ts'
import type { Certificate } from './certificate.ts'

export interface CertificateStore {
  add(certificate: Certificate): Promise<void>
  /** In the place of one that is there: id, owner and time of creation stay. False when that is gone. */
  replace(
    id: string,
    by: Pick<Certificate, 'names' | 'source' | 'autoRenew' | 'expiresAt' | 'cert' | 'sealedKey'>,
  ): Promise<boolean>
  find(ownerId: string, id: string): Promise<Certificate | undefined>
  /** The account's certificate for exactly these names. */
  withNames(ownerId: string, names: readonly string[]): Promise<Certificate | undefined>
  /** Those that have the name among theirs, or a wildcard that it falls under. Newest first. */
  forHost(host: string): Promise<readonly Certificate[]>
  /** Those of an account with a name in the domain. */
  inDomain(ownerId: string, domain: string): Promise<readonly Certificate[]>
  /** Newest first. */
  list(ownerId: string, page: PageQuery): Promise<Page<Certificate>>
  /** Those that are renewed by themselves and end before this time, the first to end first. */
  endingBefore(time: number, limit: number): Promise<readonly Certificate[]>
  remove(ownerId: string, id: string): Promise<boolean>
}

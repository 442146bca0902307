import type { DomainStore } from '../../domain/domain-store.ts'
import { leadsOf } from '../../domain/find-records.ts'
import { checkHost, type Intended } from '../../domain/inspect.ts'
import type { CertificateIssuer } from '../../ports/certificate-issuer.ts'
import type { Resolver } from '../../ports/resolver.ts'

interface MayCertifyParts {
  readonly issuer: Pick<CertificateIssuer, 'checksNames'>
  readonly domains: Pick<DomainStore, 'verifiedCovering'>
  readonly resolver: Resolver
  /** Where the hosts of this installation lead to. */
  readonly pointing: Pick<Intended, 'target' | 'addresses'>
}

/** Whether a certificate is made out to a host that an account serves without being asked. */
export type MayCertify = (ownerId: string, host: string) => Promise<boolean>

/**
 * A project may be given any name that nobody else claims, so serving a name shows nothing. A certificate is made for
 * it once the account has verified its domain, or DNS leads to this installation.
 */
export const createMayCertify =
  ({ issuer, domains, resolver, pointing }: MayCertifyParts): MayCertify =>
  async (ownerId, host) => {
    if (issuer.checksNames) return true
    if ((await domains.verifiedCovering(host))?.ownerId === ownerId) return true
    if (host.startsWith('*.')) return false
    const seen = checkHost(
      'address',
      host,
      false,
      { ...pointing, serviceType: 'external' },
      await leadsOf(resolver, host),
    )
    return seen.status === 'ok'
  }

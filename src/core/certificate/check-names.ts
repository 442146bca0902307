import { AloftError } from '#contract/errors.ts'
import { isPlatformHost } from '../deployment/hosts.ts'
import { noDomainOf, notVerified } from '../domain/absent-domain.ts'
import { type Domain, serviceTypeOf } from '../domain/domain.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import { isWildcard } from './certificate-name.ts'

type NamedDomains = Pick<DomainStore, 'covering' | 'verifiedCovering'>
export type HeldDomains = NamedDomains & Pick<DomainStore, 'hold'>

interface NameParts {
  readonly domains: NamedDomains
  /** Of the platform. */
  readonly domain: string
  readonly nameservers: readonly string[]
}

export interface NameCheck {
  /** Throws unless every name is in a domain that the account has verified. */
  owned(ownerId: string, names: readonly string[]): Promise<void>
  /** The same within a transaction, until whose end none of these domains is deleted. */
  held(domains: HeldDomains, ownerId: string, names: readonly string[]): Promise<void>
  /** The same, and wildcards only where we answer for the domain. */
  issuable(ownerId: string, names: readonly string[]): Promise<void>
}

export function createNameCheck({ domains: all, domain, nameservers }: NameParts): NameCheck {
  const foreign = (name: string, holder: string) =>
    new AloftError(
      'forbidden',
      `\`${name}\` is part of the domain \`${holder}\`, which belongs to another account.`,
      {
        domain: holder,
      },
    )

  async function domainOf(ownerId: string, name: string, domains: NamedDomains): Promise<Domain> {
    const host = name.replace(/^\*\./, '')
    if (host === domain || isPlatformHost(host, domain)) throw foreign(name, domain)
    const verified = await domains.verifiedCovering(host)
    if (verified?.ownerId === ownerId) return verified
    if (verified) throw foreign(name, verified.name)
    const claimed = await domains.covering(ownerId, host)
    throw claimed ? notVerified(claimed) : noDomainOf(host)
  }

  return {
    async owned(ownerId, names) {
      for (const name of names) await domainOf(ownerId, name, all)
    },
    async held(domains, ownerId, names) {
      for (const name of names) {
        await domains.hold(name)
        await domainOf(ownerId, name, domains)
      }
    },
    async issuable(ownerId, names) {
      for (const name of names) {
        const found = await domainOf(ownerId, name, all)
        if (isWildcard(name) && serviceTypeOf(found, nameservers) !== 'provider.world')
          throw new AloftError(
            'wildcard_not_allowed',
            `\`${name}\` can be issued once the domain \`${found.name}\` uses our nameservers.`,
            { domain: found.name },
          )
      }
    },
  }
}

import { AloftError } from '#contract/errors.ts'
import type { Owner } from '../access/context.ts'
import { atLeast } from '../access/plan.ts'
import { foreignDomain, noDomainOf, notVerified } from './absent-domain.ts'
import { serviceTypeOf } from './domain.ts'
import type { DomainStore } from './domain-store.ts'

interface HostParts {
  readonly nameservers: readonly string[]
}

/**
 * Throws unless an account may let its things be visited under a host that is not the platform's. What is then written in the
 * same transaction holds the domain first (`hold`), so that it is not deleted in between.
 */
export type CheckCustomHost = (
  domains: Pick<DomainStore, 'covering' | 'verifiedCovering'>,
  owner: Owner,
  host: string,
) => Promise<void>

export const needsUpgrade = () =>
  new AloftError('custom_domain_needs_upgrade', 'Custom domains are not included in this account’s plan.')

export const hasCustomDomains = ({ plan }: Pick<Owner, 'plan'>): boolean => atLeast(plan, 'pro')

export const createCustomHostCheck =
  ({ nameservers }: HostParts): CheckCustomHost =>
  async (domains, owner, host) => {
    const claimed = await domains.covering(owner.id, host)
    const verified = await domains.verifiedCovering(host)
    if (verified && verified.ownerId !== owner.id && !(claimed && claimed.name.length > verified.name.length))
      throw foreignDomain(verified.name)
    if (!claimed) throw noDomainOf(host)
    if (verified?.ownerId !== owner.id) throw notVerified(claimed)
    if (!hasCustomDomains(owner)) throw needsUpgrade()
    if (host.startsWith('*.') && serviceTypeOf(verified, nameservers) !== 'provider.world')
      throw new AloftError(
        'invalid_alias',
        `\`${host}\` can be used once the domain \`${verified.name}\` uses our nameservers.`,
        { alias: host },
      )
  }

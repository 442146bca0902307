import { AloftError } from '#contract/errors.ts'
import type { Domain } from './domain.ts'
import { storedName } from './domain-name.ts'
import type { DomainStore } from './domain-store.ts'

export const foreignDomain = (name: string) =>
  new AloftError('forbidden', `The domain \`${name}\` belongs to another account.`, { domain: name })

export const platformDomain = (domain: string) =>
  new AloftError('forbidden', `Names under \`${domain}\` belong to the platform.`, { domain })

export const notVerified = ({ name }: Domain) =>
  new AloftError('domain_not_verified', `The domain \`${name}\` is not verified yet.`, { domain: name })

/** For a host under none of the account's domains. */
export const noDomainOf = (host: string) =>
  new AloftError('not_found', `The domain of \`${host}\` is not in your account. Add it first.`, {
    name: host,
  })

/** Why a domain of this name is not to be had here: another account's is not even looked at. */
export async function absentDomain(
  domains: Pick<DomainStore, 'verifiedCovering'>,
  ownerId: string,
  text: string,
): Promise<AloftError> {
  const name = storedName(text)
  const holder = name === undefined ? undefined : await domains.verifiedCovering(name)
  if (holder && holder.ownerId !== ownerId) return foreignDomain(holder.name)
  const shown = text.slice(0, 300)
  return new AloftError('not_found', `There is no domain \`${shown}\` in your account. Add it first.`, {
    name: shown,
  })
}

/** A domain of the account, as somebody wrote its name. */
export async function ownedDomain(
  domains: Pick<DomainStore, 'find' | 'verifiedCovering'>,
  ownerId: string,
  text: string,
): Promise<Domain> {
  const name = storedName(text)
  const found = name === undefined ? undefined : await domains.find(ownerId, name)
  if (!found) throw await absentDomain(domains, ownerId, text)
  return found
}

import type { Clock } from '../ports/clock.ts'
import type { Resolver } from '../ports/resolver.ts'
import type { Transact } from '../ports/transact.ts'
import { type Domain, isVerified } from './domain.ts'
import type { DomainChange, DomainStore } from './domain-store.ts'
import { lookUp, type Seen } from './look-up.ts'

export interface CheckParts {
  readonly store: DomainStore
  readonly transact: Transact<{ readonly domains: DomainStore }>
  readonly resolver: Pick<Resolver, 'ns' | 'txt'>
  readonly clock: Clock
  readonly nameservers: readonly string[]
  /** Told of domains that we answer for from now on, or in another way. */
  readonly onZonesChanged: (names: readonly string[]) => void
}

export interface Checked {
  /** Undefined when it is gone, or another account was the first to verify it. */
  readonly domain: Domain | undefined
  readonly seen: Seen
}

/** The names above one: what an account has shown of them holds for it too. */
const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** Looks for the proof of a domain in DNS, which takes seconds: not for a transaction. */
export async function seek(
  { store, resolver, nameservers }: CheckParts,
  domain: Pick<Domain, 'name' | 'token' | 'ownerId'>,
): Promise<Seen> {
  const seen = await lookUp(resolver, domain, nameservers)
  const above = await store.verifiedCovering(parentOf(domain.name))
  if (!above) return seen
  if (above.ownerId === domain.ownerId)
    return above.txtVerifiedAt === null ? { ...seen, byNameservers: true } : { ...seen, byText: true }
  // Names above are delegated to us because of the other account. Its token is something only that can publish.
  return { ...seen, byNameservers: false }
}

/** What a look at DNS changes of a domain. Nothing is taken back: a record that is lost later changes nothing. */
export const changeBy = (domain: Domain, seen: Seen, now: number): DomainChange => ({
  ...(seen.nameservers === undefined ? {} : { nameservers: seen.nameservers }),
  ...(seen.byNameservers && domain.nsVerifiedAt === null ? { nsVerifiedAt: now } : {}),
  ...(seen.byText && domain.txtVerifiedAt === null ? { txtVerifiedAt: now } : {}),
  checkedAt: now,
})

/** Keeps what was seen, in the caller's transaction. The first account that shows a name is its own keeps it alone. */
export async function keepSeen(
  domains: DomainStore,
  domain: Domain,
  seen: Seen,
  now: number,
): Promise<Domain | undefined> {
  const change = changeBy(domain, seen, now)
  if (!(await domains.update(domain.id, change))) {
    // Nobody but who has verified a name keeps it.
    await domains.remove(domain.id)
    return undefined
  }
  const kept = { ...domain, ...change }
  if (isVerified(kept) && !isVerified(domain)) await domains.removeOthers(domain.name, domain.id)
  return kept
}

/** Looks a domain up and keeps what was found. */
export async function checkDomain(parts: CheckParts, { ownerId, name, token }: Domain): Promise<Checked> {
  const seen = await seek(parts, { ownerId, name, token })
  const domain = await parts.transact(async ({ domains }) => {
    const found = await domains.find(ownerId, name)
    return found && keepSeen(domains, found, seen, parts.clock.now())
  })
  if (!domain || isVerified(domain)) parts.onZonesChanged([name])
  return { domain, seen }
}

import type { Clock } from '../ports/clock.ts'
import type { Resolver } from '../ports/resolver.ts'
import type { Transact } from '../ports/transact.ts'
import { isRegistered, type Order, type OrderStore } from '../registrar/order.ts'
import { type Domain, isElsewhere, isVerified } from './domain.ts'
import { apexOf, parentOf } from './domain-name.ts'
import type { DomainChange, DomainStore } from './domain-store.ts'
import { type DnsFindings, lookUpDomain } from './look-up-domain.ts'

export interface CheckParts {
  readonly store: DomainStore
  readonly transact: Transact<{ readonly domains: DomainStore }>
  readonly orders: Pick<OrderStore, 'find'>
  readonly resolver: Pick<Resolver, 'ns' | 'txt'>
  readonly clock: Clock
  readonly nameservers: readonly string[]
  /** Told of domains that we answer for from now on, or in another way. */
  readonly onZonesChanged: (names: readonly string[]) => void
}

interface Sought extends DnsFindings {
  /**
   * By which the name was registered here, unless others answer for it by now. Then our nameservers show nothing: they
   * were set for whoever made the order.
   */
  readonly order: Order | undefined
}

interface Checked {
  /** Undefined when it is gone, or another account was the first to verify it. */
  readonly domain: Domain | undefined
  readonly seen: Sought
}

/** Looks for the proof of a domain in DNS, which takes seconds: not for a transaction. */
export async function seek(
  { store, orders, resolver, nameservers }: CheckParts,
  domain: Pick<Domain, 'name' | 'token' | 'ownerId'>,
): Promise<Sought> {
  const { name, ownerId } = domain
  const [seen, above, ordered] = await Promise.all([
    lookUpDomain(resolver, domain, nameservers),
    // What an account has shown of the names above one holds for it too.
    store.verifiedCovering(parentOf(name)),
    orders.find(apexOf(name) ?? name),
  ])
  const isHere = ordered && isRegistered(ordered) && !isElsewhere(seen.nameservers, nameservers)
  const sought = { ...seen, order: isHere ? ordered : undefined }
  if (above?.ownerId === ownerId)
    return above.txtVerifiedAt === null ? { ...sought, byNameservers: true } : { ...sought, byText: true }
  // They are ours because of the other account. Its token is something that only that can publish.
  const isOthers = above !== undefined || (ordered && isRegistered(ordered) && ordered.ownerId !== ownerId)
  return isOthers ? { ...sought, byNameservers: false } : sought
}

/** What was registered here and deleted in the account is what it was, once it is added again. */
function registration({ name, ownerId, ...domain }: Domain, { order }: Sought): DomainChange {
  const { boughtAt, transferredAt } = domain
  const isOwn = order?.name === name && order.ownerId === ownerId && order.expiresAt !== null
  if (!isOwn || boughtAt !== null || transferredAt !== null) return {}
  const { kind, createdAt, expiresAt } = order
  return kind === 'buy' ? { boughtAt: createdAt, expiresAt } : { transferredAt: createdAt, expiresAt }
}

/** What a look at DNS changes of a domain. Nothing is taken back: a record that is lost later changes nothing. */
export const changeBy = (domain: Domain, seen: Sought, now: number): DomainChange => ({
  ...(seen.nameservers === undefined ? {} : { nameservers: seen.nameservers }),
  ...(seen.byNameservers && domain.nsVerifiedAt === null ? { nsVerifiedAt: now } : {}),
  ...(seen.byText && domain.txtVerifiedAt === null ? { txtVerifiedAt: now } : {}),
  ...registration(domain, seen),
  checkedAt: now,
})

/** Keeps what was seen, in the caller's transaction. The first account that shows a name is its own keeps it alone. */
export async function keepSeen(
  domains: DomainStore,
  domain: Domain,
  seen: Sought,
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

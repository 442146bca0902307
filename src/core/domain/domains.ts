import { AloftError } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { AliasRow } from '../alias/alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { Certificate } from '../certificate/certificate.ts'
import type { CertificateStore } from '../certificate/certificate-store.ts'
import { isPlatformHost } from '../deployment/hosts.ts'
import { domainEvent } from '../event/event-payloads.ts'
import type { Resolver } from '../ports/resolver.ts'
import type { Transact } from '../ports/transact.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import type { UserStore } from '../user/user-store.ts'
import { absentDomain, foreignDomain, ownedDomain, platformDomain } from './absent-domain.ts'
import { type CheckParts, changeBy, checkDomain, keepSeen, seek } from './check-domain.ts'
import { hasCustomDomains, needsUpgrade } from './custom-host.ts'
import { type DeleteRules, type DeleteStores, deleteDomain } from './delete-domain.ts'
import { type Domain, isVerified, newDomain, proofHost, type ServiceType, serviceTypeOf } from './domain.ts'
import { apexOf, readDomainName, storedName } from './domain-name.ts'
import { findRecords } from './find-records.ts'
import { type Inspection, type Intended, inspect } from './inspect.ts'
import type { DnsFindings } from './look-up-domain.ts'

/** A domain with what is shown beside it. */
export interface DomainView extends Domain {
  readonly serviceType: ServiceType
  readonly verified: boolean
  readonly intendedNameservers: readonly string[]
  readonly creator: { readonly id: string; readonly username: string; readonly email: string }
}

/** What it is used for. */
export interface DomainUse {
  readonly aliases: readonly AliasRow[]
  readonly certificates: readonly Certificate[]
}

export interface Domains {
  show(domain: Domain): Promise<DomainView>
  list(ctx: Context, page: PageQuery): Promise<Page<DomainView>>
  /** The same, with what each of them is used for. */
  listUsed(ctx: Context, page: PageQuery): Promise<Page<DomainView & DomainUse>>
  /** Adds a domain, or looks for the proof of one that waits for it. */
  add(ctx: Context, request: DomainRequest): Promise<DomainView>
  verify(ctx: Context, name: string): Promise<DomainView & DomainUse>
  /** The domain, or the one of the account that the name is in. */
  get(ctx: Context, name: string): Promise<DomainView & DomainUse>
  /** Compares what DNS says of a domain with what it should say. */
  inspect(ctx: Context, name: string): Promise<Inspection>
  delete(ctx: Context, name: string, rules: DeleteRules): Promise<Domain>
}

interface DomainRequest {
  readonly name: string | undefined
  readonly serviceWish?: ServiceType | undefined
}

interface DomainParts extends CheckParts {
  readonly hosts: HostStore
  readonly certificates: Pick<CertificateStore, 'inDomain'>
  readonly users: Pick<UserStore, 'byId'>
  readonly transact: Transact<DeleteStores & UsageStores>
  readonly quotas: Pick<Quotas, 'check'>
  readonly resolver: Resolver
  /** What records of domains should lead to, and who makes certificates for them. */
  readonly pointing: Pick<Intended, 'target' | 'addresses' | 'authority'>
  /** The platform's own. */
  readonly domain: string
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

/** Somebody else has deleted the domain at the same moment. */
class DeletedBefore extends Error {
  override readonly name = 'DeletedBefore'
}

/** How many aliases are shown beside a domain. */
const SHOWN_ALIASES = 100

export function createDomains(parts: DomainParts): Domains {
  const { store, hosts, certificates, users, transact, clock, nameservers, domain: platform } = parts

  async function view(domain: Domain): Promise<DomainView> {
    const creator = await users.byId(domain.creatorId)
    return {
      ...domain,
      serviceType: serviceTypeOf(domain, nameservers),
      verified: isVerified(domain),
      intendedNameservers: nameservers,
      creator: { id: domain.creatorId, username: creator?.username ?? '', email: creator?.email ?? '' },
    }
  }

  async function viewUse(domain: Domain): Promise<DomainView & DomainUse> {
    const { ownerId, name } = domain
    const [shown, { items }, held] = await Promise.all([
      view(domain),
      hosts.list(ownerId, { limit: SHOWN_ALIASES }, { domain: name }),
      certificates.inDomain(ownerId, name),
    ])
    return { ...shown, aliases: items, certificates: held }
  }

  const each = async <T>(page: Page<Domain>, show: (domain: Domain) => Promise<T>): Promise<Page<T>> => ({
    ...page,
    items: await Promise.all(page.items.map(show)),
  })

  const absent = (ctx: Context, text: string) => absentDomain(store, ctx.owner.id, text)
  const owned = (ctx: Context, text: string) => ownedDomain(store, ctx.owner.id, text)

  async function covering(ctx: Context, text: string): Promise<Domain> {
    const name = storedName(text)
    const found = name === undefined ? undefined : await store.covering(ctx.owner.id, name)
    if (!found) throw await absent(ctx, text)
    return found
  }

  /** A domain of the account that was not there, with what DNS says of it. */
  async function addNew(ctx: Context, name: string, serviceWish: ServiceType | null): Promise<Domain> {
    const { owner, actor } = ctx
    const blank = newDomain({ ownerId: owner.id, creatorId: actor.user.id, name, serviceWish }, clock.now())
    // Before DNS is asked, and again where it is certain.
    await parts.quotas.check(owner, 'domains', 1)
    const seen = await seek(parts, blank)
    if (seen.order?.name === name && seen.order.ownerId !== ctx.owner.id) throw foreignDomain(name)
    const added = await transact(async (stores) => {
      const { domains, events } = stores
      const now = clock.now()
      if (!(await domains.find(owner.id, name))) await parts.quotas.check(owner, 'domains', 1, stores)
      const domain = { ...blank, ...changeBy(blank, seen, now), createdAt: now }
      if (await domains.add(domain)) {
        if (isVerified(domain)) await domains.removeOthers(name, domain.id)
        const delegated = serviceTypeOf(domain, nameservers) === 'provider.world'
        const cause = { userId: domain.creatorId, at: now }
        await events.emit(domainEvent({ ownerId: domain.ownerId, name, delegated }, cause))
        return domain
      }
      // Asked for twice at once: the second finds what the first has made.
      const first = await domains.find(ctx.owner.id, name)
      return (
        first &&
        keepSeen(domains, first, { ...seen, byText: seen.byText || seen.texts.includes(first.token) }, now)
      )
    })
    if (!added) throw foreignDomain(name)
    if (isVerified(added)) parts.onZonesChanged([name])
    return added
  }

  const failed = ({ name, token, nameservers: known }: Domain, seen: DnsFindings) =>
    new AloftError(
      'verification_failed',
      seen.failed
        ? `DNS did not answer every query for \`${name}\`, and its answers don’t prove that the domain is yours. Try again.`
        : `Neither the nameservers of \`${name}\` nor a TXT record on \`${proofHost(name)}\` prove that the domain is yours.`,
      {
        name,
        nsVerification: {
          name,
          nameservers: seen.nameservers ?? known,
          intendedNameservers: nameservers,
        },
        txtVerification: { name: proofHost(name), values: seen.texts, verificationRecord: token },
      },
    )

  return {
    show: view,

    list: async (ctx, page) => each(await store.list(ctx.owner.id, page), view),

    listUsed: async (ctx, page) => each(await store.list(ctx.owner.id, page), viewUse),

    async add(ctx, { name: text, serviceWish }) {
      const name = readDomainName(text)
      if (!hasCustomDomains(ctx.owner)) throw needsUpgrade()
      if (name === platform || isPlatformHost(name, platform)) throw platformDomain(platform)
      const holder = await store.verifiedCovering(name)
      if (holder?.name === name && holder.ownerId !== ctx.owner.id) throw foreignDomain(name)
      const own = await store.find(ctx.owner.id, name)
      if (!own) return view(await addNew(ctx, name, serviceWish ?? null))
      if (isVerified(own))
        throw new AloftError('not_modified', `The domain \`${name}\` is already in your account.`, {
          name,
          uid: own.id,
        })
      if (serviceWish !== undefined && serviceWish !== own.serviceWish)
        await store.update(own.id, { serviceWish })
      const { domain } = await checkDomain(parts, own)
      if (!domain) throw foreignDomain(name)
      return view(domain)
    },

    async verify(ctx, name) {
      const found = await owned(ctx, name)
      const { domain, seen } = await checkDomain(parts, found)
      if (!domain) throw await absent(ctx, found.name)
      if (!isVerified(domain)) throw failed(domain, seen)
      return viewUse(domain)
    },

    get: async (ctx, text) => viewUse(await covering(ctx, text)),

    async inspect(ctx, text) {
      const domain = await covering(ctx, text)
      const { name, token } = domain
      const intended = {
        ...parts.pointing,
        name,
        token,
        isApex: apexOf(name) === name,
        serviceType: serviceTypeOf(domain, nameservers),
        verified: isVerified(domain),
        isRegisteredHere: domain.boughtAt !== null || domain.transferredAt !== null,
        nameservers,
      }
      return inspect(intended, await findRecords(parts.resolver, domain))
    },

    async delete(ctx, name, rules) {
      const found = await owned(ctx, name)
      const released = await transact(async (stores) => {
        const changed = await deleteDomain(stores, found, rules, {
          userId: ctx.actor.user.id,
          at: clock.now(),
        })
        // Thrown, so that nothing is kept of it.
        if (!changed) throw new DeletedBefore()
        return changed
      }).catch(async (error: unknown) => {
        throw error instanceof DeletedBefore ? await absent(ctx, name) : error
      })
      parts.onZonesChanged([found.name])
      parts.onHostsChanged(released)
      return found
    },
  }
}

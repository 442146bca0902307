import { mapPage, type Page } from '#contract/page.ts'
import { iso } from '#contract/time.ts'
import type { DomainUse, DomainView } from '#core/domain/domains.ts'

const isIn = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`)

const listItem = (d: DomainView & DomainUse) => ({
  uid: d.id,
  name: d.name,
  created: iso(d.createdAt),
  createdAt: iso(d.createdAt),
  boughtAt: d.boughtAt,
  expiresAt: d.expiresAt,
  isExternal: d.serviceType === 'external',
  verified: d.verified,
  aliases: d.aliases.map(({ id }) => id),
  certs: [...new Set(d.certificates.flatMap(({ names }) => names).filter((name) => isIn(name, d.name)))],
})

export const domains = (page: Page<DomainView & DomainUse>) => ({
  domains: mapPage(page, listItem),
  pagination: page.pagination,
})

/** Whoever asked for our nameservers proves the domain with them, and is handed no token. */
export const added = (d: DomainView) => ({
  uid: d.id,
  verified: d.verified,
  ...(d.verified || d.serviceWish === 'provider.world' ? {} : { verifyToken: d.token }),
  created: iso(d.createdAt),
})

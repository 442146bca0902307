import { mapPage, type Page } from '#contract/page.ts'
import { iso } from '#contract/time.ts'
import type { DomainUse, DomainView } from '#core/domain/domains.ts'

const listItem = (d: DomainView & DomainUse) => ({
  uid: d.id,
  created: iso(d.createdAt),
  isExternal: d.serviceType === 'external',
  name: d.name,
  aliases: d.aliases.map(({ id }) => id),
})

export const domains = (page: Page<DomainView & DomainUse>) => ({
  domains: mapPage(page, listItem),
  pagination: page.pagination,
})

export const requestedService = (isExternal: boolean | undefined) =>
  isExternal === undefined ? undefined : isExternal ? 'external' : 'provider.world'

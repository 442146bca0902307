import { mapPage, type Page } from '#contract/page.ts'
import { iso } from '#contract/time.ts'
import type { AliasRow } from '#core/alias/alias.ts'
import type { DomainUse, DomainView } from '#core/domain/domains.ts'
import type { Check, Inspection } from '#core/domain/inspect.ts'
import { certificate } from '../certificate/current.ts'

export const domain = (d: DomainView) => ({
  id: d.id,
  name: d.name,
  serviceType: d.serviceType,
  nsVerifiedAt: d.nsVerifiedAt,
  txtVerifiedAt: d.txtVerifiedAt,
  cdnEnabled: true,
  createdAt: d.createdAt,
  expiresAt: d.expiresAt,
  boughtAt: d.boughtAt,
  transferStartedAt: d.transferStartedAt,
  transferredAt: d.transferredAt,
  verificationRecord: d.token,
  verifiedRecord: d.token,
  verified: d.verified,
  nameservers: [...d.nameservers],
  intendedNameservers: [...d.intendedNameservers],
  creator: { ...d.creator },
})

export const domains = (page: Page<DomainView>) => ({
  domains: mapPage(page, domain),
  pagination: page.pagination,
})

const alias = (a: AliasRow) => ({ uid: a.id, alias: a.host, created: iso(a.createdAt) })

export const single = (d: DomainView & DomainUse) => ({
  domain: {
    ...domain(d),
    suffix: false,
    aliases: d.aliases.map(alias),
    certs: d.certificates.map(certificate),
  },
})

export const check = ({ found, expected, ...rest }: Check) => ({
  ...rest,
  found: [...found],
  expected: [...expected],
})

export const inspection = ({ checks, ...rest }: Inspection) => ({
  ...rest,
  checks: checks.map(check),
})

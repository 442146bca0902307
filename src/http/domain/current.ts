import { mapPage, type Page } from '#contract/page.ts'
import { iso } from '#contract/time.ts'
import type { AliasRow } from '#core/alias/alias.ts'
import type { Certificate } from '#core/certificate/certificate.ts'
import type { DomainUse, DomainView } from '#core/domain/domains.ts'
import type { Inspection } from '#core/domain/inspect.ts'

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

const cert = (c: Certificate) => ({
  uid: c.id,
  cns: [...c.names],
  created: iso(c.createdAt),
  expiration: iso(c.expiresAt),
  autoRenew: c.autoRenew,
})

export const single = (d: DomainView & DomainUse) => ({
  domain: {
    ...domain(d),
    suffix: false,
    aliases: d.aliases.map(alias),
    certs: d.certificates.map(cert),
  },
})

export const inspection = ({ checks, ...rest }: Inspection) => ({
  ...rest,
  checks: checks.map(({ found, expected, ...check }) => ({
    ...check,
    found: [...found],
    expected: [...expected],
  })),
})

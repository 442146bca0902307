import { mapPage, type Page } from '#contract/page.ts'
import { iso } from '#contract/time.ts'
import type { Certificate } from '#core/certificate/certificate.ts'

export const certificate = (c: Certificate) => ({
  uid: c.id,
  cns: [...c.names],
  created: iso(c.createdAt),
  expiration: iso(c.expiresAt),
  autoRenew: c.autoRenew,
})

export const certificates = (page: Page<Certificate>) => ({
  certs: mapPage(page, certificate),
  pagination: page.pagination,
})

/** Which one it is that was issued or uploaded. */
export const stored = (c: Certificate) => ({ uid: c.id, created_at: iso(c.createdAt) })

import { mapPage, type Page } from '#contract/page.ts'
import { iso } from '#contract/time.ts'
import type { Secret } from '#core/secret/secret.ts'
import type { Renamed } from '#core/secret/secrets.ts'

export const secret = (s: Secret) => ({ uid: s.id, name: s.name, created: iso(s.createdAt) })

export const secrets = (page: Page<Secret>) => ({
  secrets: mapPage(page, secret),
  pagination: page.pagination,
})

/** The caller knows the value already; this once it is answered, in the form that clients expect. */
export const created = (s: Secret, value: string) => ({
  ...secret(s),
  userId: s.creatorId,
  value: Buffer.from(value).toJSON(),
})

export const renamed = (r: Renamed) => ({ ...secret(r.secret), oldName: r.oldName })

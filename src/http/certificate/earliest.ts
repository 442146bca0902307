import { mapPage, type Page } from '#contract/page.ts'
import type { Certificate } from '#core/certificate/certificate.ts'
import * as current from './current.ts'

/** Under one name: the one that was asked for, or its first that is a host. */
const entry = (c: Certificate, asked?: string) => {
  const { cns, ...rest } = current.certificate(c)
  const cn = cns.find((name) => name === asked) ?? cns.find((name) => !name.startsWith('*.')) ?? cns[0] ?? ''
  return { ...rest, cn }
}

export const entries = (page: Page<Certificate>) => ({
  certs: mapPage(page, (c) => entry(c)),
  pagination: page.pagination,
})

export const named = (certificates: readonly Certificate[], cn: string) => ({
  certs: certificates.map((c) => entry(c, cn)),
})

import type { IncomingHttpHeaders } from 'node:http'
import { AloftError } from '#contract/errors.ts'
import { isSameSecret } from '#core/same-secret.ts'
import { csrfOf } from '#core/session/sessions.ts'

/** Who made a browser send a request, as far as it says: our own pages, or those of others. */
type Provenance = 'own' | 'foreign' | 'unsaid'

/** `site` is where the installation says it is, which differs from the host behind some proxies. */
export function provenanceOf(headers: IncomingHttpHeaders, site: string, secure: boolean): Provenance {
  const fetchSite = headers['sec-fetch-site']
  // `none`: a person typed the address or opened a bookmark.
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none' ? 'own' : 'foreign'
  const { origin, host } = headers
  if (origin === undefined) return 'unsaid'
  const here = `${secure ? 'https' : 'http'}://${host?.toLowerCase()}`
  return origin === here || origin === new URL(site).origin ? 'own' : 'foreign'
}

export const isCsrfOf = (given: string | readonly string[] | undefined, bearer: string): boolean =>
  isSameSecret(String(given ?? ''), csrfOf(bearer))

export const fromElsewhere = (): AloftError =>
  new AloftError('forbidden', 'The request came from another site, so it was refused.')

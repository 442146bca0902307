import type { Site, SiteProtection } from '#core/site/site.ts'
import type { Answer } from '../answer.ts'
import { authorityOf, type Exchange, type Result, visitorOf } from '../exchange.ts'

/** A visit to a site, before its routes are asked. */
export interface Visit {
  readonly site: Site
  readonly exchange: Exchange
  /** Goes out with the answer, whoever gives it. */
  readonly cookies: string[]
}

/** A visit to a site that is protected. */
export interface GuardedVisit extends Visit {
  readonly protection: SiteProtection
}

/** The visitor is let in: no other protection of the site is asked. */
export const LET_IN = Symbol('let in')

/** Nothing: no objection, the next guard is asked. */
export type ProtectionResult = undefined | typeof LET_IN | Result

/** Where a visitor is to go, on this very host: in full, so that no path can be taken for another host. */
export function addressOf({ exchange }: Visit, url: string): string {
  return `${visitorOf(exchange).scheme}://${authorityOf(exchange.req) ?? ''}${url}`
}

export const isSecure = ({ exchange }: Visit): boolean => visitorOf(exchange).scheme === 'https'

/** Sends a visitor somewhere. Nobody may keep that, because it is for one visitor and one moment. */
export const sendTo = (
  status: 302 | 303 | 307,
  location: string,
  cookies: readonly string[] = [],
): Answer => ({
  status,
  headers: [
    ...['location', location],
    ...['cache-control', 'private, no-store'],
    ...cookies.flatMap((cookie) => ['set-cookie', cookie]),
    ...['content-length', '0'],
  ],
  body: undefined,
  source: 'redirect',
  entrypoint: location,
})

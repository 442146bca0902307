import type { Clock } from '#core/ports/clock.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { Log } from '#core/ports/log.ts'
import type { Site } from '#core/site/site.ts'
import type { Exchange } from './exchange.ts'
import type { Admission } from './guards.ts'
import type { SiteCache } from './site/site-cache.ts'

interface ReadmissionOptions {
  readonly sites: Pick<SiteCache, 'find'>
  readonly guard: (site: Site, exchange: Exchange) => Admission | Promise<Admission>
  readonly clock: Clock
  readonly log: Log
}

/** What guards go by and nobody after them gets to see. */
export type ShownCredentials = Pick<Exchange, 'url'> & { readonly cookie: string | undefined }

/** Tells whether a visitor of a host would still be let in, by the same request. Where that cannot be told, they are. */
export function createReadmission({ sites, guard, clock, log }: ReadmissionOptions) {
  return async (host: string, exchange: Exchange, { url, cookie }: ShownCredentials): Promise<boolean> => {
    const { id, question } = exchange
    try {
      const entry = await sites.find(host, clock.monotonic())
      if (entry === undefined || entry.isPlain) return entry !== undefined
      const headers = { ...question.headers, cookie }
      const again: Exchange = { ...exchange, url, question: { ...question, headers }, isAskedAgain: true }
      return 'cookies' in (await guard(entry.site, again))
    } catch (err) {
      if (!isUnavailable(err))
        log.warn({ err, id, host }, 'it could not be checked whether a visitor may stay')
      return true
    }
  }
}

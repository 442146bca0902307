import { DAY, SECOND } from '#contract/time.ts'
import { senderOf } from '#core/access/sender.ts'
import type { Clock } from '#core/ports/clock.ts'
import { shareAt } from '#core/release/release.ts'
import type { Canary, Site } from '#core/site/site.ts'
import { headerOf } from '../answer.ts'
import type { Exchange } from '../exchange.ts'
import type { SiteCache } from './site-cache.ts'
import type { SiteEntry } from './site-entry.ts'

interface Options {
  readonly sites: Pick<SiteCache, 'find'>
  readonly clock: Clock
}

type Side = 'canary' | 'stable'

/** What a visitor says or was given: a side, or a place among all visitors, in hundredths of a per cent. */
interface Ticket {
  readonly place: Side | number
  /** Whether the visitor is to be told, so that it stays as it is. */
  readonly isNew: boolean
}

const PLACES = 10_000
const COOKIE_SECONDS = (7 * DAY) / SECOND
/** By which a request chooses for itself alone. */
const CHOICE = 'x-rolling-release'

const releaseCookie = (projectId: string): string => `_vcrr_${projectId}`

/**
 * Which of two deployments a visitor of production gets while a release is under way. Each visitor has a place among all of
 * them, kept in a cookie: as the share grows they go over to the new deployment one by one, and never back.
 */
export class ReleaseSides {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  find(entry: SiteEntry, exchange: Exchange): SiteEntry | Promise<SiteEntry> {
    const { canary } = entry.site
    if (canary === undefined) return entry
    const { place, isNew } = ticketOf(entry.site, canary, exchange)
    if (isNew) exchange.added = ['set-cookie', cookieOf(entry.site, canary, place, exchange)]
    const now = this.#options.clock.now()
    const side =
      typeof place === 'string' ? place : place < shareAt(canary.ramp, now) * 100 ? 'canary' : 'stable'
    return side === 'canary' ? this.#canary(entry, canary, exchange) : entry
  }

  /** One that cannot be shown any more is no reason to fail. */
  async #canary(entry: SiteEntry, canary: Canary, exchange: Exchange): Promise<SiteEntry> {
    const shown = await this.#options.sites.find(canary.host, exchange.since)
    if (shown?.site.deploymentId !== canary.deploymentId || shown.site.status !== 'ready') return entry
    if (canary.isNamed) exchange.added = [...(exchange.added ?? []), CHOICE, 'canary']
    return shown
  }
}

function ticketOf({ projectId }: Site, { deploymentId }: Canary, { url, question }: Exchange): Ticket {
  const forced = /[?&]vcrrForce(Canary|Stable)=(?:true|1)(?:&|$)/.exec(url)?.[1]
  if (forced !== undefined) return { place: forced === 'Canary' ? 'canary' : 'stable', isNew: true }
  const chosen = headerOf(question, CHOICE)
  if (chosen === 'canary' || chosen === 'stable') return { place: chosen, isNew: false }
  const cookies = headerOf(question, 'cookie') ?? ''
  const name = `${releaseCookie(projectId)}=`
  for (const cookie of cookies.includes(name) ? cookies.split(';') : []) {
    const value = cookie.trim()
    if (!value.startsWith(`${name}${deploymentId}.`)) continue
    const place = value.slice(name.length + deploymentId.length + 1)
    if (place === 'canary' || place === 'stable') return { place, isNew: false }
    if (/^\d{1,4}$/.test(place)) return { place: Number(place), isNew: false }
  }
  return { place: Math.floor(Math.random() * PLACES), isNew: true }
}

function cookieOf(
  { projectId }: Site,
  { deploymentId }: Canary,
  place: Side | number,
  { req }: Exchange,
): string {
  return `${releaseCookie(projectId)}=${deploymentId}.${place}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; ${senderOf(req).isSecure ? 'Secure; ' : ''}SameSite=Lax`
}

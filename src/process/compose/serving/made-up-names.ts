import { HOUR } from '#contract/time.ts'
import { wildcardOver } from '#core/certificate/certificate-name.ts'
import type { Zone } from '#core/dns/zone.ts'
import { heldNames } from '#core/domain/domain.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { LastKnown } from '#core/ports/last-known.ts'
import { SITES_TOPIC, type Site } from '#core/site/site.ts'

/** The site at a name that a wildcard stands for; what it shows is remembered at the wildcard. */
const SHOWN = 'shown'

/** What is remembered for as many names as anybody makes up. */
export const OF_MADE_UP_NAMES: readonly string[] = [SHOWN, 'covering']

/** A name with more labels is looked for among the zones of its last ones. */
const MOST_LABELS = 16

interface ShownByWildcard {
  readonly by: string
}

/**
 * Anybody can make up names that a wildcard stands for, or that are in a zone. What they show, and that zone, is remembered once
 * for all of them.
 */
export function onceForAllNames(
  known: LastKnown,
  { clock, bus }: { readonly clock: Clock; readonly bus: Pick<Bus, 'subscribe' | 'onGap'> },
): LastKnown {
  const sites = new WrittenValues(clock)
  const zones = new WrittenValues(clock)
  // Another process may have written what was shown in between. A zone is never again what it was: its serial grows.
  const ends = [
    bus.subscribe(SITES_TOPIC, (host) => sites.forget(host)),
    bus.onGap?.(() => sites.forget('*')),
  ]

  function putSite(host: string, site: Site | undefined): void {
    if (site === undefined) {
      known.put(SHOWN, host, undefined)
      // There is no wildcard over it either.
      for (const name of [host, wildcardOver(host)]) {
        sites.delete(name)
        known.put('site', name, undefined)
      }
    } else if (site.wildcard === undefined) {
      if (sites.isNew(host, pointerOf(site))) known.put('site', host, site)
    } else {
      const { wildcard: by } = site
      const shown = { ...site, host: by }
      if (sites.isNew(by, pointerOf(shown))) known.put('site', by, shown)
      sites.delete(host)
      known.put('site', host, undefined)
      known.put(SHOWN, host, { by } satisfies ShownByWildcard)
    }
  }

  function getSite(host: string): Site | undefined {
    const own = known.get('site', host) as Site | undefined
    if (own !== undefined) return own
    const by = (known.get(SHOWN, host) as ShownByWildcard | undefined)?.by
    const site = by === undefined ? undefined : (known.get('site', by) as Site | undefined)
    return site && { ...site, host }
  }

  /** Between a name and its zone, or above it where it is in none, there is no zone any more. */
  function putZone(name: string, zone: Zone | undefined): void {
    for (const other of heldNames(name)) {
      if (other === zone?.name) break
      if (zones.delete(other) || other === name) known.put('zone', other, undefined)
    }
    // A serial grows with every change.
    if (zone && zones.isNew(zone.name, String(zone.serial))) known.put('zone', zone.name, zone)
  }

  function getZone(name: string): Zone | undefined {
    for (const candidate of heldNames(name).slice(-MOST_LABELS)) {
      const zone = known.get('zone', candidate) as Zone | undefined
      if (zone?.name === candidate) return zone
    }
    return undefined
  }

  return {
    put(kind, key, value) {
      if (kind === 'site') putSite(key, value as Site | undefined)
      else if (kind === 'zone') putZone(key, value as Zone | undefined)
      else known.put(kind, key, value)
    },
    get(kind, key) {
      if (kind === 'site') return getSite(key)
      return kind === 'zone' ? getZone(key) : known.get(kind, key)
    },
    close() {
      for (const end of ends) end?.()
      known.close()
    },
  }
}

/** Deployments never change: of a site it is enough to compare what points to one. */
function pointerOf({ files, functions, routes, ...pointer }: Site): string {
  return JSON.stringify([pointer, files.size, functions.size, routes?.length])
}

const MAX_NAMES = 10_000
/** What is asked for is written again now and then: what was not written for long makes room for others. */
const AGAIN_MS = HOUR

/** What was written by this process. To write all of it each time that it is looked up would cost more than to compare it. */
class WrittenValues {
  readonly #clock: Clock
  readonly #texts = new Map<string, { readonly text: string; readonly until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isNew(key: string, text: string): boolean {
    const now = this.#clock.monotonic()
    const before = this.#texts.get(key)
    if (before?.text === text && now < before.until) return false
    if (this.#texts.size >= MAX_NAMES) this.#texts.clear()
    this.#texts.set(key, { text, until: now + AGAIN_MS })
    return true
  }

  /** One that was changed may be what it was here, and not what was written last; `*.a.test` is all that is within. */
  forget(key: string): void {
    if (!key.startsWith('*')) this.#texts.delete(key)
    else for (const known of this.#texts.keys()) if (known.endsWith(key.slice(1))) this.#texts.delete(known)
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    return this.#texts.delete(key)
  }
}

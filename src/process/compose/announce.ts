import { ZONES_TOPIC } from '#core/dns/zone.ts'
import type { Bus } from '#core/ports/bus.ts'
import { SITES_TOPIC } from '#core/site/site.ts'

const announceOn = (topic: string) => (bus: Bus) => (names: readonly string[]) => {
  for (const name of names) bus.publish(topic, name)
}

/** Tells every process that these hosts show something else now. */
export const announceHosts = announceOn(SITES_TOPIC)

/** Tells every process that these zones came, changed or went. */
export const announceZones = announceOn(ZONES_TOPIC)

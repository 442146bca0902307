import type { Zone, ZoneRecord, ZoneSource } from '#core/dns/zone.ts'
import type { Addresses, Resolver } from '#core/ports/resolver.ts'
import { ResolverFailure } from '#core/ports/resolver.ts'

/** Zones that a test sets, with the names that were looked up. */
export interface ZoneWorld extends ZoneSource {
  readonly asked: string[]
  set(zone: Zone): void
  remove(name: string): void
  /** Look-ups fail until it is false again. */
  isDown: boolean
}

export function createZones(...zones: readonly Zone[]): ZoneWorld {
  const byName = new Map(zones.map((zone) => [zone.name, zone]))
  const asked: string[] = []
  return {
    asked,
    isDown: false,
    set: (zone) => void byName.set(zone.name, zone),
    remove: (name) => void byName.delete(name),
    async find(name) {
      asked.push(name)
      if (this.isDown) throw new Error('the database is down')
      const labels = name.split('.')
      for (let i = 0; i < labels.length; i++) {
        const zone = byName.get(labels.slice(i).join('.'))
        if (zone) return zone
      }
      return undefined
    },
  }
}

export const zoneOf = (
  name: string,
  records: readonly (readonly [name: string, type: ZoneRecord['type'], value: string, ttl?: number])[],
  serial = 1,
): Zone => ({
  name,
  serial,
  nameservers: [`ns1.${name}`, `ns2.${name}`],
  records: records.map(([label, type, value, ttl = 60]) => ({
    name: label === '' ? name : `${label}.${name}`,
    type,
    value,
    ttl,
  })),
})

/** A world in which only these names have addresses; a name that fails is one that no server answers for. */
export function createResolver(
  names: Record<string, Addresses | 'fails'> = {},
): Resolver & { asked: string[] } {
  const asked: string[] = []
  const look = async (name: string, isIn: (address: string) => boolean): Promise<Addresses> => {
    asked.push(name)
    const known = names[name]
    if (known === 'fails') throw new ResolverFailure(`no server answers for ${name}`)
    return { ttl: known?.ttl ?? 60, addresses: known?.addresses.filter(isIn) ?? [] }
  }
  const none = async () => []
  return {
    asked,
    a: (name) => look(name, (address) => !address.includes(':')),
    aaaa: (name) => look(name, (address) => address.includes(':')),
    txt: none,
    ns: none,
    cname: none,
    caa: none,
  }
}

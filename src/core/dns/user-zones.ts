import { type Challenge, DNS_CHALLENGE } from '../certificate/challenge.ts'
import { type DnsRecord, RECORD_TTL } from '../dns-record/dns-record.ts'
import { fullName } from '../dns-record/record-slug.ts'
import { isShadowed, type SystemTargets, systemRecords } from '../dns-record/system-records.ts'
import type { Domain } from '../domain/domain.ts'
import { parentOf } from '../domain/domain-name.ts'
import type { Zone, ZoneRecord } from './zone.ts'

export interface UserZone {
  readonly domain: Pick<Domain, 'id' | 'name' | 'createdAt'>
  /** The records that users have made. */
  readonly records: readonly Pick<DnsRecord, 'name' | 'type' | 'value'>[]
  /** Those of kind dns-01; some may belong to other zones. */
  readonly challenges: readonly Pick<Challenge, 'host' | 'value'>[]
  /** How often the records of the zone, and the challenges of all zones, were changed. */
  readonly changes: number
}

/** Proofs are asked for once, by an authority that should not remember what was there before. */
const CHALLENGE_TTL = 1

const isIn = (host: string, zone: string): boolean => host === zone || host.endsWith(`.${zone}`)

/**
 * Only ever grows: the count does with every change, and a domain that is deleted and added again is younger.
 * Seconds since the epoch are below what 32 bits hold for decades, and secondaries compare in a circle.
 */
const serialOf = ({ domain, changes }: UserZone): number =>
  (Math.floor(domain.createdAt / 1000) + changes) % 2 ** 32

/** Everything that a user's domain answers with. */
export function assembleZone(
  zone: UserZone,
  { nameservers, ...targets }: SystemTargets & { readonly nameservers: readonly string[] },
): Zone {
  const { domain, records, challenges } = zone
  const system = systemRecords(domain, targets).filter((record) => !isShadowed(record, records))
  const proofs: readonly ZoneRecord[] = challenges
    .filter(({ host }) => isIn(host, domain.name))
    .map(({ host, value }) => ({
      name: `${DNS_CHALLENGE}${host}`,
      type: 'TXT',
      value,
      ttl: CHALLENGE_TTL,
    }))
  const proven = new Set(proofs.map(({ name }) => name))
  const all = [...records, ...system].map(({ name, type, value }): ZoneRecord => {
    // The zone's own name has other records by nature, so an alias for it is followed by us.
    const followed = type === 'CNAME' && name === '' ? 'ALIAS' : type
    return { name: fullName(name, domain.name), type: followed, value, ttl: RECORD_TTL }
  })
  // An alias leads elsewhere with all that is at its name; for this moment the proof has to be found here.
  const shown = all.filter(({ name, type }) => !(type === 'CNAME' && proven.has(name)))
  const kept = keptByWildcards(
    proofs.map(({ name }) => name),
    all,
    domain.name,
  )
  return { name: domain.name, serial: serialOf(zone), nameservers, records: [...shown, ...kept, ...proofs] }
}

/**
 * A wildcard does not answer for a name that has something below it, so that a proof would take the site from its host
 * for as long as it is there: those names get what the wildcard said, each by itself.
 */
function keptByWildcards(
  proofs: readonly string[],
  records: readonly ZoneRecord[],
  zone: string,
): readonly ZoneRecord[] {
  const kept = new Map<string, readonly ZoneRecord[]>()
  for (const proof of proofs) {
    const fresh: string[] = []
    let above = parentOf(proof)
    for (; above !== zone && !records.some(({ name }) => isIn(name, above)); above = parentOf(above))
      fresh.push(above)
    const wildcard = records.filter(({ name }) => name === `*.${above}`)
    for (const name of fresh.flatMap((each) => [each, `*.${each}`]))
      kept.set(
        name,
        wildcard.map((record) => ({ ...record, name })),
      )
  }
  return [...kept.values()].flat()
}

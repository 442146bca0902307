import { isIPv4 } from 'node:net'
import type { ChallengeStore } from '#core/certificate/challenge.ts'
import type { Zone, ZoneRecord, ZoneSource } from '#core/dns/zone.ts'
import { RECORD_TTL } from '#core/dns-record/dns-record.ts'
import type { Clock } from '#core/ports/clock.ts'
import { isWithin } from './name.ts'

export interface PlatformZoneOptions {
  /** Deployments are under it. */
  readonly domain: string
  readonly nameservers: readonly string[]
  readonly addresses: readonly string[]
  readonly challenges: Pick<ChallengeStore, 'find'>
  readonly clock: Clock
  /** The zones of users. */
  readonly users: ZoneSource
}

const CHALLENGE = '_acme-challenge.'
/** Seconds: a challenge is asked for a moment after it was set, and never again. */
const CHALLENGE_TTL = 1

/** The zone of the installation's own domain before those of its users. A domain of one machine, `localhost`, has none. */
export function createPlatformZone(options: PlatformZoneOptions): ZoneSource {
  const { domain, nameservers, addresses, challenges, clock, users } = options
  const names = [domain, `*.${domain}`, `alias.${domain}`, ...nameservers.filter((n) => isWithin(n, domain))]
  const zone: Zone = {
    name: domain,
    serial: 1,
    nameservers,
    records: [...new Set(names)].flatMap((name) => addresses.map((address) => addressRecord(name, address))),
  }

  /** A zone of its own, so that the name above it stays a name that the wildcard answers for. */
  async function challengeZone(name: string): Promise<Zone | undefined> {
    const at = name.lastIndexOf(CHALLENGE)
    if (at === -1 || (at > 0 && name[at - 1] !== '.')) return undefined
    const own = name.slice(at)
    const found = await challenges.find('dns-01', own.slice(CHALLENGE.length), clock.now())
    if (found.length === 0) return undefined
    return {
      name: own,
      serial: Math.floor(Math.max(...found.map(({ expiresAt }) => expiresAt)) / 1000),
      nameservers,
      records: found.map(({ value }) => ({ name: own, type: 'TXT', value, ttl: CHALLENGE_TTL })),
    }
  }

  return {
    async find(name) {
      if (isWithin(domain, 'localhost') || !isWithin(name, domain)) return users.find(name)
      return (await challengeZone(name)) ?? zone
    },
  }
}

const addressRecord = (name: string, address: string): ZoneRecord => ({
  name,
  type: isIPv4(address) ? 'A' : 'AAAA',
  value: address,
  ttl: RECORD_TTL,
})

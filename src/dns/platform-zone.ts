import { isIPv4 } from 'node:net'
import { type ChallengeStore, DNS_CHALLENGE } from '#core/certificate/challenge.ts'
import type { Zone, ZoneRecord, ZoneSource } from '#core/dns/zone.ts'
import { RECORD_TTL } from '#core/dns-record/dns-record.ts'
import type { Clock } from '#core/ports/clock.ts'
import { isWithin } from './name.ts'

export interface PublicAddress {
  readonly address: string
  /** The region of the machine that has it; absent where there is only one place. */
  readonly origin?: string
}

interface PlatformZoneOptions {
  /** Deployments are under it. */
  readonly domain: string
  readonly nameservers: readonly string[]
  /** Where visitors are led. */
  readonly addresses: () => readonly PublicAddress[]
  readonly challenges: Pick<ChallengeStore, 'find'>
  readonly clock: Clock
  /** The zones of users. */
  readonly users: ZoneSource
}

/** Seconds, where machines come and go: who asks again learns soon that one is gone. */
const MACHINE_TTL = 5

/** Seconds: a challenge is asked for a moment after it was set, and never again. */
const CHALLENGE_TTL = 1

/** The zone of the installation's own domain before those of its users. A domain of one machine, `localhost`, has none. */
export function createPlatformZone(options: PlatformZoneOptions): ZoneSource {
  const { domain, nameservers, addresses, challenges, clock, users } = options
  const servers = nameservers.filter((n) => isWithin(n, domain))
  const names = [domain, `*.${domain}`, `alias.${domain}`].filter((name) => !servers.includes(name))

  /** Whoever asks, the servers of the zone are all of them. */
  function recordsOf(all: readonly PublicAddress[]): ZoneRecord[] {
    const origins = new Set(all.flatMap(({ origin }) => origin ?? []))
    return [
      ...names.flatMap((name) => all.map((one) => addressRecord(name, one))),
      ...[...new Set(servers)].flatMap((name) => all.map(({ address }) => addressRecord(name, { address }))),
      ...[...origins].flatMap((origin) =>
        all
          .filter((one) => one.origin === origin)
          .map(({ address }) => ({
            ...addressRecord(`api-${origin}.${domain}`, { address }),
            ttl: MACHINE_TTL,
          })),
      ),
    ]
  }

  /** A zone of its own, so that the name above it stays a name that the wildcard answers for. */
  async function challengeZone(name: string): Promise<Zone | undefined> {
    const at = name.lastIndexOf(DNS_CHALLENGE)
    if (at === -1 || (at > 0 && name[at - 1] !== '.')) return undefined
    const own = name.slice(at)
    const found = await challenges.find('dns-01', own.slice(DNS_CHALLENGE.length), clock.now())
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
      return (
        (await challengeZone(name)) ?? {
          name: domain,
          serial: 1,
          nameservers,
          records: recordsOf(addresses()),
        }
      )
    },
  }
}

const addressRecord = (name: string, { address, origin }: PublicAddress): ZoneRecord => ({
  name,
  type: isIPv4(address) ? 'A' : 'AAAA',
  value: address,
  ttl: origin === undefined ? RECORD_TTL : MACHINE_TTL,
  ...(origin !== undefined && { origin }),
})

import type { CaaRecord } from 'node:dns'
import { Resolver as DnsResolver } from 'node:dns/promises'
import type { Allows } from '#core/outbound/allowed-addresses.ts'
import { isPublicAddress } from '#core/outbound/public-address.ts'
import { type Addresses, type Resolver, ResolverFailure } from '#core/ports/resolver.ts'
import { LATE, withinTime } from '#core/within-time.ts'
import { readDelegation } from './delegation.ts'
import { isNothing } from './is-nothing.ts'

interface ResolverParts {
  /** `ip:port` each; the system's when undefined. */
  readonly servers: readonly string[] | undefined
  /** Milliseconds for one attempt with one server. */
  readonly tryMs?: number
  /** Milliseconds after which nobody waits any longer, however many servers there are. */
  readonly wholeMs?: number
  /** Where the servers of zones listen. */
  readonly port?: number
  /** Which of them may be asked: their addresses are whatever the owner of a zone says. */
  readonly allows?: Allows
}

const TRIES = 2
/** How many servers of the zone above are asked where a name is delegated to. */
const ABOVE = 2

/** What a server says that could not get an answer from those of the zone. */
const UNANSWERED: readonly unknown[] = ['ESERVFAIL', 'EREFUSED']

/** For how long others may believe that a name has no address. */
const NONE_TTL = 60

const hostName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const caaText = ({ critical, ...rest }: CaaRecord): string => {
  const [tag = '', value = ''] = Object.entries(rest).find(([key]) => key !== 'type') ?? []
  return `${critical} ${tag} "${value}"`
}

const addressesOf = (
  records: readonly { readonly address: string; readonly ttl: number }[] | undefined,
): Addresses =>
  records === undefined || records.length === 0
    ? { addresses: [], ttl: NONE_TTL }
    : {
        addresses: records.map(({ address }) => address),
        ttl: Math.min(...records.map(({ ttl }) => ttl)),
      }

/** Asks recursive DNS servers. */
export function createDnsResolver({
  servers,
  tryMs = 2000,
  wholeMs = 6000,
  port = 53,
  allows = isPublicAddress,
}: ResolverParts): Resolver {
  const dns = new DnsResolver({ timeout: tryMs, tries: TRIES })
  if (servers) dns.setServers(servers)

  /** Undefined when there is nothing of the kind. */
  async function ask<T>(name: string, query: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await withinTime(query(), wholeMs)
      if (answer === LATE) throw new Error('no answer in time')
      return answer
    } catch (error) {
      if (isNothing(error)) return undefined
      throw new ResolverFailure(`DNS did not answer for ${name}: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }

  const cname = async (name: string): Promise<readonly string[]> =>
    ((await ask(name, () => dns.resolveCname(name))) ?? []).map(hostName)

  const nameservers = async (name: string): Promise<readonly string[]> =>
    (await ask(name, () => dns.resolveNs(name))) ?? []

  /** A name whose own servers do not answer for it, as ours do not until it is verified: those above know of it. */
  async function delegation(name: string, failure: ResolverFailure): Promise<readonly string[]> {
    if (!UNANSWERED.includes((failure.cause as NodeJS.ErrnoException | undefined)?.code)) throw failure
    const found = await ask(name, async () => {
      const above = await serversAbove(name)
      const addresses = await Promise.all(above.slice(0, ABOVE).map((server) => dns.resolve4(server)))
      const allowed = addresses.flat().filter((address) => allows(address, port))
      return readDelegation(name, allowed.slice(0, ABOVE), { port, timeoutMs: tryMs })
    }).catch(() => undefined)
    if (found === undefined) throw failure
    return found
  }

  /** None for a name that stands for another, because the servers would be those of the other. */
  async function zoneServers(name: string): Promise<readonly string[]> {
    const [elsewhere, servers] = await Promise.all([cname(name), nameservers(name)])
    return elsewhere.length > 0 ? [] : servers
  }

  async function serversAbove(name: string): Promise<readonly string[]> {
    const labels = name.split('.')
    for (let i = 1; i < labels.length; i++) {
      const servers = await zoneServers(labels.slice(i).join('.'))
      if (servers.length > 0) return servers
    }
    return []
  }

  return {
    cname,
    txt: async (name) =>
      ((await ask(name, () => dns.resolveTxt(name))) ?? []).map((strings) => strings.join('')),
    ns: async (name) =>
      (await zoneServers(name).catch((failure: ResolverFailure) => delegation(name, failure))).map(hostName),
    a: async (name) => addressesOf(await ask(name, () => dns.resolve4(name, { ttl: true }))),
    aaaa: async (name) => addressesOf(await ask(name, () => dns.resolve6(name, { ttl: true }))),
    caa: async (name) => ((await ask(name, () => dns.resolveCaa(name))) ?? []).map(caaText),
  }
}

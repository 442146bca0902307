import { isIPv4 } from 'node:net'
import type { Destination, Destinations } from './destinations.ts'

/** Where programs and builds find the sites of this very installation, whatever the ports outside. */
export interface OwnSites {
  /** What the names of the platform end with. */
  readonly domain: string
  /** Where the serving processes of this machine listen. */
  readonly address: string
  /** By the port that a program asks for: the usual ones, and those by which visitors come in. */
  readonly ports: Readonly<Record<number, number>>
}

interface Listening {
  readonly domain: string
  readonly host: string
  readonly port: number
  readonly tlsPort: number
}

/** That of all sites inside every network of runs: one of the platform's `SERVICES`. */
export const SITES = '198.19.255.2'
/**
 * Whom the serving processes see in the place of a run: an address that is this machine's and nobody else's, so that
 * whoever trusts 127.0.0.1 does not trust the code of others.
 */
export const CALLER = '127.0.0.2'

const REACHED_AT: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '127.0.0.1',
  localhost: '127.0.0.1',
}

export function ownSites({ domain, host, port, tlsPort }: Listening): OwnSites {
  const usual = { ...(port > 0 && { 80: port }), ...(tlsPort > 0 && { 443: tlsPort }) }
  const ports: Record<number, number> = { ...usual }
  for (const own of Object.values(usual)) ports[own] ??= own
  return { domain, address: REACHED_AT[host] ?? host, ports }
}

/**
 * Leads names that are served here to the serving processes of this machine, as any visitor is led there: everything
 * else about them stays as it is.
 */
export function withOwnSites(
  destinations: Destinations,
  { domain, address, ports }: OwnSites,
  isServed: (name: string) => Promise<boolean>,
): Destinations {
  const target = (port: number): Destination | undefined => {
    const own = ports[port]
    if (own === undefined) return undefined
    return { host: address, port: own, ...(isIPv4(address) && { localAddress: CALLER }) }
  }
  return {
    ...destinations,
    servicePorts: Object.keys(ports).map(Number),
    addressesOf(name) {
      // `localhost` itself is every machine's own; all names under it can only be ours.
      if (domain === 'localhost' && name.endsWith('.localhost')) return [SITES]
      const others = destinations.addressesOf(name)
      return others ?? isServed(name).then((served) => (served ? [SITES] : undefined))
    },
    connectTo: (to, port) => (to === SITES ? target(port) : destinations.connectTo(to, port)),
  }
}

import { isIPv4 } from 'node:net'
import { allowedAddresses, namedAlone } from './allowed-addresses.ts'
import { normalRange } from './ipv4-range.ts'
import { addressesOfMachine } from './own-addresses.ts'

/** What the platform itself connects to on behalf of a run. */
export type Destination =
  | { readonly host: string; readonly port: number; readonly localAddress?: string }
  /** A unix socket of this machine. */
  | { readonly path: string }

/** The addresses that stand for services of the platform inside every network of runs; they exist nowhere else. */
export const SERVICES = '198.19.255.0/24'
/** Of those: where names are asked, and the way out. */
export const GATEWAY = '198.19.255.1'

/**
 * The one place that decides what the programs and builds of users reach over the network.
 *
 * - `addressesOf` is asked before the resolvers of the machine. A name of this installation is answered with addresses
 *   of `SERVICES`, which every network of runs leads to the platform.
 * - `connectTo` is asked for every connection, with the address that it is really made to, so a name that resolves to
 *   something else a moment later gains nothing. Undefined refuses.
 */
export interface Destinations {
  /** IPv4 addresses; undefined where the resolvers know. The name is in lower case, without a dot at its end. */
  addressesOf(name: string): readonly string[] | undefined | Promise<readonly string[] | undefined>
  connectTo(address: string, port: number): Destination | undefined
  /** What is reached besides the public internet, as ranges of IPv4: a firewall of the kernel's asks nobody. */
  readonly privateTargets: readonly string[]
  /** Those of them that are this machine's own address and were named as such. */
  readonly ownTargets: readonly string[]
  /** The ports at which what is named by `SERVICES` answers; where they are left out, the usual ones. */
  readonly servicePorts?: readonly number[]
}

interface DestinationOptions {
  /** Ranges outside the public internet that the operator allows. */
  readonly privateTargets?: readonly string[]
  /** The addresses of this machine. */
  readonly ownAddresses?: () => readonly string[]
  readonly now?: () => number
}

/**
 * Public addresses, and the ranges that the operator named. This machine's own addresses are refused even within
 * those, as much of what listens there expects nobody but the machine; the operator may name such an address alone.
 */
export function createDestinations({
  privateTargets = [],
  ownAddresses = () => addressesOfMachine(),
  now = () => performance.now(),
}: DestinationOptions = {}): Destinations {
  const allows = allowedAddresses(privateTargets, { ownAddresses, now, ownNamedAlone: true })
  const named = namedAlone(privateTargets)
  return {
    privateTargets: privateTargets.flatMap((range) => normalRange(range) ?? []),
    ownTargets: ownAddresses().filter((address) => isIPv4(address) && named.has(address)),
    addressesOf: () => undefined,
    connectTo(address, port) {
      return allows(address) ? { host: address, port } : undefined
    },
  }
}

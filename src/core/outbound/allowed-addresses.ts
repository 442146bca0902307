import { BlockList, isIP, isIPv4 } from 'node:net'
import { createIsOwn, type OwnAddressOptions } from './own-addresses.ts'
import { isPublicAddress } from './public-address.ts'

/** Whether requests on behalf of users may go to an address, at a port where that is known. */
export type Allows = (address: string, port?: number) => boolean

interface AllowedOptions extends OwnAddressOptions {
  /** Where this installation itself serves the public: its own sites may be asked there like any others. */
  readonly servedPorts?: readonly number[]
  /** Whether an address of this machine has to be named alone: a range that it lies in does not open it. */
  readonly ownNamedAlone?: boolean
}

/** A range with one address in it, which names that address. */
const single = (range: string): string | undefined =>
  range.includes('/') ? /^(.*)\/(?:32|128)$/.exec(range)?.[1] : range

export const namedAlone = (ranges: readonly string[]): ReadonlySet<string> =>
  new Set(ranges.flatMap((range) => single(range) ?? []))

/**
 * The one list for all that goes out: addresses of the public internet, and those in the ranges that the operator named
 * besides. This machine's own addresses are refused unless they are among these, since much of what listens there expects
 * nobody but the machine.
 */
export function allowedAddresses(ranges: readonly string[], options: AllowedOptions = {}): Allows {
  const isOwn = createIsOwn(options)
  const { servedPorts = [], ownNamedAlone = false } = options
  const alone = namedAlone(ranges)
  const named = new BlockList()
  for (const range of ranges) {
    const [network = '', bits = isIPv4(network) ? '32' : '128'] = range.split('/')
    named.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6')
  }
  return (address, port) => {
    const plain = address.replace(/%.*$/, '')
    if (isIP(plain) === 0) return false
    const isNamed = named.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
    if (alone.has(plain) || (isNamed && !ownNamedAlone)) return true
    const isPublic = isPublicAddress(plain)
    if (isOwn(plain)) return isPublic && port !== undefined && servedPorts.includes(port)
    return isPublic || isNamed
  }
}

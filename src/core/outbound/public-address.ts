import { BlockList, isIP, isIPv4 } from 'node:net'

/** The ranges for documentation are not among them: some networks number their package registries from those. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The metadata service of one cloud has a public address.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ['::', 96],
  // Forms that carry an IPv4 address, to which a gateway may lead: nobody who means well needs them here.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
  ['100::', 64],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

/** The same, as a firewall reads them. */
export const PRIVATE_RANGES: readonly string[] = PRIVATE_V4.map(([network, prefix]) => `${network}/${prefix}`)

const privateAddresses = new BlockList()
for (const [network, prefix] of PRIVATE_V4) privateAddresses.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of PRIVATE_V6) privateAddresses.addSubnet(network, prefix, 'ipv6')

/** Whether an address is one of the public internet, and not of this machine or a network around it. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '')
  if (isIP(plain) === 0) return false
  // The list looks through IPv4 in IPv6 form by itself.
  return !privateAddresses.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
}

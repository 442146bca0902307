import { BlockList, isIP, isIPv4 } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Addresses of the public internet, and those in the ranges that the operator named besides. */
export function allowedAddresses(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return isPublicAddress
  const named = new BlockList()
  for (const range of ranges) {
    const [network = '', bits = isIPv4(network) ? '32' : '128'] = range.split('/')
    named.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    const plain = address.replace(/%.*$/, '')
    if (isIP(plain) === 0) return false
    return isPublicAddress(plain) || named.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
  }
}

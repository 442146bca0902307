import { BlockList, isIPv4 } from 'node:net'
import type { SiteProtection } from '#core/site/site.ts'

type TrustedIps = NonNullable<SiteProtection['trustedIps']>

/** Made once for a site, which is immutable. */
const lists = new WeakMap<TrustedIps, BlockList>()

function listOf(trusted: TrustedIps): BlockList {
  let list = lists.get(trusted)
  if (list === undefined) {
    list = new BlockList()
    for (const text of trusted.addresses) {
      const [address = '', bits] = text.split('/')
      if (isIPv4(address)) list.addSubnet(address, bits === undefined ? 32 : Number(bits))
    }
    lists.set(trusted, list)
  }
  return list
}

/** Whether this is one of the addresses, or in one of the ranges. Those of IPv6 never are. */
export const isTrusted = (trusted: TrustedIps, ip: string): boolean => isIPv4(ip) && listOf(trusted).check(ip)

import { isIPv4 } from 'node:net'
import { PRIVATE_RANGES } from '#core/outbound/public-address.ts'

/** Where the sandboxes' own addresses come from: set aside for tests of networks, so nobody's real neighbours. */
const GUESTS = '198.18.0.0/15'

/** The resolvers of a resolv.conf that a sandbox could be let through to. */
export function resolversOf(resolvConf: string): readonly string[] {
  const addresses = [...resolvConf.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((line) => line[1] ?? '')
  return addresses.filter((address) => isIPv4(address) && !/^(?:127|0)\./.test(address))
}

interface RuleFacts {
  readonly table: string
  /** What the names of the sandboxes' interfaces begin with. */
  readonly interfaces: string
  /** Ranges outside the public internet that the operator allows. */
  readonly privateTargets: readonly string[]
  /** This machine's own addresses that the operator named one by one. */
  readonly ownTargets: readonly string[]
  /** Interfaces that forward only since we asked them to. */
  readonly opened: readonly string[]
  /** The machine's own interfaces. */
  readonly own: readonly string[]
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/** One table for both directions and both families; a rule set that is loaded whole or not at all. */
export function networkRules({
  table,
  interfaces,
  privateTargets,
  ownTargets,
  opened,
  own,
}: RuleFacts): string {
  const ours = `iifname "${interfaces}*"`
  const toOurs = `oifname "${interfaces}*"`
  const allow = (addresses: readonly string[]) =>
    addresses.map((range) => `${ours} ip daddr ${range} accept`).join('\n    ')
  // Told at once and not left waiting; a reset is not subject to the limits on ICMP.
  const refuse = (what: string) => `${ours} ${what} meta l4proto tcp reject with tcp reset
    ${ours} ${what} reject with icmpx type admin-prohibited`
  // Forwarding was off before: what came in for others was refused, and stays so.
  const guard =
    opened.length > 0 && own.length > 0 ? `iifname { ${quoted(opened)} } oifname { ${quoted(own)} } drop` : ''
  return `table inet ${table} {
  chain input {
    type filter hook input priority -10; policy accept;
    ${allow(ownTargets)}
    ${refuse('')}
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    ${refuse('meta nfproto ipv6')}
    ${refuse(`ip daddr ${GUESTS}`)}
    ${allow(privateTargets)}
    ${refuse(`ip daddr { ${PRIVATE_RANGES.join(', ')} }`)}
    ${ours} accept
    ${toOurs} ct state established,related accept
    ${toOurs} drop
    ${guard}
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    ip saddr ${GUESTS} oifname != "${interfaces}*" masquerade
  }
}
`
}

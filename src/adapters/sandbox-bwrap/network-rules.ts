import { isIPv4 } from 'node:net'

/** Where the sandboxes' own addresses come from: set aside for tests of networks, so nobody's real neighbours. */
export const GUESTS = '198.18.0.0/15'

/**
 * What no build has business with. The ranges for documentation are not among it: some networks number their
 * package registries from them.
 */
export const PRIVATE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The metadata service of one cloud has a public address.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  GUESTS,
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** The resolvers of a resolv.conf that a sandbox could be let through to. */
export function resolversOf(resolvConf: string): readonly string[] {
  const addresses = [...resolvConf.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((line) => line[1] ?? '')
  return addresses.filter((address) => isIPv4(address) && !/^(?:127|0)\./.test(address))
}

export interface RuleFacts {
  readonly table: string
  /** What the names of the sandboxes' interfaces begin with. */
  readonly interfaces: string
  readonly resolvers: readonly string[]
  /** Interfaces that forward only since we asked them to. */
  readonly opened: readonly string[]
  /** The machine's own interfaces. */
  readonly own: readonly string[]
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/** One table for both directions and both families; a rule set that is loaded whole or not at all. */
export function networkRules({ table, interfaces, resolvers, opened, own }: RuleFacts): string {
  const ours = `iifname "${interfaces}*"`
  const toOurs = `oifname "${interfaces}*"`
  const dns = `${ours} ip daddr { ${resolvers.join(', ')} } meta l4proto { tcp, udp } th dport 53 accept`
  // Told at once and not left waiting; a reset is not subject to the limits on ICMP.
  const refuse = (what: string) => `${ours} ${what} meta l4proto tcp reject with tcp reset
    ${ours} ${what} reject with icmpx type admin-prohibited`
  // Forwarding was off before: what came in for others was refused, and stays so.
  const guard =
    opened.length > 0 && own.length > 0 ? `iifname { ${quoted(opened)} } oifname { ${quoted(own)} } drop` : ''
  return `table inet ${table} {
  chain input {
    type filter hook input priority -10; policy accept;
    ${dns}
    ${refuse('')}
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    ${dns}
    ${refuse('meta nfproto ipv6')}
    ${refuse(`ip daddr { ${PRIVATE.join(', ')} }`)}
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

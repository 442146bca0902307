import { readFile } from 'node:fs/promises'
import { PRIVATE_RANGES } from '#core/outbound/public-address.ts'
import { resolversOf } from '../sandbox-bwrap/network-rules.ts'
import { runTool } from '../sandbox-bwrap/run-tool.ts'
import { findTools } from '../sandbox-bwrap/tools.ts'
import type { Engine } from './engine.ts'
import { LABEL } from './labels.ts'

export interface Network {
  readonly name: string
  /** Undefined, or why containers reach what they should not. */
  readonly open: string | undefined
  close(): Promise<void>
}

const NAME_OPTION = 'com.docker.network.bridge.name'

/**
 * The network of all containers of an installation. They reach public addresses and the machine's resolvers; neither
 * the machine itself, nor private networks, nor one another. The engine closes the last off where it can; the rest is
 * a table of our own, as even a network that the engine calls internal reaches what listens on all addresses.
 */
export async function openNetwork(
  engine: Engine,
  installation: string,
  privateTargets: readonly string[],
): Promise<Network> {
  const name = `aloft-${installation}`
  const bridge = `ald${installation.slice(0, 8)}`
  const table = `aloft_docker_${installation}`
  const known = await engine.network(name)
  if (known?.Options?.[NAME_OPTION] !== bridge) {
    await engine.removeNetwork(name)
    await engine.createNetwork({
      Name: name,
      Driver: 'bridge',
      CheckDuplicate: true,
      EnableIPv6: false,
      Labels: { [LABEL.installation]: installation },
      Options: { [NAME_OPTION]: bridge, 'com.docker.network.bridge.enable_icc': 'false' },
    })
  }
  const { nft } = await findTools()
  if (!nft) return { name, open: 'nft is not installed', close: async () => {} }
  if (process.getuid?.() !== 0)
    return { name, open: 'only root can fence a network off', close: async () => {} }
  try {
    const resolvers = resolversOf(await readFile('/etc/resolv.conf', 'utf8').catch(() => ''))
    // Of an earlier process; adding it first makes that its deletion cannot fail. All or nothing of it counts.
    const rules = `add table inet ${table}\ndelete table inet ${table}\n${fenceRules(table, bridge, { resolvers, privateTargets })}`
    await runTool(nft, ['-f', '-'], rules)
  } catch (error) {
    return { name, open: (error as Error).message, close: async () => {} }
  }
  return {
    name,
    open: undefined,
    async close() {
      // Containers of another process may still be in it, and need the fence.
      if (await engine.removeNetwork(name))
        await runTool(nft, ['delete', 'table', 'inet', table]).catch(() => {})
    },
  }
}

/** Looked at before the engine's own rules; what is refused here stays so. */
export function fenceRules(
  table: string,
  bridge: string,
  { resolvers, privateTargets }: Readonly<Record<'resolvers' | 'privateTargets', readonly string[]>>,
): string {
  const ours = `iifname "${bridge}"`
  const refuse = (what: string) => `${ours} ${what} meta l4proto tcp reject with tcp reset
    ${ours} ${what} reject with icmpx type admin-prohibited`
  const dns =
    resolvers.length === 0
      ? ''
      : `${ours} ip daddr { ${resolvers.join(', ')} } meta l4proto { tcp, udp } th dport 53 accept`
  return `table inet ${table} {
  chain input {
    type filter hook input priority -10; policy accept;
    ${ours} ct state established,related accept
    ${dns}
    ${refuse('')}
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    ${ours} ct state established,related accept
    ${dns}
    ${refuse('meta nfproto ipv6')}
    ${privateTargets.map((range) => `${ours} ip daddr ${range} accept`).join('\n    ')}
    ${refuse(`ip daddr { ${PRIVATE_RANGES.join(', ')} }`)}
    oifname "${bridge}" ct state established,related accept
    oifname "${bridge}" drop
  }
}
`
}

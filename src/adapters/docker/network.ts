import { readFile } from 'node:fs/promises'
import { PRIVATE_RANGES } from '#core/outbound/public-address.ts'
import { resolversOf } from '../sandbox-bwrap/network/network-rules.ts'
import { runTool } from '../sandbox-bwrap/run-tool.ts'
import { findTools } from '../sandbox-bwrap/tools.ts'
import type { Engine } from './engine/engine.ts'
import { LABEL } from './labels.ts'
import { type LaunchedRuntime, openServices, type ServiceOptions } from './platform-services.ts'

interface Network {
  readonly name: string
  /** Undefined, or why containers reach what they should not. */
  readonly open: string | undefined
  /** Whom containers ask for names; undefined where that is left to the engine. */
  readonly nameServer: string | undefined
  close(): Promise<void>
}

const NAME_OPTION = 'com.docker.network.bridge.name'

/**
 * The network of all containers of an installation. They reach public addresses and the machine's resolvers; neither
 * the machine itself, nor private networks, nor one another. The engine closes the last off where it can; the rest is
 * a table of our own, as even a network that the engine calls internal reaches what listens on all addresses. The same
 * table leads them to the sites of this installation, where there is somebody to answer for these.
 */
export async function openNetwork(
  engine: Engine,
  installation: string,
  privateTargets: readonly string[],
  serving?: ServiceOptions,
  /** Another bridge of this machine whose containers are fenced off alike. */
  also: readonly string[] = [],
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
  const unfenced = (open: string): Network => ({ name, open, nameServer: undefined, close: async () => {} })
  if (!nft) return unfenced('nft is not installed')
  if (process.getuid?.() !== 0) return unfenced('only root can fence a network off')
  const gateway = (await engine.network(name))?.IPAM?.Config?.[0]?.Gateway
  const services = serving && gateway ? await openServices(gateway, serving) : undefined
  try {
    const resolvers = resolversOf(await readFile('/etc/resolv.conf', 'utf8').catch(() => ''))
    // Of an earlier process; adding it first makes that its deletion cannot fail. All or nothing of it counts.
    const rules = `add table inet ${table}\ndelete table inet ${table}\n${fenceRules(table, [bridge, ...also], { resolvers, privateTargets, gateway, led: services?.led ?? [] })}`
    await runTool(nft, ['-f', '-'], rules)
  } catch (error) {
    services?.close()
    return unfenced((error as Error).message)
  }
  return {
    name,
    open: undefined,
    nameServer: services?.nameServer,
    async close() {
      services?.close()
      // Containers of another process may still be in it, and need the fence; on another bridge, those of other machines.
      if ((await engine.removeNetwork(name)) && also.length === 0)
        await runTool(nft, ['delete', 'table', 'inet', table]).catch(() => {})
    },
  }
}

interface FenceOptions {
  readonly resolvers: readonly string[]
  readonly privateTargets: readonly string[]
  /** The machine's own address in the network, and what is led to it. */
  readonly gateway?: string | undefined
  readonly led?: readonly LaunchedRuntime[]
}

/** Looked at before the engine's own rules; what is refused here stays so. */
function fenceRules(
  table: string,
  bridges: readonly string[],
  { resolvers, privateTargets, gateway = '', led = [] }: FenceOptions,
): string {
  const named = `{ ${bridges.map((name) => `"${name}"`).join(', ')} }`
  const ours = `iifname ${named}`
  const refuse = (what: string) => `${ours} ${what} meta l4proto tcp reject with tcp reset
    ${ours} ${what} reject with icmpx type admin-prohibited`
  const dns =
    resolvers.length === 0
      ? ''
      : `${ours} ip daddr { ${resolvers.join(', ')} } meta l4proto { tcp, udp } th dport 53 accept`
  const leads = led.map(
    ({ protocol, address, port, to }) =>
      `${ours} ip daddr ${address} ${protocol} dport ${port} dnat ip to ${gateway}:${to}`,
  )
  return `table inet ${table} {
  chain lead {
    type nat hook prerouting priority -110; policy accept;
    ${leads.join('\n    ')}
  }
  chain input {
    type filter hook input priority -10; policy accept;
    ${ours} ct state established,related accept
    ${led.length === 0 ? '' : `${ours} ct status dnat ip daddr ${gateway} accept`}
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
    oifname ${named} ct state established,related accept
    oifname ${named} drop
  }
}
`
}

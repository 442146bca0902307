import type { Destinations } from '#core/outbound/destinations.ts'
import type { Log } from '#core/ports/log.ts'
import type { NotTaken } from '#core/ports/sandbox.ts'
import { openGatewayPool } from '../../sandbox-network/gateway-pool.ts'
import { Gateways } from '../../sandbox-network/gateways.ts'
import type { Owner } from '../owner-name.ts'
import { absent, type ToolName, type Tools } from '../tools.ts'
import { type NetworkPool, openNetworkPool, removeStaleNetworks } from './network-pool.ts'

const FOR_GATEWAY: readonly ToolName[] = ['ip', 'nsenter', 'sh', 'unshare', 'mount', 'mkdir']

/** Packets that go out by themselves need none of it: it has names, and what is the platform's own. */
const FOR_FENCED = { ports: [] }

interface NetworksFound {
  /** Or why there is none. */
  readonly networks: NetworkPool | string
  readonly notTaken: readonly NotTaken[]
}

interface NetworksOptions {
  readonly owner: Owner
  readonly tools: Tools
  readonly destinations: Destinations
  readonly isRoot: boolean
  readonly log: Log
}

/**
 * The network of runs: with root and nftables packets go out by themselves, fenced off; else connections go out through
 * the platform. Names are asked of the platform either way.
 */
export async function openNetworks(options: NetworksOptions): Promise<NetworksFound> {
  const { tools, isRoot, destinations } = options
  const notTaken: NotTaken[] = []
  const pass = (what: NotTaken['what'], why: string, lacking: readonly string[] = []) => {
    notTaken.push({ what, why, lacking })
    return why
  }
  const lacking = absent(tools, FOR_GATEWAY)
  const { ip, nsenter, sh, unshare } = tools
  if (lacking.length > 0 || !ip || !nsenter || !sh || !unshare)
    return { networks: pass('gateway', `not installed: ${lacking.join(', ')}`, lacking), notTaken }
  const openGateways = (ports: { readonly ports?: readonly number[] } = {}) =>
    Gateways.open(
      { tools: { ip, nsenter, sh, unshare }, destinations, userns: !isRoot, ...ports },
      options.log,
    )
  const fences = isRoot && tools.nft !== undefined
  let gateways: Gateways
  try {
    gateways = await openGateways(fences ? FOR_FENCED : {})
  } catch (error) {
    return { networks: pass('gateway', (error as Error).message), notTaken }
  }
  if (!isRoot) pass('fenced', 'only root can fence a network off')
  else if (!tools.nft) pass('fenced', 'not installed: nft', ['nft'])
  else
    try {
      await removeStaleNetworks(ip, tools.nft)
      return { networks: await openNetworkPool({ ...options, ip, nft: tools.nft, gateways }), notTaken }
    } catch (error) {
      pass('fenced', (error as Error).message)
      // A pool that could not be opened has closed them.
      gateways = await openGateways()
    }
  try {
    return { networks: await openGatewayPool(gateways, destinations.privateTargets), notTaken }
  } catch (error) {
    return { networks: pass('gateway', (error as Error).message), notTaken }
  }
}

import { randomBytes } from 'node:crypto'
import { addressNow, readEndpoint } from '#adapters/runner-process/peer/peer-address.ts'
import { connectToPeer, type Peer } from '#adapters/runner-process/peer/peer-connections.ts'
import type { PeerIdentity } from '#adapters/runner-process/peer/peer-gateway.ts'
import type { SwarmOptions } from '#adapters/swarm/open-swarm.ts'
import type { SwarmPeers } from '#adapters/swarm/places.ts'
import type { Config } from '../../../config/config.ts'
import { ensureSealed } from '../../tls/authority.ts'
import type { Parts } from '../parts.ts'
import { makeIdentity } from './cluster.ts'
import { createIsDraining } from './machine-watch.ts'

const SECRET = 'swarm-secret'

/** What a working process on a swarm has besides what it has on a single engine. */
export async function swarmParts(
  config: Config,
  parts: Parts,
  machine: string,
): Promise<Pick<SwarmOptions, 'machine' | 'secret' | 'imagePort' | 'peers'>> {
  const secret = await ensureSealed(parts, SECRET, async () => randomBytes(32).toString('hex'))
  const peers = config.clusterAddress === undefined ? undefined : await openSwarmPeers(parts, machine)
  return { machine, secret, imagePort: config.imagePort, peers }
}

/** The machines whose nodes can be used: those that answer, under an address that they told. */
async function openSwarmPeers(parts: Parts, own: string): Promise<SwarmPeers> {
  const { machines, log } = parts
  const identity: PeerIdentity = await makeIdentity(parts, own)
  const known = new Map<string, Peer & { readonly isDraining: boolean }>()

  async function meet(): Promise<void> {
    const others = machines
      .alive()
      .filter(({ role, name, address }) => role === 'work' && name !== own && address !== undefined)
    for (const name of known.keys()) if (!others.some((other) => other.name === name)) known.delete(name)
    await Promise.all(
      others.map(async ({ name, address = '', isDraining }) => {
        const { host: written, port } = readEndpoint(address)
        const host = await addressNow({ host: written, port }, known.get(name)?.host)
        if (host !== undefined) known.set(name, { name, host, port, isDraining })
      }),
    )
  }

  return {
    list: () => [...known.values()],
    connect(machine, offer) {
      const peer = known.get(machine)
      // Nothing listens on port 0: whoever asked hears that the machine is gone.
      return connectToPeer(peer ?? { name: machine, host: '127.0.0.1', port: 0 }, identity, { offer })
    },
    isDraining: createIsDraining(machines, own),
    onLook: (listener) =>
      machines.onLook(() => {
        meet().then(listener, (err: unknown) => log.debug({ err }, 'other machines could not be connected'))
      }),
  }
}

import { GATEWAY, SERVICES } from '#core/outbound/destinations.ts'
import { isWithin } from '#core/outbound/ipv4-range.ts'
import { PRIVATE_RANGES } from '#core/outbound/public-address.ts'
import type { Network, NetworkPool } from '../sandbox-bwrap/network/network-pool.ts'
import type { Gateway } from './gateway.ts'
import type { Gateways } from './gateways.ts'

const IDLE = 8
/** As on a loopback: nothing of it is ever on a wire. */
const MTU = 65_520
const LARGEST = 2 ** 16

const guestAddress = (n: number) => `198.18.${n >> 8}.${n & 255}`

/** Networks that have no way out but the gateway, so that nothing but the platform decides what they reach. */
class GatewayPool implements NetworkPool {
  readonly kind = 'gateway'
  readonly #gateways: Gateways
  readonly #leadsTo = new Map<Network, Gateway>()
  readonly #privateTargets: readonly string[]
  readonly #idle: Network[] = []
  #made = 0

  constructor(gateways: Gateways, privateTargets: readonly string[]) {
    this.#gateways = gateways
    this.#privateTargets = privateTargets
  }

  async take(): Promise<Network> {
    for (let network = this.#idle.pop(); network; network = this.#idle.pop()) {
      const gateway = this.#leadsTo.get(network)
      if (gateway && (await this.#gateways.isStillCurrent(gateway))) return network
      await this.#forget(network)
    }
    return this.#gateways.lead((gateway) => this.#make(gateway))
  }

  async release(network: Network): Promise<void> {
    const isCurrent = this.#isCurrent(network)
    if (isCurrent && this.#idle.length < IDLE) {
      this.#idle.push(network)
      return
    }
    // Those of a gateway that has ended went with it.
    if (isCurrent) await this.#leadsTo.get(network)?.ip(['netns', 'delete', network.name])
    await this.#forget(network)
  }

  reach(ports: readonly number[]): Promise<void> {
    return this.#gateways.reach(ports)
  }

  /** The networks go with the gateway. */
  close(): Promise<void> {
    return this.#gateways.close()
  }

  #isCurrent(network: Network): boolean {
    const gateway = this.#leadsTo.get(network)
    return gateway !== undefined && this.#gateways.isCurrent(gateway)
  }

  async #forget(network: Network): Promise<void> {
    const gateway = this.#leadsTo.get(network)
    this.#leadsTo.delete(network)
    if (gateway) await this.#gateways.forget(gateway)
  }

  async #make(gateway: Gateway): Promise<Network> {
    const number = this.#made++
    const name = `n${number}`
    const link = `v${number}`
    const guest = guestAddress(2 + (number % (LARGEST - 4)))
    await gateway.ip(['netns', 'add', name])
    try {
      await gateway.ip(
        ['-batch', '-'],
        `link add ${link} mtu ${MTU} type veth peer name eth0 mtu ${MTU} netns ${name}
link set ${link} addrgenmode none
link set ${link} up
route add ${guest}/32 dev ${link}
`,
      )
      await gateway.ip(['-n', name, '-batch', '-'], this.#routes(guest))
    } catch (error) {
      await gateway.ip(['netns', 'delete', name]).catch(() => {})
      throw error
    }
    const network = { name, enter: gateway.enter(`--net=${gateway.fileOf(name)}`) }
    this.#leadsTo.set(network, gateway)
    return network
  }

  /**
   * What is refused anyhow is refused by the kernel, at once and where the program asks; the platform decides all the
   * same. Those who run inside cannot change it: the network belongs to the gateway's user namespace.
   */
  #routes(guest: string): string {
    const allowed = this.#privateTargets
    const refused = PRIVATE_RANGES.filter((range) => !allowed.some((each) => isWithin(range, each)))
    return [
      'link set lo up',
      'link set eth0 addrgenmode none',
      'link set eth0 up',
      `addr add ${guest}/32 dev eth0`,
      `route add ${GATEWAY}/32 dev eth0`,
      ...refused.map((range) => `route add unreachable ${range}`),
      ...[...allowed, SERVICES, '0.0.0.0/0'].map((range) => `route replace ${range} via ${GATEWAY} dev eth0`),
      '',
    ].join('\n')
  }
}

/** Makes a first network, so that a machine that cannot is found out here. */
export async function openGatewayPool(
  gateways: Gateways,
  privateTargets: readonly string[],
): Promise<NetworkPool> {
  const pool = new GatewayPool(gateways, privateTargets)
  try {
    await pool.release(await pool.take())
    return pool
  } catch (error) {
    await pool.close()
    throw error
  }
}

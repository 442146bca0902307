import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { type Destinations, GATEWAY as PLATFORM, SERVICES } from '#core/outbound/destinations.ts'
import type { Log } from '#core/ports/log.ts'
import type { Gateway } from '../../sandbox-network/gateway.ts'
import type { Gateways } from '../../sandbox-network/gateways.ts'
import { isStale, type Owner, ownerName } from '../owner-name.ts'
import { runTool } from '../run-tool.ts'
import { closedWithoutUs, forwardFrom, openForwarding, restoreForwarding } from './forwarding.ts'
import { networkRules } from './network-rules.ts'

/** A network namespace with one way out, through rules that keep it off this machine and private networks. */
export interface Network {
  readonly name: string
  /** The options of nsenter by which a run comes to be in it. */
  readonly enter: readonly string[]
}

export interface NetworkPool {
  /** `fenced`: packets go out through rules of the kernel's. `gateway`: connections go out through the platform. */
  readonly kind: 'fenced' | 'gateway'
  /** Lets runs reach these ports as well, where not all are reached anyhow. */
  reach?(ports: readonly number[]): Promise<void>
  /** One that no other run has; made where none is free. */
  take(): Promise<Network>
  release(network: Network): Promise<void>
  close(): Promise<void>
}

interface NetworkOptions {
  readonly owner: Owner
  readonly ip: string
  readonly nft: string
  /** Where runs ask for names, and reach what is the platform's own. */
  readonly gateways: Gateways
  readonly destinations: Pick<Destinations, 'privateTargets' | 'ownTargets'>
  readonly log: Log
}

const IDLE = 8
const ADDRESS_TRIES = 64
/** Without those of the platform's own services, which are the last. */
const GUEST_COUNT = 2 ** 17 - 2 ** 8
/** Never on a wire: both ends of a link know each other's hardware address. */
const GATEWAY = '169.254.1.1'
const INTERFACES = 'al-'
/** Where `ip` keeps them by their names. */
const NAMESPACES = '/run/netns'

interface Route {
  readonly dev?: string
}
interface Link {
  readonly ifname: string
  readonly mtu: number
}
interface Ruleset {
  readonly nftables: readonly {
    readonly table?: { readonly family: string; readonly name: string }
    readonly chain?: { readonly table: string; readonly hook?: string; readonly policy?: string }
  }[]
}

const list = async <T>(file: string, ...args: readonly string[]): Promise<readonly T[]> =>
  JSON.parse((await runTool(file, args)) || '[]')

const guestAddress = (n: number) => `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`
const hardware = (side: number, n: number) =>
  `02:a1:0${side}:${[n >> 16, (n >> 8) & 255, n & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`

/** Links have at most 15 letters. */
const shortly = (name: string) => createHash('sha1').update(name).digest('hex').slice(0, 6)

const ruleset = async (nft: string, what: 'tables' | 'chains'): Promise<Ruleset['nftables']> =>
  (JSON.parse(await runTool(nft, ['-j', 'list', what])) as Ruleset).nftables

const anySandboxes = async (nft: string): Promise<boolean> =>
  (await ruleset(nft, 'tables')).some(({ table }) => table?.name.startsWith('aloft-'))

/** Clears what processes left that died without closing their sandboxes; another may be doing the same. */
export async function removeStaleNetworks(ip: string, nft: string): Promise<void> {
  for (const name of await readdir(NAMESPACES).catch(() => []))
    if (isStale(name)) await runTool(ip, ['netns', 'delete', name]).catch(() => {})
  for (const { table } of await ruleset(nft, 'tables'))
    if (table && isStale(table.name))
      await runTool(nft, ['delete', 'table', table.family, table.name]).catch(() => {})
}

class VethPool implements NetworkPool {
  readonly kind = 'fenced'
  readonly #options: NetworkOptions
  readonly #prefix: string
  readonly #mtu: number
  readonly #opened: readonly string[]
  readonly #idle: Network[] = []
  readonly #leadsTo = new Map<Network, Gateway>()
  #made = 0
  #address: number

  constructor(options: NetworkOptions, prefix: string, mtu: number, opened: readonly string[]) {
    this.#options = options
    this.#opened = opened
    this.#prefix = prefix
    this.#mtu = mtu
    // Far from where other processes begin; a taken address is skipped all the same.
    this.#address = (options.owner.pid * 61 + options.owner.opening * 7) % GUEST_COUNT
  }

  /** One that leads to a gateway which has ended still works, but is not used again. */
  async take(): Promise<Network> {
    for (let network = this.#idle.pop(); network; network = this.#idle.pop()) {
      if (this.#isCurrent(network)) return network
      await this.#delete(network)
    }
    return this.#options.gateways.lead((gateway) => this.#make(gateway))
  }

  async release(network: Network): Promise<void> {
    if (this.#idle.length < IDLE && this.#isCurrent(network)) this.#idle.push(network)
    else await this.#delete(network)
  }

  async close(): Promise<void> {
    const { owner, nft, gateways } = this.#options
    await gateways.close()
    for (const network of this.#idle.splice(0)) await this.#delete(network)
    await runTool(nft, ['delete', 'table', 'inet', ownerName(owner)])
    if (await anySandboxes(nft)) return
    await restoreForwarding()
    // Another that opened in between relies on it.
    if (await anySandboxes(nft)) await openForwarding(this.#opened)
  }

  #isCurrent(network: Network): boolean {
    const gateway = this.#leadsTo.get(network)
    return gateway !== undefined && this.#options.gateways.isCurrent(gateway)
  }

  async #delete(network: Network): Promise<void> {
    await runTool(this.#options.ip, ['netns', 'delete', network.name])
    const gateway = this.#leadsTo.get(network)
    this.#leadsTo.delete(network)
    if (gateway) await this.#options.gateways.forget(gateway)
  }

  async #make(gateway: Gateway): Promise<Network> {
    const { owner, ip } = this.#options
    const number = this.#made++
    const name = `${ownerName(owner)}-${number}`
    const network = { name, enter: [`--net=${NAMESPACES}/${name}`] }
    const link = `${this.#prefix}${number.toString(36)}`
    await runTool(ip, ['netns', 'add', name])
    try {
      const address = await this.#connect(link, name)
      const ours = hardware(0, address)
      const guest = guestAddress(address)
      // No word of ip's own language, as `vf` is.
      const services = `to-${number.toString(36)}`
      // To start a program takes longer than all that it does here. The second link leads to the platform's own services.
      await runTool(
        ip,
        ['-n', name, '-batch', '-'],
        `link set lo up
link set eth0 addrgenmode none
link set eth0 mtu ${this.#mtu} up
addr add ${guest}/32 dev eth0
route add ${GATEWAY}/32 dev eth0
neigh add ${GATEWAY} lladdr ${ours} dev eth0 nud permanent
route add default via ${GATEWAY} dev eth0
link add eth1 type veth peer name ${services} netns ${gateway.pid}
link set eth1 addrgenmode none
link set eth1 up
route add ${PLATFORM}/32 dev eth1
route add ${SERVICES} via ${PLATFORM} dev eth1
`,
      )
      await forwardFrom(link)
      await gateway.ip(
        ['-batch', '-'],
        `link set dev ${services} addrgenmode none
link set dev ${services} up
route add ${guest}/32 dev ${services}
`,
      )
      this.#leadsTo.set(network, gateway)
      return network
    } catch (error) {
      await this.#delete(network).catch(() => {})
      throw error
    }
  }

  /** Links the namespace to the machine; the route, which the kernel gives only once, makes the address ours. */
  async #connect(link: string, name: string): Promise<number> {
    const { ip } = this.#options
    for (let tries = 1; ; tries++) {
      const address = this.#address++ % GUEST_COUNT
      const guest = guestAddress(address)
      const [ours, theirs] = [hardware(0, address), hardware(1, address)]
      try {
        await runTool(
          ip,
          ['-batch', '-'],
          `link add ${link} address ${ours} type veth peer name eth0 address ${theirs} netns ${name}
link set ${link} addrgenmode none
link set ${link} mtu ${this.#mtu} up
route add ${guest}/32 dev ${link}
neigh add ${guest} lladdr ${theirs} dev ${link} nud permanent
`,
        )
        return address
      } catch (error) {
        if (tries >= ADDRESS_TRIES || !/File exists/.test((error as Error).message)) throw error
        await runTool(ip, ['link', 'delete', link])
      }
    }
  }
}

/** Loads the rules and makes a first network, so that a machine that cannot is found out here. Closes the gateways then. */
export async function openNetworkPool(options: NetworkOptions): Promise<NetworkPool> {
  try {
    return await openFenced(options)
  } catch (error) {
    await options.gateways.close()
    throw error
  }
}

async function openFenced(options: NetworkOptions): Promise<NetworkPool> {
  const { owner, ip, nft, destinations, log } = options
  const uplinks = (await list<Route>(ip, '-j', '-4', 'route', 'show', 'default')).flatMap(
    ({ dev }) => dev ?? [],
  )
  if (uplinks.length === 0) throw new Error('this machine has no default route')
  const links = (await list<Link>(ip, '-j', 'link', 'show')).filter(
    ({ ifname }) => !ifname.startsWith(INTERFACES),
  )
  const mtu = Math.min(1500, ...links.filter((l) => uplinks.includes(l.ifname)).map((l) => l.mtu))
  const prefix = `${INTERFACES}${shortly(ownerName(owner))}-`
  const opened = await closedWithoutUs(uplinks)
  const own = links.map(({ ifname }) => ifname)
  const rules = networkRules({ table: ownerName(owner), interfaces: prefix, ...destinations, opened, own })
  await runTool(nft, ['-f', '-'], rules)
  const pool = new VethPool(options, prefix, mtu, opened)
  try {
    await openForwarding(opened)
    await pool.release(await pool.take())
  } catch (error) {
    await pool.close()
    throw error
  }
  const closed = (await ruleset(nft, 'chains')).find(
    ({ chain }) => chain?.hook === 'forward' && chain.policy === 'drop',
  )
  if (closed?.chain)
    log.warn(
      { table: closed.chain.table },
      `another firewall table of this machine drops forwarded packets: builds reach nothing until it accepts those of interfaces ${INTERFACES}*`,
    )
  return pool
}

import { statfs } from 'node:fs/promises'
import { isIP } from 'node:net'
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os'
import { createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import type { MachineRunner, OtherMachine } from '#adapters/runner-process/peer/cluster-runner.ts'
import { addressNow, readEndpoint } from '#adapters/runner-process/peer/peer-address.ts'
import { connectToPeer } from '#adapters/runner-process/peer/peer-connections.ts'
import {
  openPeerGateway,
  type PeerGateway,
  type PeerGatewayOptions,
  type PeerIdentity,
} from '#adapters/runner-process/peer/peer-gateway.ts'
import { certificateName } from '#adapters/runner-process/peer/peer-name.ts'
import type { Machine, MachineRole } from '#core/machine/machine.ts'
import type { Config } from '../../../config/config.ts'
import { machineName } from '../../machine/machine-name.ts'
import { StartError } from '../../supervisor/start-error.ts'
import { ensureSealed } from '../../tls/authority.ts'
import { VERSION } from '../../version.ts'
import type { Parts } from '../parts.ts'
import { BEAT, every } from './machine-watch.ts'

const AUTHORITY = 'cluster-authority'
const LIFETIME_DAYS = 3650

/** What proves to the others that this machine belongs to the installation: signed by an authority that signs nothing else. */
export async function makeIdentity(parts: Parts, machine: string): Promise<PeerIdentity> {
  const { clock } = parts
  const authority: Awaited<ReturnType<typeof createAuthority>> = JSON.parse(
    await ensureSealed(parts, AUTHORITY, async () => JSON.stringify(await createAuthority(clock))),
  )
  const issuer = createLocalIssuer({ ...authority, clock, forClients: true })
  const { cert, key } = await issuer.issue([certificateName(machine)], { days: LIFETIME_DAYS })
  return { cert, key, authority: authority.certPem }
}

/** Throws where this machine is part of the installation no more. */
export async function checkIsPart(config: Config, { stores }: Parts): Promise<void> {
  if (config.databaseUrl === undefined) return
  const name = await machineName(config.dataDir)
  if ((await stores.machines.removed()).has(name)) throw new StartError(REMOVED)
}

/** Ends this machine, as an operator would: the supervisor lets everything finish. */
export const endMachine = (channel: Channel | undefined) => (): void => {
  if (channel !== undefined) process.kill(process.ppid, 'SIGTERM')
}

const REMOVED =
  'This machine was removed from the installation. To use it again, join with an empty data folder: run `aloft operator join` on another machine.'

/** Says again and again that this machine is there. One with a database of its own is alone. */
export async function reportMachine(
  config: Config,
  parts: Parts,
  role: MachineRole,
  onRemoved: () => void,
): Promise<() => void> {
  if (config.databaseUrl === undefined) return () => {}
  const { stores, clock, log } = parts
  const name = await machineName(config.dataDir)
  const startedAt = clock.now()
  let isFailing = false
  let isOver = false
  const report = async () => {
    const { bavail, bsize, blocks } = await statfs(config.dataDir)
    const isPart = await stores.machines.report({
      ...{ name, role, version: VERSION, origin: config.origin, startedAt },
      address: role === 'work' ? config.clusterAddress : undefined,
      publicAddresses: role === 'serve' ? config.publicAddresses : [],
      load: (loadavg()[0] ?? 0) / availableParallelism(),
      memory: { free: freemem(), total: totalmem() },
      disk: { free: bavail * bsize, total: blocks * bsize },
    })
    isFailing = false
    if (!isPart && !isOver) {
      isOver = true
      log.error({}, REMOVED)
      onRemoved()
    }
  }
  return every(BEAT, () =>
    report().catch((err: unknown) => {
      if (!isFailing) log.warn({ err }, 'this machine could not announce itself to the others')
      isFailing = true
    }),
  )
}

/** Lets other machines reach the functions of this one, where it has an address for that. */
export async function openGateway(
  config: Config,
  parts: Parts,
  to: Pick<PeerGatewayOptions, 'runnerSocket' | 'isInstance' | 'offers'>,
): Promise<PeerGateway | undefined> {
  if (config.clusterAddress === undefined) return undefined
  const { host, port } = readEndpoint(config.clusterAddress)
  const identity = await makeIdentity(parts, await machineName(config.dataDir))
  // A name says how others find this machine, and may lead them to an address that it does not have itself.
  const own = isIP(host) === 0 ? undefined : host
  const { machines, log } = parts
  const isRemoved = (machine: string) => machines.removed().has(machine)
  const gateway = await openPeerGateway({ identity, host: own, port, ...to, isRemoved, log })
  const stop = machines.onLook(() => gateway.lookAgain())
  return {
    ...gateway,
    close() {
      stop()
      return gateway.close()
    },
  }
}

interface Peers {
  /** Those that run functions, answer, and are not to be left alone. */
  others(): readonly OtherMachine[]
  close(): void
}

interface KnownPeer {
  readonly address: string
  /** The one that it leads to. */
  readonly host: string
  readonly runner: MachineRunner
  machine: Machine
}

/** Connects to the machines that run functions, as they come and go. */
export async function connectPeers(config: Config, parts: Parts): Promise<Peers> {
  const { machines, log } = parts
  const own = await machineName(config.dataDir)
  const peers = new Map<string, KnownPeer>()
  let identity: Promise<PeerIdentity> | undefined
  let isClosed = false

  const leave = (name: string) => {
    peers.get(name)?.runner.leave()
    peers.delete(name)
  }

  async function meet(machine: Machine, proof: PeerIdentity): Promise<void> {
    const { name, address = '' } = machine
    const before = peers.get(name)
    const endpoint = readEndpoint(address)
    const host = await addressNow(endpoint, before?.address === address ? before.host : undefined)
    if (isClosed || host === undefined) return
    const known = peers.get(name)
    if (known?.address === address && known.host === host) {
      known.machine = machine
      return
    }
    leave(name)
    const at = { name, host, port: endpoint.port }
    const peer = {
      name,
      connect: (to: Parameters<typeof connectToPeer>[2]) => connectToPeer(at, proof, to),
    }
    peers.set(name, { address, host, machine, runner: createRunnerClient({ peer, logger: log }) })
  }

  const others = () =>
    machines.alive().filter(({ role, name, address }) => role === 'work' && name !== own && address)

  async function meetOthers(): Promise<void> {
    if (others().length > 0) identity ??= makeIdentity(parts, own)
    const proof = await identity
    const there = others()
    for (const name of peers.keys()) if (!there.some((machine) => machine.name === name)) leave(name)
    if (proof) await Promise.all(there.map((machine) => meet(machine, proof)))
  }

  const stop = machines.onLook(() => {
    meetOthers().catch((err: unknown) => {
      identity = undefined
      log.debug({ err }, 'other machines could not be connected')
    })
  })
  return {
    others: () =>
      [...peers.values()]
        .filter(({ machine }) => !machine.isDraining)
        .map(({ machine: { name, load, origin }, runner }) => ({ name, load, origin, runner })),
    close() {
      isClosed = true
      stop()
      for (const { runner } of peers.values()) runner.close()
      peers.clear()
    },
  }
}

import { statfs } from 'node:fs/promises'
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os'
import { createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import type { MachineRunner, OtherMachine } from '#adapters/runner-process/peer/cluster-runner.ts'
import { certificateName, connectToPeer } from '#adapters/runner-process/peer/peer-connections.ts'
import {
  openPeerGateway,
  type PeerGateway,
  type PeerIdentity,
} from '#adapters/runner-process/peer/peer-gateway.ts'
import { SECOND } from '#contract/time.ts'
import { isAlive, type Machine, type MachineRole } from '#core/machine/machine.ts'
import type { Config } from '../../config/config.ts'
import { machineName } from '../machine-name.ts'
import { ensureSealed } from '../tls/authority.ts'
import { VERSION } from '../version.ts'
import type { Parts } from './parts.ts'

const AUTHORITY = 'cluster-authority'
const LIFETIME_DAYS = 3650
/** How often a machine is heard of, and looks at the others. */
const BEAT = SECOND

/** What proves to the others that this machine belongs to the installation: signed by an authority that signs nothing else. */
async function makeIdentity(parts: Parts, machine: string): Promise<PeerIdentity> {
  const { clock } = parts
  const authority: Awaited<ReturnType<typeof createAuthority>> = JSON.parse(
    await ensureSealed(parts, AUTHORITY, async () => JSON.stringify(await createAuthority(clock))),
  )
  const issuer = createLocalIssuer({ ...authority, clock, forClients: true })
  const { cert, key } = await issuer.issue([certificateName(machine)], { days: LIFETIME_DAYS })
  return { cert, key, authority: authority.certPem }
}

/** Says again and again that this machine is there. One with a database of its own is alone. */
export async function reportMachine(config: Config, parts: Parts, role: MachineRole): Promise<() => void> {
  if (config.databaseUrl === undefined) return () => {}
  const { stores, clock, log } = parts
  const name = await machineName(config.dataDir)
  const startedAt = clock.now()
  let isFailing = false
  const report = async () => {
    const { bavail, bsize, blocks } = await statfs(config.dataDir)
    await stores.machines.report({
      ...{ name, role, version: VERSION, origin: config.origin, startedAt },
      address: role === 'work' ? config.clusterAddress : undefined,
      load: (loadavg()[0] ?? 0) / availableParallelism(),
      memory: { free: freemem(), total: totalmem() },
      disk: { free: bavail * bsize, total: blocks * bsize },
    })
    isFailing = false
  }
  return every(BEAT, () =>
    report().catch((err: unknown) => {
      if (!isFailing) log.warn({ err }, 'the others do not hear of this machine')
      isFailing = true
    }),
  )
}

/** Lets other machines reach the functions of this one, where it has an address for that. */
export async function openGateway(
  config: Config,
  parts: Parts,
  to: { readonly runnerSocket: string; readonly isInstance: (path: string) => boolean },
): Promise<PeerGateway | undefined> {
  if (config.clusterAddress === undefined) return undefined
  const { hostname, port } = new URL(`tls://${config.clusterAddress}`)
  const identity = await makeIdentity(parts, await machineName(config.dataDir))
  const host = hostname.replace(/^\[|\]$/g, '')
  return openPeerGateway({ identity, host, port: Number(port), ...to, log: parts.log })
}

export interface Machines {
  /** Those that run functions, answer, and are not to be left alone. */
  others(): readonly OtherMachine[]
  /** Whether this machine is to be left alone. */
  isDraining(): boolean
  close(): void
}

interface KnownPeer {
  readonly address: string
  readonly runner: MachineRunner
  machine: Machine
}

/** Keeps an eye on the other machines. While the database is away, those known last count. */
export async function watchMachines(
  config: Config,
  parts: Parts,
  { connects = true } = {},
): Promise<Machines> {
  if (config.databaseUrl === undefined) return { others: () => [], isDraining: () => false, close() {} }
  const { stores, log } = parts
  const own = await machineName(config.dataDir)
  const peers = new Map<string, KnownPeer>()
  let identity: PeerIdentity | undefined
  let isDraining = false

  const drop = (name: string) => {
    peers.get(name)?.runner.close()
    peers.delete(name)
  }

  async function look(): Promise<void> {
    const machines = await stores.machines.list()
    isDraining = machines.some((machine) => machine.name === own && machine.isDraining)
    if (!connects) return
    const there = machines.filter(
      (machine) => machine.role === 'work' && machine.name !== own && machine.address && isAlive(machine),
    )
    if (there.length > 0) identity ??= await makeIdentity(parts, own)
    for (const name of peers.keys()) if (!there.some((machine) => machine.name === name)) drop(name)
    for (const machine of there) {
      const { name, address = '' } = machine
      const known = peers.get(name)
      if (known?.address === address) known.machine = machine
      else if (identity !== undefined) {
        drop(name)
        const proof = identity
        const peer = {
          name,
          connect: (to: Parameters<typeof connectToPeer>[2]) => connectToPeer({ name, address }, proof, to),
        }
        peers.set(name, { address, machine, runner: createRunnerClient({ peer, logger: log }) })
      }
    }
  }

  const stop = every(BEAT, () =>
    look().catch((err: unknown) => log.debug({ err }, 'other machines are not seen')),
  )
  return {
    others: () =>
      [...peers.values()]
        .filter(({ machine }) => !machine.isDraining)
        .map(({ machine: { name, load }, runner }) => ({ name, load, runner })),
    isDraining: () => isDraining,
    close() {
      stop()
      for (const name of [...peers.keys()]) drop(name)
    },
  }
}

/** At once, and then again and again, never twice at the same time. */
function every(ms: number, work: () => Promise<void>): () => void {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const turn = async () => {
    await work()
    if (!isStopped) timer = setTimeout(() => void turn(), ms).unref()
  }
  void turn()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

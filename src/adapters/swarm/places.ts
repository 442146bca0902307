import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { LABEL } from '../docker/labels.ts'
import type { Reaching } from '../docker/launch/socket-bridge.ts'
import { joinSockets } from '../runner-process/peer/join-sockets.ts'
import type { ContainerEnd, OwnContainers } from './own-containers.ts'
import type { SwarmEngine } from './swarm-engine.ts'

/** The other machines of the installation. */
export interface SwarmPeers {
  /** Those that answer. */
  list(): readonly { readonly name: string; readonly isDraining: boolean }[]
  /** A connection that one of them was told this first. */
  connect(machine: string, line: string): Socket
  /** Whether this machine is to be left alone. */
  isDraining(): boolean
  /** Called again and again. */
  onLook(listener: () => void): () => void
}

/** What can be done with the containers of a node. */
interface NodeAccess {
  /** Connections to a port of one. */
  connector(container: string, port: number): Promise<(() => Socket | Reaching) | undefined>
  accepts(container: string, port: number): Promise<boolean>
  endOf(container: string): Promise<ContainerEnd>
  kill(container: string): Promise<void>
}

interface PlacesParts {
  readonly swarm: SwarmEngine
  /** The id of this machine's node. */
  readonly node: string
  /** The name of this machine. */
  readonly machine: string
  readonly installation: string
  readonly here: OwnContainers
  readonly peers: SwarmPeers | undefined
  readonly clock: Clock
  readonly log: Log
}

const ANSWER_MS = 5 * SECOND
/** Services of a machine that is gone for longer are removed by the others. */
const GONE_MS = MINUTE
const LOOK_MS = 10 * SECOND
const REACH_MS = 3 * SECOND
const AGAIN_MS = 100

/** What nodes have a label of where a machine of the installation looks after containers. */
export const nodeLabelOf = (installation: string): string => `dev.aloft.${installation}`

/**
 * Knows which machine of the installation is on which node. Where this node is a manager it also keeps the labels of
 * nodes: those without one are given nothing, and what runs there is moved elsewhere by the swarm. That is how an engine
 * without a machine beside it, and a machine that is drained or silent, are left alone.
 */
export class Places {
  readonly #parts: PlacesParts
  readonly #nodeOf = new Map<string, string>()
  readonly #goneSince = new Map<string, number>()
  readonly #stop: () => void
  #looking: Promise<void> | undefined
  #last = { wanted: '', at: Number.NEGATIVE_INFINITY }

  constructor(parts: PlacesParts) {
    this.#parts = parts
    this.#stop = parts.peers?.onLook(() => void this.look()) ?? (() => {})
  }

  at(node: string | undefined): NodeAccess | undefined {
    const { node: own, here, peers } = this.#parts
    if (node === own) return placeHere(here)
    const machine = peers?.list().find(({ name }) => this.#nodeOf.get(name) === node)?.name
    return machine === undefined || peers === undefined ? undefined : placeAt(machine, peers)
  }

  /** Meets machines that are new, and labels the nodes as they should be. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((err) => this.#parts.log.debug({ err }, 'the nodes of the swarm could not be looked at'))
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  close(): void {
    this.#stop()
  }

  async #look(): Promise<void> {
    const { peers, node, clock } = this.#parts
    const others = peers?.list() ?? []
    const names = new Set(others.map(({ name }) => name))
    for (const name of this.#nodeOf.keys()) if (!names.has(name)) this.#nodeOf.delete(name)
    if (peers)
      await Promise.all(
        others.map(async ({ name }) => {
          if (this.#nodeOf.has(name)) return
          const said = (await answerOf(peers.connect(name, 'node')).catch(() => '')).trim()
          if (/^[0-9a-z]{10,40}$/.test(said)) this.#nodeOf.set(name, said)
        }),
      )
    const wanted = new Set(
      others.flatMap(({ name, isDraining }) => (isDraining ? [] : (this.#nodeOf.get(name) ?? []))),
    )
    if (peers?.isDraining() !== true) wanted.add(node)
    const now = clock.monotonic()
    const key = [...wanted].sort().join()
    if (key === this.#last.wanted && now - this.#last.at < LOOK_MS) return
    await this.#label(wanted)
    await this.#removeOfGone(names)
    this.#last = { wanted: key, at: now }
  }

  async #label(wanted: ReadonlySet<string>): Promise<void> {
    const { swarm, installation } = this.#parts
    const name = nodeLabelOf(installation)
    for (const node of await swarm.nodes()) {
      const { [name]: has, ...others } = node.Spec.Labels ?? {}
      if ((has !== undefined) === wanted.has(node.ID)) continue
      await swarm.labelNode(node, wanted.has(node.ID) ? { ...others, [name]: 'true' } : others)
    }
  }

  /** A machine that died cannot remove what it wanted. */
  async #removeOfGone(alive: ReadonlySet<string>): Promise<void> {
    const { swarm, installation, machine: own, clock, log } = this.#parts
    const now = clock.monotonic()
    const services = await swarm.services({ [LABEL.installation]: installation })
    const theirs = Map.groupBy(services, ({ Spec }) => Spec.Labels?.[LABEL.machine] ?? own)
    for (const name of this.#goneSince.keys()) if (alive.has(name)) this.#goneSince.delete(name)
    for (const [name, left] of theirs) {
      if (name === own || alive.has(name)) continue
      const since = this.#goneSince.get(name) ?? now
      this.#goneSince.set(name, since)
      if (now - since < GONE_MS) continue
      log.info({ machine: name, services: left.length }, 'the services of a machine that is gone are removed')
      for (const { ID } of left) await swarm.removeService(ID)
    }
  }
}

const placeHere = (here: OwnContainers): NodeAccess => ({
  async connector(container, port) {
    const host = await here.address(container)
    return host === undefined ? undefined : () => connect({ host, port, allowHalfOpen: true, noDelay: true })
  },
  accepts: (container, port) => here.accepts(container, port),
  endOf: (container) => here.endOf(container),
  kill: (container) => here.kill(container),
})

const placeAt = (machine: string, peers: SwarmPeers): NodeAccess => ({
  connector: async (container, port) =>
    throughMachine((line) => peers.connect(machine, line), container, port),
  async accepts(container, port) {
    return (await answerOf(peers.connect(machine, `accepts ${container} ${port}`)).catch(() => '')) === 'yes'
  },
  async endOf(container) {
    const { ranOutOfMemory, reason } = JSON.parse(await answerOf(peers.connect(machine, `end ${container}`)))
    return {
      ranOutOfMemory: ranOutOfMemory === true,
      reason: typeof reason === 'string' ? reason : undefined,
    }
  },
  async kill(container) {
    await answerOf(peers.connect(machine, `kill ${container}`))
  },
})

/** What a machine says of a container that has taken a connection, and of one that has not. */
const [REACHED, NOT_REACHED] = ['+', '-'] as const

/**
 * Connections to a container by way of its machine, which says when the container has taken one. Nothing is sent before, so
 * that a request for one that is gone can go to another.
 */
export function throughMachine(
  ask: (line: string) => Socket,
  container: string,
  port: number,
): () => Socket | Reaching {
  /** One of an earlier version closes what it knows nothing of. */
  let isEarlier = false
  return () => {
    if (isEarlier) return ask(`task ${container} ${port}`)
    const socket = ask(`reach ${container} ${port}`)
    let [isHeard, hasSaid] = [false, false]
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      isHeard = true
    })
    const made = new Promise<boolean>((resolve) => {
      socket.once('data', (chunk: Buffer) => {
        hasSaid = true
        socket.pause()
        if (chunk.length > 1) socket.unshift(chunk.subarray(1))
        resolve(chunk.toString('latin1', 0, 1) === REACHED)
      })
      socket.once('close', () => {
        // One that was given up here, as no answer came in time, tells nothing of the machine.
        isEarlier ||= isHeard && !hasSaid && socket.readableEnded
        resolve(false)
      })
    })
    return { socket, made }
  }
}

async function answerOf(socket: Socket): Promise<string> {
  const timer = setTimeout(() => socket.destroy(new Error('The machine did not answer in time')), ANSWER_MS)
  try {
    return await text(socket)
  } finally {
    clearTimeout(timer)
  }
}

/** What this machine does for others, by the first word of a connection. */
export function taskOffers(
  node: string,
  here: Pick<OwnContainers, 'address' | 'accepts' | 'endOf' | 'kill'>,
  reachMs = REACH_MS,
): Offers {
  const say = (answer: (args: readonly string[]) => Promise<string>): Offer => {
    return (socket, args) => {
      // Nothing more is expected but its end.
      socket.resume()
      answer(args).then(
        (words) => socket.end(words),
        () => socket.destroy(),
      )
    }
  }
  return {
    node: say(async () => node),
    accepts: say(async ([id, port]) => ((await here.accepts(idOf(id), Number(port))) ? 'yes' : 'no')),
    end: say(async ([id]) => JSON.stringify(await here.endOf(idOf(id)))),
    kill: say(async ([id]) => here.kill(idOf(id)).then(() => 'killed')),
    reach(socket, [id, port]) {
      reach(here, idOf(id), Number(port), socket, reachMs).then(
        (inner) => {
          if (inner === undefined) return void socket.end(NOT_REACHED)
          if (socket.destroyed) return void inner.destroy()
          socket.write(REACHED)
          joinSockets(socket, inner)
        },
        () => socket.end(NOT_REACHED),
      )
    },
    /** As machines of an earlier version ask: what they send with it is lost where the container is gone. */
    task(socket, [id, port]) {
      reach(here, idOf(id), Number(port), socket, reachMs).then(
        (inner) => {
          if (inner === undefined || socket.destroyed) {
            inner?.destroy()
            return void socket.destroy()
          }
          joinSockets(socket, inner)
        },
        () => socket.destroy(),
      )
    },
  }
}

/** A connection to a container of this node. One that takes none is about to be seen to have ended, as at a socket bridge. */
async function reach(
  here: Pick<OwnContainers, 'address'>,
  container: string,
  port: number,
  near: Socket,
  reachMs: number,
): Promise<Socket | undefined> {
  const since = performance.now()
  while (!near.destroyed && performance.now() - since < reachMs) {
    const host = await here.address(container)
    const made = host === undefined ? undefined : await connected(host, port)
    if (made) return made
    await pause(AGAIN_MS)
  }
  return undefined
}

const connected = (host: string, port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })

const idOf = (text = ''): string => (/^[0-9a-f]{64}$/.test(text) ? text : 'none')

type Offer = (socket: Socket, args: readonly string[]) => void
export type Offers = Readonly<Record<string, Offer>>

import { createServer, type Server, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { showMemory } from '#contract/amounts.ts'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { Scale } from '#core/deployment/deployment.ts'
import type { Instance, LoadedProgram, LoadProgram } from '#core/instance/instance.ts'
import type { InstanceStore } from '#core/instance/instance-store.ts'
import type { InstanceLog } from '#core/log/write/instance-log.ts'
import type { OwnSites } from '#core/outbound/own-sites.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { type ProgramRef, RunnerError } from '#core/ports/runner.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import { listenAt, type SocketFile } from '../../fs/socket-file.ts'
import { speakJsonLines } from '../json-lines.ts'
import {
  type EnsureBun,
  type EnsureNode,
  type LaunchedRuntime,
  type LaunchLimits,
  type LaunchParts,
  launch,
  type RuntimeKind,
} from '../launch/launch.ts'
import { freeSocket, leaveRunFolder, openPlaces, type Places } from '../launch/places.ts'
import { MAX_LINE_BYTES, type ToHost } from '../messages.ts'
import { type HeldProgram, ProgramFolders } from '../program/program-folders.ts'
import { Admission, type Allowance, type Obstacle, UNLIMITED } from './admission.ts'
import { CompileCaches } from './compile-caches.ts'
import { newInstanceId } from './instance-id.ts'
import { leastUsed } from './least-used.ts'
import { LiveInstance, type Started } from './live-instance.ts'
import { isMemoryShort, type MachineMemory, memoryNow } from './machine-memory.ts'
import { type MachineProcessor, processorNow } from './processor-load.ts'
import { type PoolLimits, ProgramPool, type Subscriber } from './program-pool.ts'
import { Slots } from './slots.ts'
import { WarmPool } from './warm-pool.ts'

interface RunnerLimits extends LaunchLimits, PoolLimits {
  /** Until a program that was given its code takes requests. */
  readonly loadMs: number
  /** Instances on this machine, those that wait for code apart. */
  readonly instances: number
  /** Of the machine's memory, what the instances of one account may take together. */
  readonly memoryShare: number
  /** Instances that start at the same time. */
  readonly starts: number
  /** Runtimes that wait for code, of the kind that was asked for last; 0 switches this off. */
  readonly warm: number
  /** Of all unpacked programs; those used longest ago are removed beyond. */
  readonly programsBytes: number
  readonly programBytes: number
  readonly programEntries: number
  /** Of compiled code of all programs. */
  readonly cachesBytes: number
  /** What must stay free on the disk for everybody else. */
  readonly freeBytes: number
  /** A program with more entries is not given to a runtime that waits, but has its own started. */
  readonly linkedEntries: number
  readonly sweepMs: number
}

const LIMITS: RunnerLimits = {
  cpus: 1,
  processes: 128,
  tmpBytes: 512 * 2 ** 20,
  bootMs: 30 * SECOND,
  loadMs: 60 * SECOND,
  concurrency: 32,
  commandConcurrency: 512,
  idleMs: 5 * MINUTE,
  commandIdleMs: 15 * MINUTE,
  graceMs: 30 * SECOND,
  instances: 256,
  memoryShare: 0.8,
  starts: 4,
  warm: 2,
  programsBytes: 8 * 2 ** 30,
  programBytes: 2 * 2 ** 30,
  programEntries: 200_000,
  cachesBytes: 2 * 2 ** 30,
  freeBytes: 2 ** 30,
  linkedEntries: 1000,
  sweepMs: SECOND,
}

export interface RunnerHostOptions {
  readonly sandbox: Sandbox
  /** The data folder; holds `programs`, `program-caches` and `instances`. */
  readonly folder: string
  /** Where serving processes connect; its folder must be out of reach for others. */
  readonly socket: string
  /** For the instances' sockets: a short path of the platform's own. */
  readonly runFolder?: string
  readonly blobs: Pick<BlobStore, 'open'>
  readonly loadProgram: LoadProgram
  readonly ensureNode: EnsureNode
  /** Left out where programs for Bun cannot be run. */
  readonly ensureBun?: EnsureBun
  readonly instances: InstanceStore
  readonly log: InstanceLog
  /** The program dies again and again; called for every fifth time within a minute. It is started again all the same. */
  readonly onCrashLoop: (ref: ProgramRef, reason: string) => void
  /** A program says that answers of its deployment are not right any more. */
  readonly onRevalidate?: (deploymentId: string, said: string) => void
  readonly clock: Clock
  readonly logger: Log
  /** The name of this working process in the instance store. */
  readonly worker: string
  readonly authorities?: string
  readonly sites?: OwnSites
  /** Runs programs that are images: gives what starts when it is given its code. Without it there are none. */
  readonly launchContainer?: (loaded: LoadedProgram, signal: AbortSignal) => Promise<LaunchedRuntime>
  /** What an account may have running; everything where this is absent. */
  readonly allowance?: (ownerId: string) => Promise<Allowance>
  readonly memory?: () => MachineMemory
  readonly processor?: () => MachineProcessor
  readonly limits?: Partial<RunnerLimits>
}

/** Owns all instances of this machine. */
export interface RunnerHost {
  /** Starts an instance now, unless one runs. Rejects with a `RunnerError`. */
  boot(ref: ProgramRef): Promise<Started>
  /** Keeps between `min` and `max` of each of these programs and of those that ran before, and starts what had failed. */
  scale(deploymentId: string, scale: Scale, programs?: readonly string[]): void
  /** It was deleted: all its instances end at once, and requests that wait fail. */
  forget(deploymentId: string): void
  list(deploymentId: string): readonly Instance[]
  /** Those of which something runs, or did a moment ago. */
  deployments(): readonly string[]
  /** Whether a path is that of the socket of an instance of this machine. */
  isInstance(path: string): boolean
  /** Has runtimes wait for the code of such programs before the first of them is asked for. */
  prewarm(kinds: readonly RuntimeKind[]): Promise<void>
  /**
   * Lets requests and what they left to do finish for this long; nothing of it is left then. `succeeded`: another host
   * goes on with the same folders.
   */
  drain(ms: number, options?: { readonly succeeded?: boolean }): Promise<void>
}

const tooMuchMemory = (memoryMb: number, allowed: number): string =>
  `The function may use ${showMemory(memoryMb)} of memory, and your plan allows running instances ${showMemory(allowed)} together. Give it less \`memory\`.`

const NO_INSTANCES = 'Your plan allows no running instances.'

/** For the sake of one start. */
const MOST_RETIRED = 8

/** The account that a place is kept for; undefined if anybody may have it. */
type PlaceOwner = string | undefined
const placeFor = (asker: string | undefined, obstacle: Obstacle): PlaceOwner =>
  obstacle === 'account' ? asker : undefined

/** What the code of an image is in: nothing of it lies in a folder of this machine. */
const IN_ITS_IMAGE: HeldProgram = { root: '/', tree: undefined, release: () => {} }

const noBun: EnsureBun = async () => {
  throw new RunnerError('unavailable', 'Programs for Bun cannot be run here')
}

const LAUNCHER = fileURLToPath(new URL('../../../launcher', import.meta.url))

export async function createRunnerHost(options: RunnerHostOptions): Promise<RunnerHost> {
  await freeSocket(options.socket)
  const places = await openPlaces(options.folder, options.runFolder)
  const host = new ProcessHost(options, places)
  await host.open()
  return host
}

class ProcessHost implements RunnerHost {
  readonly #options: RunnerHostOptions
  readonly #limits: RunnerLimits
  readonly #places: Places
  readonly #folders: ProgramFolders
  readonly #caches: CompileCaches
  readonly #warm: WarmPool
  readonly #launch: LaunchParts
  readonly #admission: Admission
  readonly #starts: Slots
  readonly #isShort: () => boolean
  /** For each instance that is on its way out, who is to have its place. */
  readonly #leaving: PlaceOwner[] = []
  /** Accounts of which it is being read what they may have. */
  readonly #asked = new Set<string>()
  /** By deployment, then by program. */
  readonly #pools = new Map<string, Map<string, ProgramPool>>()
  readonly #poolOf = new Map<string, ProgramPool>()
  readonly #server: Server
  /** Serving processes, by their connections. */
  readonly #clients = new Map<Socket, Subscriber>()
  readonly #stopped = new AbortController()
  readonly #starting = new Set<Promise<unknown>>()
  readonly #instances = new Set<LiveInstance>()
  /** What the list of instances is still to be told of each: what it is, or nothing where it is gone. */
  readonly #unlisted = new Map<string, Instance | undefined>()
  /** Whether it holds nothing of an earlier process any more. */
  #isListCleared = false
  /** Whether writing it failed: it may have been written all the same. */
  #isListDoubtful = false
  #listing: Promise<void> | undefined
  #lists = 0
  #sweep: NodeJS.Timeout | undefined
  #socketFile: SocketFile | undefined
  #draining: Promise<void> | undefined

  constructor(options: RunnerHostOptions, places: Places) {
    const { clock, logger, blobs, sandbox, ensureNode, ensureBun = noBun } = options
    const limits = { ...LIMITS, ...options.limits }
    this.#options = options
    this.#limits = limits
    this.#places = places
    this.#isShort = () => isMemoryShort((options.memory ?? memoryNow)())
    this.#admission = new Admission({
      instances: limits.instances,
      memoryMb: (memoryNow().total / 2 ** 20) * limits.memoryShare,
      isShort: this.#isShort,
    })
    this.#starts = new Slots(limits.starts)
    this.#folders = new ProgramFolders({
      ...{ folder: places.programs, blobs, clock, log: logger },
      maxBytes: limits.programsBytes,
      programBytes: limits.programBytes,
      programEntries: limits.programEntries,
      listedEntries: limits.linkedEntries,
      onRemoved: () => this.#uncached(this.#caches.clear()),
    })
    this.#caches = new CompileCaches({
      ...{ folder: places.caches, maxBytes: limits.cachesBytes, freeBytes: limits.freeBytes, clock },
      isUnpacked: (sha256) => this.#folders.has(sha256),
    })
    this.#launch = {
      ...{ sandbox, places, ensureNode, ensureBun, launcher: LAUNCHER },
      ...{ log: logger, limits, signal: this.#stopped.signal },
      ...(options.authorities === undefined ? {} : { authorities: options.authorities }),
      ...(options.sites === undefined ? {} : { sites: options.sites }),
    }
    this.#warm = new WarmPool({
      launch: (kind) => launch(kind, this.#launch),
      size: limits.warm,
      urgent: () => [...this.#allPools()].some(({ urgent }) => urgent),
      ...{ clock, log: logger },
    })
    this.#server = createServer((socket) => this.#welcome(socket))
  }

  async open(): Promise<void> {
    const { socket } = this.#options
    await this.#folders.open()
    await this.#caches.open()
    void this.#writeList()
    this.#socketFile = await listenAt(this.#server, socket)
    this.#sweep = setInterval(() => this.#look(), this.#limits.sweepMs).unref()
  }

  boot(ref: ProgramRef): Promise<Started> {
    if (this.#draining) return Promise.reject(new RunnerError('unavailable', 'The platform stops'))
    return this.#pool(ref).boot()
  }

  scale(deploymentId: string, scale: Scale, programs: readonly string[] = []): void {
    if (this.#draining) return
    for (const program of programs) this.#pool({ deploymentId, program })
    for (const pool of this.#pools.get(deploymentId)?.values() ?? []) pool.rescale(scale)
  }

  forget(deploymentId: string): void {
    for (const pool of this.#pools.get(deploymentId)?.values() ?? [])
      pool.close(new RunnerError('absent', 'The deployment was deleted'))
    this.#pools.delete(deploymentId)
    this.#uncached(this.#caches.forget(deploymentId))
  }

  list(deploymentId: string): readonly Instance[] {
    const pools = [...(this.#pools.get(deploymentId)?.values() ?? [])]
    return pools
      .flatMap((pool) => pool.instances)
      .sort((a, b) => a.startedAt - b.startedAt)
      .map((instance) => this.#recordOf(instance))
  }

  deployments(): readonly string[] {
    return [...this.#pools.keys()]
  }

  isInstance(path: string): boolean {
    const isOwn = resolve(path) === path && path.startsWith(`${this.#places.run}/`)
    return isOwn || [...this.#instances].some(({ socket }) => socket === path)
  }

  prewarm(kinds: readonly RuntimeKind[]): Promise<void> {
    return this.#warm.fill(kinds)
  }

  drain(ms: number, { succeeded = false } = {}): Promise<void> {
    this.#draining ??= this.#drain(ms, succeeded)
    return this.#draining
  }

  async #drain(ms: number, succeeded: boolean): Promise<void> {
    clearInterval(this.#sweep)
    const closed = new Promise((resolve) => this.#server.close(resolve))
    await this.#socketFile?.remove()
    const warm = this.#warm.close()
    const drained = Promise.all([...this.#allPools()].map((pool) => pool.drain(ms)))
    for (const [socket, subscriber] of this.#clients) this.#letGo(socket, subscriber)
    await drained
    const stopped = new RunnerError('unavailable', 'The platform stops')
    this.#stopped.abort(stopped)
    this.#admission.close(stopped)
    while (this.#instances.size + this.#starting.size > 0) {
      for (const instance of this.#instances) instance.kill()
      await Promise.all([...this.#instances].map(({ gone }) => gone))
      await Promise.allSettled(this.#starting)
    }
    await warm
    for (const connection of this.#clients.keys()) connection.destroy()
    await closed
    // Each was taken off the list as it ended. What is left of that name is of a process that took this one's place.
    await this.#listing
    await this.#writeList()
    await this.#caches.settled()
    await leaveRunFolder(this.#places.run, succeeded)
  }

  *#allPools(): Iterable<ProgramPool> {
    for (const pools of this.#pools.values()) yield* pools.values()
  }

  #pool(ref: ProgramRef): ProgramPool {
    const { deploymentId, program } = ref
    const pools = this.#pools.get(deploymentId) ?? new Map<string, ProgramPool>()
    this.#pools.set(deploymentId, pools)
    const known = pools.get(program)
    if (known) return known
    const { loadProgram, onCrashLoop, clock, logger } = this.#options
    const pool: ProgramPool = new ProgramPool(
      { deploymentId, program },
      {
        load: loadProgram,
        start: (loaded) => this.#started(loaded),
        added: (instance) => this.#added(instance, pool),
        removed: (instance) => this.#removed(instance),
        nextList: () => ++this.#lists,
        processor: this.#options.processor ?? processorNow,
        ...{ onCrashLoop, clock, logger, limits: this.#limits },
      },
    )
    pools.set(program, pool)
    return pool
  }

  #started(loaded: LoadedProgram): Promise<LiveInstance> {
    const starting = this.#start(loaded).finally(() => this.#starting.delete(starting))
    this.#starting.add(starting)
    return starting
  }

  /** A runtime with the program's code in it, on the way to its first request. */
  async #start(loaded: LoadedProgram): Promise<LiveInstance> {
    const { program } = loaded
    const { log, logger, clock, onRevalidate } = this.#options
    const { loadMs } = this.#limits
    const release = await this.#admit(loaded)
    try {
      await this.#freeMemory(loaded.ownerId)
      const holding = program.runtime === 'docker' ? IN_ITS_IMAGE : this.#folders.hold(program.archive)
      const held = holding instanceof Promise ? await holding : holding
      try {
        const launched = await this.#runtimeFor(loaded, held)
        await this.#reach(loaded)
        const parts = {
          ...{ log, logger, clock, loadMs, caches: this.#caches },
          ...(onRevalidate && { onRevalidate }),
        }
        const instance = new LiveInstance(newInstanceId(), loaded, launched, held, parts)
        this.#instances.add(instance)
        void instance.gone.then(() => {
          this.#instances.delete(instance)
          release()
        })
        return instance
      } catch (error) {
        held.release()
        throw error
      }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Waits until there is room for one more, and has room made meanwhile. */
  async #admit({ ownerId, program: { memoryMb } }: LoadedProgram): Promise<() => void> {
    const allowed = (await this.#options.allowance?.(ownerId)) ?? UNLIMITED
    if (allowed.memoryMb !== null && memoryMb > allowed.memoryMb)
      throw new RunnerError('crashed', tooMuchMemory(memoryMb, allowed.memoryMb))
    if (allowed.instances === 0) throw new RunnerError('crashed', NO_INSTANCES)
    const request = { ownerId, memoryMb }
    const obstacle = this.#admission.obstacle(request, allowed)
    if (obstacle) void this.#makeRoom(ownerId, obstacle)
    return this.#admission.take(request, allowed)
  }

  /** What an account has on other machines, and its plan, change while it waits here. */
  async #allowAgain(ownerId: string): Promise<void> {
    const { allowance, logger } = this.#options
    if (allowance === undefined || this.#asked.has(ownerId)) return
    this.#asked.add(ownerId)
    try {
      this.#admission.allow(ownerId, await allowance(ownerId))
    } catch (err) {
      logger.debug({ err }, 'what an account may have running could not be read')
    } finally {
      this.#asked.delete(ownerId)
    }
  }

  /** A program that does not reach what it wants to says so itself. */
  async #reach({ program, env }: LoadedProgram): Promise<void> {
    const { sandbox, logger } = this.#options
    await sandbox
      .reach?.({ ...program.env, ...env })
      .catch((err) => logger.warn({ err }, 'the ports that a program names are not reached'))
  }

  /** One that waits, or else its own; an image has a container. */
  #runtimeFor(
    loaded: LoadedProgram,
    { tree, root }: HeldProgram,
  ): LaunchedRuntime | Promise<LaunchedRuntime> {
    const { runtime, version, memoryMb, shape } = loaded.program
    if (runtime === 'docker') {
      const { launchContainer } = this.#options
      if (launchContainer) return launchContainer(loaded, this.#stopped.signal)
      throw new RunnerError('unavailable', 'Programs in containers cannot be run here')
    }
    const kind = { runtime, version, memoryMb }
    const own = { ...kind, isCommand: shape === 'command' }
    return (tree && this.#warm.take(kind)) || this.#starts.run(() => launch(own, this.#launch, root))
  }

  /** What is used the least goes, for the sake of an account if one is named. Undefined when everything is in use. */
  #makeRoom(asker?: string, obstacle: Obstacle = 'machine'): Promise<void> | undefined {
    const all = [...this.#allPools()].flatMap((pool) =>
      pool.instances.map((instance) => ({
        ...{ pool, instance, ownerId: instance.loaded.ownerId, idleSince: instance.idleSince },
        size: instance.loaded.program.memoryMb,
      })),
    )
    const idle = all.filter(
      ({ instance, ownerId }) =>
        instance.idle && !instance.retiring && (obstacle === 'machine' || ownerId === asker),
    )
    const found = leastUsed(idle, all, asker)
    if (!found) return undefined
    const place = placeFor(asker, obstacle)
    this.#leaving.push(place)
    return found.pool.retire(found.instance).finally(() => {
      this.#leaving.splice(this.#leaving.indexOf(place), 1)
    })
  }

  /** The first that waits while no instance is on its way out for its sake. */
  #nextWithoutPlace(): Admission['waiting'][number] | undefined {
    const coming = [...this.#leaving]
    return this.#admission.waiting.find(({ ownerId, obstacle }) => {
      const at = coming.indexOf(placeFor(ownerId, obstacle))
      if (at >= 0) coming.splice(at, 1)
      return at < 0
    })
  }

  /** Before one more is started: as long as memory is short, whatever is not in use goes. */
  async #freeMemory(ownerId: string): Promise<void> {
    for (let gone = 0; gone < MOST_RETIRED && this.#isShort(); gone++) {
      const retired = this.#makeRoom(ownerId)
      if (!retired) return
      await retired
    }
  }

  #recordOf({ id, loaded, startedAt }: LiveInstance): Instance {
    const { deploymentId, ownerId, program } = loaded
    const { id: programId, memoryMb } = program
    return {
      ...{ id, deploymentId, program: programId, ownerId, memoryMb },
      ...{ worker: this.#options.worker, startedAt },
    }
  }

  #added(instance: LiveInstance, pool: ProgramPool): void {
    this.#poolOf.set(instance.id, pool)
    this.#list(instance.id, this.#recordOf(instance))
  }

  #removed({ id }: LiveInstance): void {
    this.#poolOf.delete(id)
    this.#list(id, undefined)
  }

  #list(id: string, record: Instance | undefined): void {
    // At the end, where it is found by what is being written.
    this.#unlisted.delete(id)
    this.#unlisted.set(id, record)
    void this.#writeList()
  }

  /** Nobody waits for it but who stops. What fails is written later. */
  #writeList(): Promise<void> {
    this.#listing ??= this.#writeUnlisted()
      .then(() => {
        this.#isListDoubtful = false
      })
      .catch((err) => {
        if (!this.#isListDoubtful)
          this.#options.logger.warn({ err }, 'the list of instances could not be written')
        this.#isListDoubtful = true
      })
      .finally(() => {
        this.#listing = undefined
      })
    return this.#listing
  }

  async #writeUnlisted(): Promise<void> {
    const { instances, worker } = this.#options
    if (!this.#isListCleared) await instances.clear(worker)
    this.#isListCleared = true
    for (const [id, record] of this.#unlisted) {
      if (record === undefined || this.#isListDoubtful) await instances.remove(id)
      if (record !== undefined) await instances.add(record)
      if (this.#unlisted.get(id) === record) this.#unlisted.delete(id)
    }
  }

  #look(): void {
    if (this.#unlisted.size > 0 || !this.#isListCleared) void this.#writeList()
    this.#admission.look()
    for (const { ownerId, obstacle } of this.#admission.waiting)
      if (obstacle === 'account') void this.#allowAgain(ownerId)
    const next = this.#nextWithoutPlace()
    if (next) void this.#makeRoom(next.ownerId, next.obstacle)
    // What the last one leaves free is seen only when it is gone.
    else if (this.#leaving.length === 0 && this.#isShort()) void this.#makeRoom()
    for (const [deploymentId, pools] of this.#pools) {
      for (const [program, pool] of pools) {
        pool.sweep()
        if (pool.forgettable) pools.delete(program)
      }
      if (pools.size === 0) this.#pools.delete(deploymentId)
    }
    this.#warm.trim()
  }

  #uncached(removed: Promise<void>): void {
    removed.catch((err) => this.#options.logger.warn({ err }, 'compiled code could not be removed'))
  }

  /** A serving process connects. */
  #welcome(socket: Socket): void {
    let last = 0
    /** Of `end` messages, those that it is still to be told of, and when it has been. */
    let untold = 0
    let told: Promise<unknown> = Promise.resolve()
    const tell = (end: number, isLost: boolean) =>
      line.send({ type: 'heard', end, ...(isLost && { isLost }) })
    const subscriber: Subscriber = {
      send: (message) => line.send(message),
      hear(end, wasLost) {
        if (wasLost === undefined && untold === 0) return tell(end, false)
        untold++
        told = Promise.all([wasLost, told]).then(([isLost = false]) => {
          untold--
          tell(end, isLost)
        })
      },
      examined: new Set(),
      get end() {
        return Math.min(last, ...[...this.examined].map((end) => end - 1))
      },
    }
    this.#clients.set(socket, subscriber)
    const line = speakJsonLines(socket, {
      maxBytes: MAX_LINE_BYTES,
      onMessage: (message) => {
        const received = message as unknown as ToHost
        if (received.type === 'end') last = received.end
        this.#hear(received, subscriber)
        if (this.#draining) this.#letGo(socket, subscriber)
      },
      onClose: () => {
        this.#clients.delete(socket)
        for (const pool of this.#allPools()) pool.leave(subscriber)
      },
    })
  }

  /**
   * While this one drains: whoever has nothing here any more is told to go elsewhere, to the process that takes the place of
   * this one or to another machine. It may take long until the last instance has ended, and what they want meanwhile is not started here.
   */
  #letGo(socket: Socket, subscriber: Subscriber): void {
    // What it complained of is looked into first.
    if (subscriber.examined.size > 0) return
    for (const pool of this.#allPools()) if (!pool.isLeftBy(subscriber)) return
    socket.end()
  }

  #hear(message: ToHost, subscriber: Subscriber): void {
    switch (message.type) {
      case 'want': {
        const { deployment, program, waiting, knowsNone } = message
        if (!this.#draining)
          this.#pool({ deploymentId: deployment, program }).want(subscriber, waiting, knowsNone)
        return
      }
      case 'counts':
        for (const [id, requests] of message.counts) {
          const pool = this.#poolOf.get(id)
          const instance = pool?.instance(id)
          if (instance) pool?.counted(instance, subscriber, requests)
        }
        return
      case 'seen':
        for (const pool of this.#allPools()) pool.seen(subscriber, message.list)
        return
      case 'end': {
        const pool = this.#poolOf.get(message.id)
        const instance = pool?.instance(message.id)
        const wasLost = instance?.wasLost()
        subscriber.hear(message.end, wasLost)
        if (instance) void pool?.examine(instance, subscriber, message.end, wasLost)
      }
    }
  }
}

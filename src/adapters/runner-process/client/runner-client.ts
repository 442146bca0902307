import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { SECOND } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import { type Lease, type LeaseOptions, type ProgramRef, RunnerError } from '#core/ports/runner.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { type JsonLines, speakJsonLines } from '../json-lines.ts'
import { MAX_LINE_BYTES, type ToClient } from '../messages.ts'
import { MachineLost, type MachineRunner } from '../peer/cluster-runner.ts'

interface RunnerClientOptions {
  /** Where the working process of this machine listens; asked before each try to reach it. */
  readonly socket?: string | (() => string)
  /** In place of that: the working process of another machine. */
  readonly peer?: {
    readonly name: string
    connect(to: 'runner' | { readonly instance: string }): Socket
  }
  readonly logger: Log
  /** How long a request waits while nothing runs programs. */
  readonly timeoutMs?: number
  /** How long a host may take to say that it is there. */
  readonly doubtMs?: number
}

export type RunnerClient = MachineRunner

interface KnownProgram {
  readonly id: string
  readonly socket: string
  readonly readyAt: number
  readonly connect: (() => Socket) | undefined
  slots: number
  requests: number
  /** Out of use until a list comes that takes account of this `end` message. */
  doubted: number
}

interface WaitingLease {
  readonly since: number
  readonly options: LeaseOptions | undefined
  readonly grant: (lease: Lease) => void
  readonly refuse: (error: unknown) => void
}

interface Program {
  readonly deployment: string
  readonly program: string
  instances: readonly KnownProgram[]
  grows: boolean
  readonly waiting: Set<WaitingLease>
  /** How many were waiting when the host was last told; undefined where it has to be told. */
  told: number | undefined
  /** Which instance requests with a text of theirs went to. */
  readonly affinity: Map<string, string>
}

const REPORT_MS = 100
const FIRST_RETRY_MS = 20
const LONGEST_RETRY_MS = SECOND
const MOST_AFFINITIES = 10_000
/** How long a request waits for an instance that starts. */
const START_MS = 120 * SECOND
/** A host that is alive answers sooner. */
const DOUBT_MS = 3 * SECOND

const GONE = new RunnerError('absent', 'There is no such instance any more')

const weight = (affinity: string, id: string): string =>
  createHash('sha1').update(`${affinity}\0${id}`).digest('hex')

/**
 * The runner of a serving process. It knows the instances of the programs it has asked for, and gives requests to
 * them without asking anybody; the working process is told of the counts now and then, and asked when there are too
 * few.
 */
export const createRunnerClient = (options: RunnerClientOptions): RunnerClient => new ProcessClient(options)

class ProcessClient implements RunnerClient {
  readonly #options: RunnerClientOptions & Required<Pick<RunnerClientOptions, 'timeoutMs' | 'doubtMs'>>
  /** By deployment, then by program. */
  readonly #programs = new Map<string, Map<string, Program>>()
  /** Instances by id, those that take no new requests too while they have some. */
  readonly #instances = new Map<string, KnownProgram>()
  readonly #changed = new Set<KnownProgram>()
  #line: JsonLines | undefined
  #socket: Socket | undefined
  #retryMs = FIRST_RETRY_MS
  #retry: NodeJS.Timeout | undefined
  #report: NodeJS.Timeout | undefined
  #ends = 0
  /** Those who want to know whether the host is still there, and the `end` message by whose answer they will. */
  readonly #doubts = new Set<{ readonly end: number; readonly settle: (isLost: boolean) => void }>()
  /** Connections to instances of another machine. */
  readonly #reached = new Set<Socket>()
  /** Whether the machine that was left is lost. */
  #fate: Promise<boolean> | undefined
  #hosts = 0
  #lost = false
  #closed = false

  constructor(options: RunnerClientOptions) {
    this.#options = { timeoutMs: 30 * SECOND, doubtMs: DOUBT_MS, ...options }
    this.#connect()
  }

  get isConnected(): boolean {
    return this.#line !== undefined
  }

  hasInstance({ deploymentId, program }: ProgramRef): boolean {
    const known = this.#programs.get(deploymentId)?.get(program)
    return known?.instances.some(({ doubted, requests, slots }) => doubted === 0 && requests < slots) === true
  }

  lease(ref: ProgramRef, options?: LeaseOptions): Lease | Promise<Lease> {
    const program = this.#programs.get(ref.deploymentId)?.get(ref.program)
    const instance = program && choose(program, options)
    if (instance) return this.#grant(program, instance)
    if (program && program.instances.length > 0 && isGone(program, options)) throw GONE
    return this.#wait(ref, options)
  }

  close(): void {
    this.#stop(new RunnerError('unavailable', 'The process stops'))
    this.#socket?.destroy()
    for (const { settle } of this.#doubts) settle(false)
  }

  leave(): void {
    if (this.#closed) return
    this.#stop(new MachineLost())
    this.#fate = this.#isSilent().then((isLost) => {
      this.#socket?.destroy()
      for (const { settle } of this.#doubts) settle(isLost)
      // Nothing else ends them: who sends to a machine that is cut off is not told so for many minutes.
      if (isLost) for (const socket of this.#reached) socket.destroy()
      return isLost
    })
  }

  #stop(error: RunnerError): void {
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#report)
    for (const programs of this.#programs.values())
      for (const { waiting } of programs.values()) for (const { refuse } of waiting) refuse(error)
  }

  /** Whether the host, asked now, says nothing. */
  #isSilent(): Promise<boolean> {
    if (this.#line === undefined) return Promise.resolve(true)
    // Of no instance: all that comes of it is that it was heard.
    this.#line.send({ type: 'end', id: '', how: 'broken', end: ++this.#ends })
    return this.#doubt(true)
  }

  #grant(program: Program, instance: KnownProgram, since = Number.POSITIVE_INFINITY): Lease {
    instance.requests++
    this.#touch(instance)
    return new GrantedLease(this, this.#hosts, program, instance, instance.readyAt >= since)
  }

  /** That it has heard the last `end` message tells that the host is alive. */
  isLost(host: number): Promise<boolean> {
    if (host !== this.#hosts) return Promise.resolve(true)
    if (this.#closed) return this.#fate ?? Promise.resolve(false)
    return this.#doubt(false)
  }

  /** Whether the host is lost; `silence` is what it means if it does not say that it has heard the last `end` message. */
  #doubt(silence: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const doubt = {
        end: this.#ends,
        settle: (isLost: boolean) => {
          clearTimeout(timer)
          this.#doubts.delete(doubt)
          resolve(isLost)
        },
      }
      const timer = setTimeout(() => doubt.settle(silence), this.#options.doubtMs).unref()
      this.#doubts.add(doubt)
    })
  }

  release(program: Program, instance: KnownProgram, end: 'broken' | 'stuck' | undefined): void {
    instance.requests--
    // Of a host that is gone nothing is left to be told.
    if (this.#instances.get(instance.id) !== instance) return
    this.#touch(instance)
    if (end !== undefined) {
      instance.doubted = ++this.#ends
      this.#line?.send({ type: 'end', id: instance.id, how: end, end: instance.doubted })
    }
    if (program.waiting.size > 0) this.#serve(program)
  }

  #wait(ref: ProgramRef, options: LeaseOptions | undefined): Promise<Lease> {
    const program = this.#programOf(ref.deploymentId, ref.program)
    const { timeoutMs } = this.#options
    const { signal } = options ?? {}
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#closed) return reject(new RunnerError('unavailable', 'The process stops'))
      const end = () => {
        program.waiting.delete(waiting)
        clearTimeout(waitTimer)
        clearTimeout(longest)
        signal?.removeEventListener('abort', abort)
        if (program.waiting.size === 0) this.#told(program)
      }
      const waiting: WaitingLease = {
        since: systemClock.monotonic(),
        options,
        grant: (lease) => {
          end()
          resolve(lease)
        },
        refuse: (error) => {
          end()
          reject(error)
        },
      }
      const abort = () => waiting.refuse(signal?.reason)
      const tooLong = (ms: number, message: string, isSo = () => true) =>
        setTimeout(() => isSo() && waiting.refuse(new RunnerError('unavailable', message)), ms)
      const waitTimer = tooLong(
        timeoutMs,
        'Nothing runs programs at the moment',
        () => this.#line === undefined,
      )
      const longest = tooLong(START_MS, 'No instance became free in time')
      signal?.addEventListener('abort', abort)
      program.waiting.add(waiting)
      // The first is told of at once; how many follow it, a little later.
      if (program.waiting.size === 1) this.#ask(program)
      else this.#told(program)
    })
  }

  #programOf(deployment: string, name: string): Program {
    const programs = this.#programs.get(deployment) ?? new Map<string, Program>()
    this.#programs.set(deployment, programs)
    const known = programs.get(name)
    if (known) return known
    const program: Program = {
      ...{ deployment, program: name, instances: [], grows: true },
      ...{ waiting: new Set(), told: 0, affinity: new Map() },
    }
    programs.set(name, program)
    return program
  }

  #ask(program: Program): void {
    const { deployment, program: name, waiting: all } = program
    program.told = all.size
    // For one that wants a certain instance, no other has to be started.
    const waiting = [...all].filter(({ options }) => options?.instance === undefined).length
    const knowsNone = waiting < all.size && program.instances.length === 0
    this.#line?.send({ type: 'want', deployment, program: name, waiting, ...(knowsNone && { knowsNone }) })
  }

  /** Something changed that the host should know of before long. */
  #told(program: Program): void {
    program.told = undefined
    this.#soon()
  }

  #touch(instance: KnownProgram): void {
    this.#changed.add(instance)
    this.#soon()
  }

  #soon(): void {
    this.#report ??= setTimeout(() => this.#tell(), REPORT_MS).unref()
  }

  /** Tells the host of all counts that changed. */
  #tell(): void {
    clearTimeout(this.#report)
    this.#report = undefined
    this.#tellCounts()
    for (const programs of this.#programs.values())
      for (const program of programs.values()) if (program.told === undefined) this.#ask(program)
  }

  #tellCounts(): void {
    if (this.#changed.size === 0) return
    const counts = [...this.#changed].map(({ id, requests }) => [id, requests] as const)
    for (const instance of this.#changed)
      if (instance.requests === 0 && instance.slots === 0) this.#instances.delete(instance.id)
    this.#changed.clear()
    this.#line?.send({ type: 'counts', counts })
  }

  #hear(message: ToClient): void {
    if (message.type === 'heard') {
      const { end: heard, isLost = false } = message
      for (const { end, settle } of this.#doubts) if (end <= heard) settle(isLost && end === heard)
      return
    }
    const program = this.#programOf(message.deployment, message.program)
    if (message.type === 'failed') {
      const error = new RunnerError(message.fault, message.message)
      for (const { refuse } of program.waiting) refuse(error)
      program.told = 0
      this.#forgetIfEmpty(program)
      return
    }
    const before = program.instances
    program.grows = message.grows
    program.instances = message.instances.map(([id, socket, slots, readyAt]) => {
      const known = this.#instances.get(id) ?? {
        ...this.#placeOf(socket, readyAt),
        ...{ id, slots, requests: 0, doubted: 0 },
      }
      known.slots = slots
      if (known.doubted <= message.end) known.doubted = 0
      this.#instances.set(id, known)
      return known
    })
    for (const instance of before) if (!program.instances.includes(instance)) this.#retire(instance)
    this.#serve(program)
    // In this order: the counts are those after the last request to what was left out.
    this.#tellCounts()
    this.#line?.send({ type: 'seen', list: message.list })
    if (program.waiting.size > 0) this.#ask(program)
    this.#forgetIfEmpty(program)
  }

  /** Another machine has paths and a clock of its own. */
  #placeOf(path: string, readyAt: number): Pick<KnownProgram, 'socket' | 'readyAt' | 'connect'> {
    const { peer } = this.#options
    if (peer === undefined) return { socket: path, readyAt, connect: undefined }
    return {
      socket: `${peer.name}:${path}`,
      readyAt: systemClock.monotonic(),
      connect: () => {
        const socket = peer.connect({ instance: path })
        this.#reached.add(socket)
        return socket.once('close', () => this.#reached.delete(socket))
      },
    }
  }

  /** It gets no more requests; those that it has are counted to the end. */
  #retire(instance: KnownProgram): void {
    instance.slots = 0
    if (instance.requests === 0) this.#instances.delete(instance.id)
    this.#touch(instance)
  }

  #forgetIfEmpty({ deployment, program, instances, waiting }: Program): void {
    if (instances.length > 0 || waiting.size > 0) return
    const programs = this.#programs.get(deployment)
    programs?.delete(program)
    if (programs?.size === 0) this.#programs.delete(deployment)
  }

  /** Gives requests that wait to whatever is free. */
  #serve(program: Program): void {
    for (const { options, grant, refuse, since } of program.waiting) {
      const instance = choose(program, options)
      if (instance !== undefined) grant(this.#grant(program, instance, since))
      else if (isGone(program, options)) refuse(GONE)
      else if (options?.instance === undefined && options?.affinity === undefined) return
    }
  }

  #connect(): void {
    if (this.#closed) return
    const { socket: where = '', peer } = this.#options
    const socket = peer ? peer.connect('runner') : connect(typeof where === 'string' ? where : where())
    this.#socket = socket
    const line = speakJsonLines(socket, {
      maxBytes: MAX_LINE_BYTES,
      onMessage: (message) => this.#hear(message as unknown as ToClient),
      onClose: () => this.#disconnected(),
    })
    // A process that has nothing else to do may end.
    socket.unref()
    socket.once(peer ? 'secureConnect' : 'connect', () => {
      this.#line = line
      this.#retryMs = FIRST_RETRY_MS
      if (this.#lost) this.#say('info')
      this.#lost = false
      for (const programs of this.#programs.values())
        for (const program of programs.values()) if (program.waiting.size > 0) this.#ask(program)
    })
  }

  /** That the host is gone, or there again. Without another machine, this one and the others run programs. */
  #say(level: 'warn' | 'info'): void {
    const { peer, logger } = this.#options
    const own = {
      warn: 'programs cannot be run: the working process does not answer',
      info: 'programs can be run again',
    }
    const others = {
      warn: 'another machine does not answer: it runs no programs for this one',
      info: 'another machine runs programs for this one again',
    }
    if (peer === undefined) logger[level]({}, own[level])
    else logger[level]({ machine: peer.name }, others[level])
  }

  /** The host is gone and its instances with it. */
  #disconnected(): void {
    if (this.#line !== undefined && !this.#closed) {
      this.#lost = true
      this.#say('warn')
    }
    this.#line = undefined
    this.#hosts++
    for (const { settle } of this.#doubts) settle(true)
    this.#instances.clear()
    this.#changed.clear()
    for (const programs of this.#programs.values())
      for (const program of programs.values()) {
        program.instances = []
        program.grows = true
        // For this machine's own there is no other; in the place of another machine the next one is asked.
        if (this.#options.peer) for (const { refuse } of program.waiting) refuse(new MachineLost())
        this.#forgetIfEmpty(program)
      }
    if (this.#closed) return
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs).unref()
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS)
  }
}

/** Of a class, because one is made for every request: functions of its own would cost more than all else of it. */
class GrantedLease implements Lease {
  readonly instanceId: string
  readonly socket: string
  readonly connect: (() => Socket) | undefined
  readonly isCold: boolean
  readonly #client: ProcessClient
  readonly #host: number
  readonly #program: Program
  readonly #instance: KnownProgram
  #isReleased = false

  constructor(
    client: ProcessClient,
    host: number,
    program: Program,
    instance: KnownProgram,
    isCold: boolean,
  ) {
    this.instanceId = instance.id
    this.socket = instance.socket
    this.connect = instance.connect
    this.isCold = isCold
    this.#client = client
    this.#host = host
    this.#program = program
    this.#instance = instance
  }

  release(end?: 'broken' | 'stuck'): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#client.release(this.#program, this.#instance, end)
  }

  isHostLost(): Promise<boolean> {
    return this.#client.isLost(this.#host)
  }
}

/** Whether a request is for an instance that is not there. One that is being looked into may turn out to be well. */
const isGone = ({ instances }: Program, options: LeaseOptions | undefined): boolean =>
  options?.instance !== undefined && !instances.some(({ id }) => id === options.instance)

/** The instance for a request: the one it belongs to, a free one, or where no other will come the least busy. */
function choose(program: Program, options: LeaseOptions | undefined): KnownProgram | undefined {
  const { affinity, instance: wanted } = options ?? {}
  if (wanted !== undefined) return program.instances.find(({ id, doubted }) => id === wanted && doubted === 0)
  if (affinity !== undefined) return chooseFor(program, affinity)
  let best: KnownProgram | undefined
  for (const instance of program.instances)
    if (instance.doubted === 0 && (best === undefined || instance.requests < best.requests)) best = instance
  return best === undefined || (best.requests >= best.slots && program.grows) ? undefined : best
}

function chooseFor(program: Program, affinity: string): KnownProgram | undefined {
  const usable = program.instances.filter(({ doubted }) => doubted === 0)
  const before = program.affinity.get(affinity)
  const same = usable.find(({ id }) => id === before)
  if (same) return same
  const free = usable.filter(({ requests, slots }) => requests < slots)
  // Another one may come for those who are new.
  if (free.length === 0 && program.grows) return undefined
  // Other serving processes choose alike.
  let best: { readonly instance: KnownProgram; readonly weight: string } | undefined
  for (const instance of free.length > 0 ? free : usable) {
    const own = weight(affinity, instance.id)
    if (best === undefined || own > best.weight) best = { instance, weight: own }
  }
  if (best === undefined) return undefined
  if (program.affinity.size >= MOST_AFFINITIES) {
    const [oldest] = program.affinity.keys()
    if (oldest !== undefined) program.affinity.delete(oldest)
  }
  program.affinity.set(affinity, best.instance.id)
  return best.instance
}

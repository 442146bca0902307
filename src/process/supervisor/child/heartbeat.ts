import { readFileSync } from 'node:fs'
import { url as inspectorUrl } from 'node:inspector'
import { type Channel, kindOf } from '#adapters/ipc/channel.ts'
import { MIGRATION_LIMIT } from '#adapters/sql/database/migration-limit.ts'
import { MINUTE, SECOND } from '#contract/time.ts'

const BEAT = 'heartbeat'

/** How often a process is asked. */
const BEAT_MS = SECOND
/** Of a process that waits for a processor, the share that it must have had to count as one that stands still. */
const LEAST_SHARE = 0.1
/** A process that gets no processor has so many times as long. */
const INDULGENCE = 4
/** Starting is one long piece of work: the limit is about those that serve, and counts from then on. */
const START_MS = 3 * MINUTE

interface Beat {
  readonly kind: typeof BEAT
  readonly n: number
  readonly debugged?: boolean
  /** The share of the time since the last answer in which the event loop had something to do, from 0 to 1. */
  readonly busy?: number
}

/** The end in a process that the supervisor keeps: answers as soon as the event loop comes to it. */
export function answerHeartbeat(channel: Channel): void {
  let before = performance.eventLoopUtilization()
  channel.onMessage((message) => {
    if (kindOf(message) !== BEAT) return
    const { n } = message as Beat
    const now = performance.eventLoopUtilization()
    const busy = performance.eventLoopUtilization(now, before).utilization
    before = now
    channel.send({ kind: BEAT, n, debugged: inspectorUrl() !== undefined, busy } satisfies Beat)
  })
}

/** What the system tells of a process; undefined where it does not. */
export interface ProcessSight {
  /** One letter: R runs or waits for a processor, S and D wait, T is stopped, t is held by a debugger. */
  readonly state: string
  /** The time that it has had a processor, in milliseconds. */
  readonly cpuMs: number
  readonly isTraced: boolean
}

const TICK_MS = 10

export function seeProcess(pid: number): ProcessSight | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before it may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const tracer = /^TracerPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return {
      state: fields[0] ?? '',
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      isTraced: tracer !== undefined && tracer !== '0',
    }
  } catch {
    return undefined
  }
}

interface HeartbeatOptions {
  readonly channel: Channel
  /** Silence of this length means that it stands still. */
  readonly limitMs: number
  readonly see: () => ProcessSight | undefined
  /** It brings the data up to date first, which may take an embedded database very long without a word. */
  readonly prepares?: boolean
  /** Never goes back, whatever happens to the time of day. */
  readonly now?: () => number
  /** Once. */
  readonly onHung: (hung: Hung) => void
}

export interface Hung {
  readonly silentMs: number
  /** The letter for its state, where that is known. */
  readonly state: string | undefined
  /** The processor time that it has used meanwhile. */
  readonly cpuMs: number | undefined
}

/**
 * Watches over the event loop of another process. Only silence is counted in which this process was awake itself: a
 * supervisor that was stopped, or a machine that slept, sees one late tick, and then the answers. A process under a
 * debugger is left alone, and one that does not get a processor has more time.
 */
export class Heartbeat {
  readonly #options: Required<HeartbeatOptions>
  readonly #timer: NodeJS.Timeout
  #lastTick: number
  #asked = 0
  #answered = 0
  #silentMs = 0
  #before: ProcessSight | undefined
  #isDebugged = false
  #busy = 0
  #isPreparing: boolean
  #isServing = false
  #isStopped = false

  constructor(options: HeartbeatOptions) {
    this.#options = { now: () => performance.now(), prepares: false, ...options }
    this.#isPreparing = this.#options.prepares
    this.#lastTick = this.#options.now()
    options.channel.onMessage((message) => {
      if (kindOf(message) !== BEAT) return
      const { n, debugged, busy = 0 } = message as Beat
      this.#answered = Math.max(this.#answered, n)
      this.#isDebugged = debugged === true
      this.#busy = busy
    })
    this.#timer = setInterval(() => this.tick(), BEAT_MS)
  }

  /**
   * How busy it was when it last answered, from 0 to 1; one that does not answer is busy. One that is being started takes
   * nothing from the others yet, however long that takes.
   */
  get busy(): number {
    if (!this.#isServing) return 0
    return this.#silentMs > 0 ? 1 : this.#busy
  }

  /** The data is up to date: from now on it starts as any other. */
  prepared(): void {
    this.#isPreparing = false
    this.#silentMs = 0
  }

  /** It has begun to serve: from now on it may not stand still for long. */
  serving(): void {
    this.#isServing = true
    this.#silentMs = 0
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
  }

  tick(): void {
    if (this.#isStopped) return
    const { channel, limitMs, see, now, onHung } = this.#options
    const at = now()
    const awakeMs = Math.min(at - this.#lastTick, 2 * BEAT_MS)
    this.#lastTick = at
    if (this.#answered === this.#asked) {
      this.#silentMs = 0
      this.#before = undefined
      channel.send({ kind: BEAT, n: ++this.#asked } satisfies Beat)
      return
    }
    this.#before ??= see()
    this.#silentMs += awakeMs
    if (this.#silentMs < limitMs) return
    const sight = see()
    const cpuMs = sight && this.#before && sight.cpuMs - this.#before.cpuMs
    if (this.#isDebugged || sight?.isTraced) return
    const isStarved = sight?.state === 'R' && (cpuMs ?? 0) < this.#silentMs * LEAST_SHARE
    if (isStarved && this.#silentMs < limitMs * INDULGENCE) return
    if (!this.#isServing && this.#silentMs < START_MS) return
    // What would be done again from the beginning is not cut off while it goes on.
    const isAtIt = this.#silentMs < MIGRATION_LIMIT || (cpuMs ?? 0) >= this.#silentMs * LEAST_SHARE
    if (this.#isPreparing && isAtIt) return
    this.stop()
    onHung({ silentMs: Math.round(this.#silentMs), state: sight?.state, cpuMs })
  }
}

import { MINUTE, SECOND } from '#contract/time.ts'
import type { Scale } from '#core/deployment/deployment.ts'
import type { LoadedProgram, LoadProgram } from '#core/instance/instance.ts'
import { instancesToStart, type ProcessorLoad } from '#core/instance/instances-to-start.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { type ProgramRef, RunnerError } from '#core/ports/runner.ts'
import type { ListedInstance, ToClient } from '../messages.ts'
import type { LiveInstance, Started } from './live-instance.ts'
import { lookAtProcessor, type MachineProcessor } from './processor-load.ts'

/** A serving process, as a pool sees it. */
export interface Subscriber {
  send(message: ToClient): void
  /** Tells it, in their order, that an `end` message has come, and whether the loss of a node was the reason for it. */
  hear(end: number, wasLost: Promise<boolean> | undefined): void
  /** The last `end` message of it up to which all that it complained of was looked into. */
  readonly end: number
  /** Its `end` messages that are being looked into. */
  readonly examined: Set<number>
}

interface PoolParts {
  readonly load: LoadProgram
  /** Gives the program to a runtime; waits while the machine runs as much as it may. */
  readonly start: (loaded: LoadedProgram) => Promise<LiveInstance>
  readonly added: (instance: LiveInstance) => void
  readonly removed: (instance: LiveInstance) => void
  readonly onCrashLoop: (ref: ProgramRef, reason: string) => void
  /** Numbers for lists: higher ones are sent later. */
  readonly nextList: () => number
  readonly processor: () => MachineProcessor
  readonly clock: Clock
  readonly logger: Log
  readonly limits: PoolLimits
}

export interface PoolLimits {
  /** Requests that an instance has at once before another is started. */
  readonly concurrency: number
  readonly commandConcurrency: number
  readonly idleMs: number
  readonly commandIdleMs: number
  /** How long a stopped instance has to finish what it does after its requests. */
  readonly graceMs: number
}

interface ProgramDemand {
  waiting: number
  /** The last list that it was sent. */
  told: number
  /** The last list that it has received. */
  seen: number
  /** Whether it was told that more may come. */
  grows: boolean
}

/** So many deaths in so short a time, and a program counts as one that keeps crashing. */
const DEATHS = 5
const WITHIN_MS = MINUTE
/** How long it is remembered that a program which nobody asks for has died. */
const REMEMBERED_MS = 10 * MINUTE
/** The second start in a row comes after a pause, which doubles with every further death. */
const FIRST_PAUSE_MS = 100
/** A visitor may have brought it down, so the others do not have to wait for long. */
const LONGEST_PAUSE_MS = 10 * SECOND
/** Of a program that does not even start. */
const LONGEST_START_PAUSE_MS = MINUTE
/** Requests wait for a pause of this length, and are answered with an error during a longer one. */
const TIMEOUT_MS = SECOND
/** After a failure that is not the program's. */
const UNAVAILABLE_PAUSE_MS = 5 * SECOND
/** So many looks at the processor in a row, about a second, without any request that ended: they may wait for one of those in line. */
const STILL_LOOKS = 10
const ENDED_WITHOUT_LISTENING = 'The program ended without listening on PORT'

const pauseAfter = (inARow: number): number => (inARow < 2 ? 0 : FIRST_PAUSE_MS * 2 ** (inARow - 2))

const noProgram = () => new RunnerError('absent', 'There is no such program')

/** The instances of one program: as many as its requests need, within its scale. */
export class ProgramPool {
  readonly ref: ProgramRef
  readonly #parts: PoolParts
  readonly #instances = new Map<string, LiveInstance>()
  /** Those that have the program's code, until nothing is left of them: whether they take requests yet, or ever will, or not. */
  readonly #begun = new Set<LiveInstance>()
  readonly #wants = new Map<Subscriber, ProgramDemand>()
  #scale: Scale | undefined
  #loaded: LoadedProgram | undefined
  #starting = 0
  /** Whether it is being watched what the instances use of the processor. */
  #isLooking = false
  /** Whether a request was given to an instance, or has ended, since that was last looked at. */
  #moved = false
  #deaths: number[] = []
  /** Deaths since it last ran for long. */
  #failures = 0
  #pausedUntil = 0
  /** Why it died last, while it is paused for that. */
  #reason: string | undefined
  /** It did its work and ended; it is not started again for the sake of its scale. */
  #finished = false
  /** Since it last ran for long, how often it ended like that after it had listened; until when its scale is not kept for that. */
  #exits = 0
  #restsUntil = 0
  #usedAt: number
  #closed: 'deleted' | 'draining' | undefined
  #settled = new Set<() => void>()

  constructor(ref: ProgramRef, parts: PoolParts) {
    this.ref = ref
    this.#parts = parts
    this.#usedAt = parts.clock.monotonic()
  }

  get instances(): readonly LiveInstance[] {
    return [...this.#instances.values()]
  }

  /** Whether requests wait for one that starts. */
  get urgent(): boolean {
    return this.#starting > 0 && this.#waiting > 0
  }

  /** Nothing runs, nobody waits, and it has been so for a while. */
  get forgettable(): boolean {
    // What is known of its deaths is kept for longer, so that its pauses go on growing.
    const quiet =
      this.#parts.clock.monotonic() - this.#usedAt > (this.#failures > 0 ? REMEMBERED_MS : WITHIN_MS)
    const unused = this.#instances.size === 0 && this.#starting === 0 && this.#waiting === 0
    return quiet && unused && this.#min === 0 && this.#fastFailure() === undefined
  }

  /** So many requests of a serving process wait; it is told of all changes from now on. */
  want(subscriber: Subscriber, waiting: number, knowsNone = false): void {
    this.#usedAt = this.#parts.clock.monotonic()
    const want = this.#wants.get(subscriber) ?? { waiting: 0, told: 0, seen: 0, grows: false }
    const isNew = !this.#wants.has(subscriber)
    want.waiting = waiting
    this.#wants.set(subscriber, want)
    const failure = this.#fastFailure()
    if (failure !== undefined && this.#instances.size === 0) {
      this.#refuse(failure)
      return
    }
    this.#ensure()
    // The share of each serving process depends on how many there are.
    if (isNew) this.#tellAll()
    else if (want.grows !== this.#grows || knowsNone) this.#tell(subscriber)
  }

  /** A serving process is gone, and its requests with it. */
  leave(subscriber: Subscriber): void {
    this.#wants.delete(subscriber)
    // Whoever had nothing there has not used it.
    for (const instance of this.#instances.values())
      if (instance.servesFor(subscriber)) this.counted(instance, subscriber, 0)
    this.#notice()
  }

  counted(instance: LiveInstance, subscriber: Subscriber, requests: number): void {
    this.#usedAt = this.#parts.clock.monotonic()
    this.#moved = true
    instance.counted(subscriber, requests)
    this.#notice()
  }

  seen(subscriber: Subscriber, list: number): void {
    const want = this.#wants.get(subscriber)
    if (want) want.seen = Math.max(want.seen, list)
    this.#notice()
  }

  /** Whether a serving process has no request here, and knows that there will be none: only so while this one drains. */
  isLeftBy(subscriber: Subscriber): boolean {
    const want = this.#wants.get(subscriber)
    if (want === undefined) return true
    if (this.#closed === undefined || want.seen < want.told) return false
    return this.instances.every((instance) => !instance.servesFor(subscriber))
  }

  instance(id: string): LiveInstance | undefined {
    return this.#instances.get(id)
  }

  /** What a serving process complained of is looked into; it is told what came of it. One whose node is lost is moved. */
  async examine(
    instance: LiveInstance,
    subscriber: Subscriber,
    end: number,
    wasLost: Promise<boolean> | undefined,
  ): Promise<void> {
    subscriber.examined.add(end)
    const isAlive = (await wasLost) === true || (await instance.answers())
    subscriber.examined.delete(end)
    if (isAlive) this.#tell(subscriber)
    else instance.kill('The program did not answer any more')
  }

  /** Starts one now, unless one runs. */
  async boot(): Promise<Started> {
    this.#forgive()
    for (const { retiring } of this.#instances.values()) if (!retiring) return { listening: true }
    this.#starting++
    return this.#startOne()
  }

  /** Between these, from now on; what stopped it from starting is forgotten. */
  rescale(scale: Scale): void {
    this.#scale = scale
    this.#forgive()
    this.#ensure()
    this.#tellAll()
  }

  /** Stops those that have had nothing to do for long, and keeps as many as there should be. */
  sweep(): void {
    if (this.#closed) return
    const { clock, limits } = this.#parts
    const now = clock.monotonic()
    let count = this.#ready.length
    for (const instance of this.#ready) {
      const isCommand = instance.loaded.program.shape === 'command'
      const idleLimit = isCommand ? limits.commandIdleMs : limits.idleMs
      if (count <= this.#min) break
      const isLong = now - instance.idleSince >= idleLimit
      if (!instance.idle || !(isLong || count > this.#max)) continue
      count--
      void this.retire(instance)
    }
    if (this.#fastFailure() === undefined) this.#ensure()
  }

  /** Lets an instance finish: no new requests, then those that it has, then whatever they left to do. */
  async retire(
    instance: LiveInstance,
    ms = this.#longestRequest,
    graceMs = this.#parts.limits.graceMs,
  ): Promise<void> {
    if (instance.retiring) return
    instance.retiring = true
    const list = this.#tellAll()
    const over = () => instance.busy === 0 && [...this.#wants.values()].every(({ seen }) => seen >= list)
    await this.#until(over, ms)
    instance.stop(graceMs)
    await instance.gone
  }

  /** No program any more: all ends at once. */
  close(fault: RunnerError): void {
    this.#closed = 'deleted'
    for (const instance of this.#begun) instance.kill()
    this.#tellAll()
    this.#refuse(fault)
  }

  /** No new instances; those there are finish what they do. Requests that wait do so until somebody takes over. */
  async drain(ms: number): Promise<void> {
    this.#closed = 'draining'
    this.#notice()
    const instances = this.instances
    for (const instance of instances) void this.retire(instance, ms, ms)
    const timer = setTimeout(() => {
      for (const instance of instances) instance.kill()
    }, ms)
    await Promise.all(instances.map(({ gone }) => gone))
    clearTimeout(timer)
  }

  /** What kept it from starting no longer counts. */
  #forgive(): void {
    this.#deaths = []
    this.#failures = 0
    this.#pausedUntil = 0
    this.#reason = undefined
    this.#finished = false
    this.#exits = 0
    this.#restsUntil = 0
    this.#notice()
  }

  get #ready(): readonly LiveInstance[] {
    return [...this.#instances.values()].filter(({ retiring }) => !retiring)
  }

  get #waiting(): number {
    let sum = 0
    for (const { waiting } of this.#wants.values()) sum += waiting
    return sum
  }

  get #min(): number {
    return this.#scale?.min ?? 0
  }

  get #max(): number {
    return Math.max(1, this.#min, this.#scale?.max ?? 1)
  }

  /** Whether another one may come. */
  get #grows(): boolean {
    return !this.#closed && (this.#starting > 0 || (this.#ready.length < this.#max && !this.#fastFailure()))
  }

  get #longestRequest(): number {
    return ((this.#loaded?.program.maxDuration ?? 60) + 5) * SECOND
  }

  get #concurrency(): number {
    const { limits } = this.#parts
    return this.#loaded?.program.shape === 'command' ? limits.commandConcurrency : limits.concurrency
  }

  /** It crashed, and starts again only after a while. */
  #fastFailure(): RunnerError | undefined {
    const pause = this.#pausedUntil - this.#parts.clock.monotonic()
    if (this.#reason === undefined || pause <= TIMEOUT_MS) return undefined
    return new RunnerError('crashed', this.#reason)
  }

  /** Starts the first that requests need and as many as there should be at least; more as far as the processor is worth it. */
  #ensure(): void {
    if (this.#closed || this.#fastFailure()) return
    const isResting = this.#restsUntil > this.#parts.clock.monotonic()
    const min = this.#finished || isResting ? 0 : this.#min
    const least = Math.min(this.#max, Math.max(min, this.#waiting > 0 ? 1 : 0))
    this.#start(least - this.#ready.length - this.#starting)
    if (!this.#isLooking && this.#lacking(undefined) > 0) void this.#grow()
  }

  #start(count: number): void {
    for (let n = 0; n < count; n++) {
      this.#starting++
      void this.#startOne().catch(() => {})
    }
  }

  /** How many more are worth it for the requests that wait; all that these would fill where the processor is not told of. */
  #lacking(processor: ProcessorLoad | undefined): number {
    return instancesToStart({
      ...{ waiting: this.#waiting, concurrency: this.#concurrency, most: this.#max, processor },
      ...{ ready: this.#ready.length, starting: this.#starting },
    })
  }

  /** For as long as requests wait that further instances would take, looks at whether these are worth it. */
  async #grow(): Promise<void> {
    this.#isLooking = true
    for (let still = 0; this.#lacking(undefined) > 0; ) {
      const ready = this.#ready
      const processor = await lookAtProcessor(ready, this.#parts.processor)
      if (this.#closed || this.#fastFailure()) break
      // What one that has come in the meantime does has not been seen.
      if (this.#ready.some((instance) => !ready.includes(instance))) continue
      still = this.#moved || ready.length === 0 ? 0 : still + 1
      this.#moved = false
      this.#start(this.#lacking(still < STILL_LOOKS ? processor : undefined))
    }
    this.#isLooking = false
  }

  /** Counted in `#starting` by whoever calls. Requests that wait are told of a failure. */
  async #startOne(): Promise<Started> {
    try {
      const started = await this.#begin()
      this.#finished = 'finished' in started && started.finished === 0
      if ('listening' in started) return started
      const code = started.finished === 0 ? '' : ` (exit code ${started.finished})`
      if (this.#ready.length === 0)
        this.#refuse(new RunnerError('crashed', `${ENDED_WITHOUT_LISTENING}${code}`))
      return started
    } catch (error) {
      const fault =
        error instanceof RunnerError
          ? error
          : new RunnerError('unavailable', `The program could not be started: ${(error as Error).message}`)
      if (fault.fault === 'unavailable') {
        this.#pausedUntil = this.#parts.clock.monotonic() + UNAVAILABLE_PAUSE_MS
        this.#reason = undefined
        this.#parts.logger.warn({ err: error, ...this.ref }, 'a program could not be started')
      }
      if (this.#ready.length === 0 && this.#closed !== 'draining') this.#refuse(fault)
      throw fault
    } finally {
      this.#starting--
      this.#tellAll()
      this.#notice()
    }
  }

  async #begin(): Promise<Started> {
    const { load, start, clock } = this.#parts
    const pause = this.#pausedUntil - clock.monotonic()
    if (pause > 0) await this.#until(() => this.#closed !== undefined || this.#pausedUntil === 0, pause)
    // Of a program that runs already it is known that it is still there.
    const loaded = this.#instances.size > 0 && this.#loaded ? this.#loaded : await load(this.ref)
    if (loaded === undefined || this.#closed) throw noProgram()
    this.#loaded = loaded
    this.#scale ??= loaded.scale
    const instance = await start(loaded)
    this.#begun.add(instance)
    void instance.gone.then(({ reason, expected, finished }) => {
      this.#begun.delete(instance)
      this.#remove(instance)
      if (!expected) this.#died(reason, instance.readyAt)
      else if (finished) this.#rest(instance.readyAt)
      if (!this.#closed) this.#ensure()
    })
    if (this.#closed) {
      instance.kill()
      throw noProgram()
    }
    // Whoever is told that it failed, or has ended, finds it counted: the pause after it has begun by then.
    const started = await instance.started.catch(async (error: unknown) => {
      await instance.gone
      throw this.#closed === 'deleted' ? noProgram() : error
    })
    if ('finished' in started) await instance.gone
    else if (!instance.retiring) this.#add(instance)
    return started
  }

  #add(instance: LiveInstance): void {
    this.#instances.set(instance.id, instance)
    this.#parts.added(instance)
    if (this.#closed) {
      instance.kill()
      return
    }
    this.#tellAll()
    // What can be given out is: whoever still waits then asks again.
    for (const want of this.#wants.values()) want.waiting = 0
  }

  #remove(instance: LiveInstance): void {
    if (!this.#instances.delete(instance.id)) return
    this.#parts.removed(instance)
    this.#tellAll()
    this.#notice()
  }

  /** The pause until the next start grows with every death that follows soon upon a start. */
  #died(reason: string, readyAt: number): void {
    const { clock, onCrashLoop } = this.#parts
    const now = clock.monotonic()
    const hasServed = readyAt > 0
    if (hasServed && now - readyAt > WITHIN_MS) this.#failures = 0
    this.#failures++
    const pause = pauseAfter(this.#failures)
    this.#pausedUntil = now + Math.min(pause, hasServed ? LONGEST_PAUSE_MS : LONGEST_START_PAUSE_MS)
    this.#reason = reason
    const failure = this.#fastFailure()
    if (failure && this.#ready.length === 0) this.#refuse(failure)
    this.#tellAll()
    this.#deaths = [...this.#deaths.filter((at) => now - at < WITHIN_MS), now]
    if (this.#deaths.length < DEATHS) return
    this.#deaths = []
    onCrashLoop(this.ref, reason)
  }

  /** The same for one that ends without fault as soon as it has begun: only whoever waits for it has it started at once. */
  #rest(readyAt: number): void {
    const now = this.#parts.clock.monotonic()
    if (now - readyAt > WITHIN_MS) this.#exits = 0
    this.#exits++
    this.#restsUntil = now + Math.min(pauseAfter(this.#exits), LONGEST_START_PAUSE_MS)
  }

  /** All requests that wait fail with this. */
  #refuse({ fault, message }: RunnerError): void {
    for (const [subscriber, want] of this.#wants) {
      if (want.waiting === 0) continue
      want.waiting = 0
      subscriber.send({ type: 'failed', ...this.#names, fault, message })
    }
  }

  get #names(): { deployment: string; program: string } {
    return { deployment: this.ref.deploymentId, program: this.ref.program }
  }

  #tellAll(): number {
    const list = this.#parts.nextList()
    for (const subscriber of this.#wants.keys()) this.#tell(subscriber, list)
    return list
  }

  #tell(subscriber: Subscriber, list = this.#parts.nextList()): void {
    const want = this.#wants.get(subscriber)
    if (want === undefined) return
    want.grows = this.#grows
    want.told = list
    const slots = Math.max(1, Math.ceil(this.#concurrency / this.#wants.size))
    const instances = this.#ready.map(
      ({ id, socket, readyAt }): ListedInstance => [id, socket, slots, readyAt],
    )
    const { end } = subscriber
    subscriber.send({ type: 'list', ...this.#names, list, instances, grows: want.grows, end })
  }

  /** Resolves once it is so, or after this time. */
  #until(isSo: () => boolean, ms: number): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => {
      const look = () => {
        if (isSo()) end()
      }
      const end = () => {
        clearTimeout(timer)
        this.#settled.delete(look)
        resolve()
      }
      const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1))
      this.#settled.add(look)
    })
  }

  #notice(): void {
    for (const look of this.#settled) look()
  }
}

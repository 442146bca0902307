import { connect } from 'node:net'
import { showMemory } from '#contract/amounts.ts'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'
import type { InstanceLine, InstanceLog } from '#core/log/write/instance-log.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { RunnerError } from '#core/ports/runner.ts'
import type { SandboxExit } from '#core/ports/sandbox.ts'
import { layCache } from '../launch/compile-cache.ts'
import type { ControlMessage, LaunchedRuntime } from '../launch/launch.ts'
import { LineBudget, readLines } from '../launch/output-lines.ts'
import { linkTree } from '../program/link-tree.ts'
import type { HeldProgram } from '../program/program-folders.ts'
import type { CompileCaches } from './compile-caches.ts'

/** How a program ended, in words for the log of its deployment. */
interface InstanceEnd {
  readonly reason: string
  /** Nobody is to blame: it was stopped, or it is a command that has done its work. */
  readonly expected: boolean
  /** It said so itself, with exit code 0, although nobody had asked it to stop. */
  readonly finished: boolean
}

/** What became of the start of a program. */
export type Started = { readonly listening: true } | { readonly finished: number }

interface InstanceParts {
  readonly log: InstanceLog
  readonly logger: Log
  readonly clock: Clock
  /** Where compiled code is kept. */
  readonly caches: Pick<CompileCaches, 'find' | 'harvest'>
  /** From code to the first request that it could take. */
  readonly loadMs: number
  /** The program says that answers of its deployment are not right any more. */
  readonly onRevalidate?: (deploymentId: string, said: string) => void
}

/** Node writes what it compiled when the launcher asks for it, some time after the code was loaded. */
const HARVEST_AFTER_MS = [1500, 8000, MINUTE]
const FIRST_AGAIN_MS = 20
const PING_MS = 1000
const LAST_WORDS_MS = 1000
const MAX_SAID = 8192
const GIBBERISH = 'ping\r\n\r\n'

const textOf = (value: unknown, most: number): string =>
  typeof value === 'string' ? value.slice(0, most) : ''

/** One running copy of a program, from the moment that it is given its code. */
export class LiveInstance {
  readonly id: string
  readonly loaded: LoadedProgram
  readonly startedAt: number
  readonly socket: string
  /** Resolves once it takes requests or has done its work; rejects with a `crashed` where it fails. */
  readonly started: Promise<Started>
  /** Resolves when nothing is left of it. */
  readonly gone: Promise<InstanceEnd>
  /** Since when it takes requests, by the monotonic clock. */
  readyAt = 0
  /** Takes no new requests. */
  retiring = false

  readonly #parts: InstanceParts
  readonly #launched: LaunchedRuntime
  readonly #budget: LineBudget
  readonly #outcome = Promise.withResolvers<Started>()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** How many requests each serving process has on it. */
  readonly #requests = new Map<object, number>()
  /** When a request came or ended last, by the monotonic clock. */
  #askedAt: number
  /** How much goes on that requests left to do, and when it last said so. */
  #background = 0
  #backgroundAt = 0
  #state: 'loading' | 'ready' | 'finished' | 'failed' = 'loading'
  #stopping = false
  #reason: string | undefined
  #pong: (() => void) | undefined

  constructor(
    id: string,
    loaded: LoadedProgram,
    launched: LaunchedRuntime,
    held: HeldProgram,
    parts: InstanceParts,
  ) {
    this.id = id
    this.loaded = loaded
    this.socket = launched.socket
    this.startedAt = parts.clock.now()
    this.#askedAt = parts.clock.monotonic()
    this.#parts = parts
    this.#launched = launched
    this.#budget = new LineBudget({ now: () => performance.now(), write: (text) => this.tell(text) })
    if (loaded.notice !== undefined) this.tell(loaded.notice)
    this.started = this.#outcome.promise
    this.started.catch(() => {})
    launched.listener = {
      message: (message) => this.#hear(message),
      // It is about to end, and will say how.
      closed: () => this.#after(LAST_WORDS_MS, () => launched.kill()),
    }
    const { stdout, stderr } = launched.output()
    readLines(stdout, (line) => this.#line(line, {}))
    readLines(stderr, (line) => this.#line(line, { stream: 'stderr' }))
    this.gone = launched.exit.then((exit) => this.#ended(exit)).finally(() => held.release())
    this.#after(parts.loadMs, () => {
      if (this.#state === 'loading') this.#fail('The program did not start in time')
    })
    this.#load(held).catch((error) => this.#notLoaded(error))
  }

  /** Nothing to do: no request, and nothing left over from one, which has as long as a request. */
  get idle(): boolean {
    const isOver = this.#background === 0 || this.#parts.clock.monotonic() >= this.#leftUntil
    return isOver && this.busy === 0
  }

  get busy(): number {
    let sum = 0
    for (const count of this.#requests.values()) sum += count
    return sum
  }

  /** Whether a serving process has requests on it. */
  servesFor(subscriber: object): boolean {
    return this.#requests.has(subscriber)
  }

  /** So many requests a serving process has on it. */
  counted(subscriber: object, requests: number): void {
    this.#askedAt = this.#parts.clock.monotonic()
    if (requests === 0) this.#requests.delete(subscriber)
    else this.#requests.set(subscriber, requests)
  }

  /** Since when it has nothing to do, by the monotonic clock. */
  get idleSince(): number {
    return Math.max(this.#askedAt, Math.min(this.#backgroundAt, this.#leftUntil))
  }

  /** Until then it is kept by what requests left to do. */
  get #leftUntil(): number {
    return this.#askedAt + this.loaded.program.maxDuration * SECOND
  }

  /** Lets it finish what it does. */
  stop(graceMs: number): void {
    this.retiring = true
    this.#stopping = true
    this.#launched.stop(graceMs)
  }

  kill(reason?: string): void {
    this.retiring = true
    if (reason === undefined) this.#stopping = true
    this.#reason ??= reason
    this.#launched.kill()
  }

  /** Whether it still reacts. */
  answers(): Promise<boolean> {
    return this.#reacts(performance.now() + PING_MS, FIRST_AGAIN_MS)
  }

  /** Whether requests were cut off from it by the loss of a node; undefined where it has none but this machine. */
  wasLost(): Promise<boolean> | undefined {
    return this.#launched.wasLost?.().catch(() => false)
  }

  /** Milliseconds of the processor that it has had so far; undefined where nobody can tell. */
  async processorMs(): Promise<number | undefined> {
    return this.#launched.processorMs?.().catch(() => undefined)
  }

  #reacts(believedAt: number, againMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.socket)
      const stop = () => {
        clearTimeout(timer)
        socket.destroy()
        this.#pong = undefined
      }
      const settle = (answer: boolean) => {
        stop()
        resolve(answer)
      }
      const timer = setTimeout(() => settle(false), PING_MS)
      // Of one that ends, connections close a little before it takes none any more, on a busy machine long before that.
      const closed = () => {
        if (performance.now() >= believedAt) return settle(true)
        stop()
        setTimeout(() => resolve(this.#reacts(believedAt, againMs * 2)), againMs)
      }
      this.#pong = () => settle(true)
      // No code of users sees what is no HTTP; whoever runs an event loop refuses it or closes.
      socket.on('connect', () => socket.write(GIBBERISH))
      socket.on('data', () => settle(true))
      socket.on('end', closed)
      // One that takes no connections is about to end: it has this time to do so, and to say why.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') closed()
      })
      this.#launched.control.send({ type: 'ping' })
    })
  }

  /** Puts a line of the platform's own, which always tells of something amiss, into the log of the deployment. */
  tell(text: string): void {
    this.#write(text, { stream: 'stderr' })
  }

  #line(text: string, from: Pick<InstanceLine, 'requestId' | 'stream'>): void {
    if (this.#budget.take(text)) this.#write(text, from)
  }

  #write(text: string, from: Pick<InstanceLine, 'requestId' | 'stream'>): void {
    const { program, paths, deploymentId, projectId, ownerId, environment } = this.loaded
    this.#parts.log.write({
      ...{ deploymentId, projectId, ownerId, instanceId: this.id, text },
      ...(environment && { environment }),
      source: program.shape === 'command' ? 'instance' : 'lambda',
      entrypoint: paths[0] ?? program.entry,
      ...from,
    })
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, ms).unref()
    this.#timers.add(timer)
  }

  async #load(held: HeldProgram): Promise<void> {
    const { program, env } = this.loaded
    const { task, root = held.root, control, commandOf } = this.#launched
    const command = program.command ?? (program.shape === 'command' ? undefined : commandOf?.(program.entry))
    if (task !== undefined && held.tree) await linkTree(held.root, held.tree, task)
    const compileCache = await this.#cache()
    control.send({
      ...{ type: 'load', shape: command ? 'command' : program.shape, entry: program.entry, root },
      ...(command ? { command } : {}),
      env: { ...program.env, ...env },
      maxDuration: program.maxDuration,
      instanceId: this.id,
      ...(compileCache === undefined ? {} : { compileCache }),
    })
  }

  /** Where the launcher finds and leaves compiled code. */
  async #cache(): Promise<string | undefined> {
    const { cache } = this.#launched
    if (cache === undefined) return undefined
    const kept = await this.#parts.caches.find(this.loaded)
    if (kept) await layCache(kept, cache.host)
    // Another version of Node makes its own.
    for (const ms of HARVEST_AFTER_MS) this.#after(ms, () => void this.#harvest(cache.host, kept?.tag))
    return cache.inside
  }

  async #harvest(from: string, known: string | undefined): Promise<void> {
    // Its deployment may be gone.
    if (this.retiring) return
    try {
      await this.#parts.caches.harvest(from, this.loaded, known)
    } catch (err) {
      this.#parts.logger.debug({ err, instance: this.id }, 'compiled code was not kept')
    }
  }

  /** Whatever comes may be made up by the program, and only ever concerns itself. */
  #hear(message: ControlMessage): void {
    switch (message.type) {
      case 'ready':
        if (this.#state !== 'loading') return
        this.#state = 'ready'
        this.readyAt = this.#parts.clock.monotonic()
        this.#askedAt = this.readyAt
        this.#outcome.resolve({ listening: true })
        return
      case 'failed': {
        const what = textOf(message.message, 4096) || 'The program could not be loaded'
        this.#fail(what, textOf(message.stack, 16_384))
        return
      }
      case 'finished':
        this.#finish(Number.isInteger(message.code) ? (message.code as number) : 1)
        return
      case 'log': {
        const requestId = textOf(message.requestId, 128)
        this.#line(textOf(message.text, 8192), {
          ...(requestId && { requestId }),
          ...(message.stream === 'stderr' && { stream: message.stream }),
        })
        return
      }
      case 'background':
        this.#background = Number(message.pending) > 0 ? Number(message.pending) : 0
        this.#backgroundAt = this.#parts.clock.monotonic()
        return
      case 'revalidate':
        this.#parts.onRevalidate?.(this.loaded.deploymentId, textOf(message.said, MAX_SAID))
        return
      case 'pong':
        this.#pong?.()
    }
  }

  #fail(message: string, stack = ''): void {
    if (this.#state === 'failed') return
    this.#state = 'failed'
    this.#reason ??= message
    this.tell(stack.includes(message) ? stack : [message, stack].filter(Boolean).join('\n'))
    this.#outcome.reject(new RunnerError('crashed', message))
    this.#launched.kill()
  }

  /** The platform is at fault, and how is not for the deployment's owner. */
  #notLoaded(err: unknown): void {
    this.#parts.logger.error({ err, instance: this.id }, 'a program could not be put in its place')
    this.#state = 'failed'
    this.#stopping = true
    this.#outcome.reject(new RunnerError('unavailable', 'The program could not be put in its place'))
    this.#launched.kill()
  }

  #finish(code: number): void {
    const early = this.#state === 'loading'
    this.#state = 'finished'
    this.#reason ??= `The program ended with exit code ${code}`
    if (code === 0) this.#stopping = true
    // Code of a user can say so as well, and go on.
    this.#after(LAST_WORDS_MS, () => this.#launched.kill())
    if (early) this.#outcome.resolve({ finished: code })
  }

  #ended(exit: SandboxExit | undefined): InstanceEnd {
    for (const timer of this.#timers) clearTimeout(timer)
    this.retiring = true
    this.#budget.flush()
    const { program } = this.loaded
    const outOfMemory = exit?.reason === 'memory'
    const reason = outOfMemory
      ? `The program ran out of memory (${showMemory(program.memoryMb)})`
      : (this.#reason ??
        `The program ended ${exit?.code == null ? 'at once' : `with exit code ${exit.code}`}`)
    const expected = this.#stopping && !outOfMemory
    if (this.#state === 'loading') this.#fail(reason)
    else if (!expected && this.#state !== 'failed') this.tell(reason)
    return { reason, expected, finished: expected && this.#state === 'finished' }
  }
}

import { fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Channel, kindOf } from '#adapters/ipc/channel.ts'
import { SECOND } from '#contract/time.ts'
import type { ProcessFacts } from '#core/operator/status.ts'
import type { Log } from '#core/ports/log.ts'
import type { DrainOptions } from '#listener/listener.ts'
import { PREPARED } from '../../prepared.ts'
import { findBundle } from '../bundle.ts'
import { channelToChild } from '../channel/channel.ts'
import { type ActivityNotes, createActivityNotes } from './activity.ts'
import { type ChildOptions, descriptorsOf, toArguments } from './child-options.ts'
import { Heartbeat, seeProcess } from './heartbeat.ts'

export const CHILD_ROLES = ['serve', 'work'] as const
export type ChildRole = (typeof CHILD_ROLES)[number]

export const READY = 'child.ready'
export const DRAIN = 'child.drain'
/** To a serving process: another one has begun to serve beside it. */
export const JOINED = 'child.joined'

/** Ends the process in order. */
export interface Drain extends DrainOptions {
  readonly kind: typeof DRAIN
}

/** How long a process may take to finish what it has begun. */
export const DRAIN_MS = 25 * SECOND

/** What children run, as it lies on the disk now. */
export const findProgram = (): string =>
  findBundle() ?? fileURLToPath(new URL('../../../main.ts', import.meta.url))

/** What was compiled is kept for the next start, in the same folder as by whoever started this. */
const compileCache = (): string | undefined => {
  const folder = getCompileCacheDir()
  return process.env.NODE_COMPILE_CACHE ?? (folder && dirname(folder))
}

/**
 * How the C library of Linux, glibc, keeps what was freed. By itself it has a heap for each thread of the pool, and after the first
 * large piece that is freed it takes the next large ones from a heap too, which gives nothing back that lies below something in
 * use. So a process kept twice of what it used, or not, as it happened. Whoever has set one of these knows better.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '4194304',
  MALLOC_TRIM_THRESHOLD_: '4194304',
}

/**
 * In megabytes: half of the room in which V8 makes new objects. On a machine with much memory it lets each process have 128 MB
 * of it, and after a rush a process keeps that. With a quarter, requests and creates of many files take no more CPU time.
 */
const SEMI_SPACE_MB = 16

/** Starts a program in one of its child roles, with a place for what it does. */
const forkRole = (role: ChildRole, activity: ActivityNotes, program: string, given: ChildOptions) =>
  fork(program, ['--child', role, ...toArguments(given)], {
    // Group commits and hashing run on the thread pool: the default of four threads starves them.
    env: {
      ...MALLOC,
      ...process.env,
      UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? '16',
      NODE_COMPILE_CACHE: compileCache(),
    },
    execArgv: [...process.execArgv, `--max-semi-space-size=${SEMI_SPACE_MB}`],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', activity.fd, ...descriptorsOf(given)],
  })

const FIRST_PAUSE = 100
const LONGEST_PAUSE = 10 * SECOND
/** A process that was ready for this long starts again at once: everybody waits for it, and a start takes far less. */
const HEALTHY = 5 * SECOND

/** How long to wait before a process that died is started again: longer each time, as long as it dies before it is of use. */
export const pauseAfter = (last: number | undefined, readyMs: number): number =>
  last === undefined || readyMs > HEALTHY ? FIRST_PAUSE : Math.min(last * 2, LONGEST_PAUSE)

export interface SupervisedOptions {
  readonly role: ChildRole
  readonly name: string
  readonly log: Log
  /** Connects a new process to the others; the result disconnects it when it has ended, and hears whether it died. */
  readonly onStart: (channel: Channel) => (hasDied: boolean) => void
  /** Called when a process ends before it was ever ready. */
  readonly onStillborn: () => void
  /** Silence of this length means that it stands still; 0: it is not watched. */
  readonly hangMs: number
  /** Called when it has died and another will be started in its place. */
  readonly onDied?: () => void
  /** The program of every restart is the one of the first start, even if the sources have changed meanwhile. */
  readonly program: string
  /** The options that each new process is started with. */
  readonly given?: () => ChildOptions
  /** Its number among the processes of its role. */
  readonly seat: number
  readonly fork?: typeof forkRole
}

/** A process that is started again, with growing pauses, whenever it dies. */
export class SupervisedChild {
  readonly #options: SupervisedOptions
  #child: ReturnType<typeof forkRole> | undefined
  #channel: Channel | undefined
  #pause: number | undefined
  #timer: NodeJS.Timeout | undefined
  #stopping = false
  /** Everything may be stopped while this one is already being replaced. */
  #stopped: Promise<void> | undefined
  #startedAt = 0
  #starts = 0
  #hangs = 0
  #heartbeat: Heartbeat | undefined
  /** Made with the first process. */
  #activity: ActivityNotes | undefined
  #everReady = false
  #onStillborn: () => void

  constructor(options: SupervisedOptions) {
    this.#options = options
    this.#onStillborn = options.onStillborn
  }

  get seat(): number {
    return this.#options.seat
  }

  get role(): ChildRole {
    return this.#options.role
  }

  get channel(): Channel | undefined {
    return this.#channel
  }

  /** Of the process as it is now; undefined while there is none. */
  get facts(): Omit<ProcessFacts, 'memory'> | undefined {
    const { name, role } = this.#options
    const pid = this.#channel && this.#child?.pid
    if (pid === undefined) return undefined
    return { name, role, pid, startedAt: this.#startedAt, restarts: this.#starts - 1, hangs: this.#hangs }
  }

  /** How busy it is, from 0 to 1; 0 where it is not watched. */
  get busy(): number {
    return this.#heartbeat?.busy ?? 0
  }

  /** Resolves when the process is ready for the first time. */
  start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#spawn(resolve)
    return promise
  }

  /** Starts it, and answers whether it became ready; one that did not is not started again. */
  begin(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#onStillborn = () => resolve(false)
    this.#spawn(() => resolve(true))
    return promise
  }

  /** Asks the process to finish and end; kills it when it takes longer than it may. */
  stop(ms: number, how: DrainOptions = {}): Promise<void> {
    this.#stopped ??= this.#stop(ms, how)
    return this.#stopped
  }

  async #stop(ms: number, how: DrainOptions): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#timer)
    this.#heartbeat?.stop()
    const child = this.#child
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
      await this.#end(child, ms, how)
    this.#activity?.close()
  }

  async #end(child: ReturnType<typeof forkRole>, ms: number, how: DrainOptions): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    child.once('exit', () => resolve())
    const deadline = setTimeout(() => {
      this.#options.log.warn({ child: this.#options.name }, 'a process did not stop in time and is killed')
      child.kill('SIGKILL')
    }, ms)
    this.#channel?.send({ kind: DRAIN, ...how } satisfies Drain)
    await promise
    clearTimeout(deadline)
  }

  #spawn(onReady: () => void): void {
    const { role, name, log } = this.#options
    let readyAt = Number.POSITIVE_INFINITY
    this.#startedAt = Date.now()
    this.#starts += 1
    let detach: (hasDied: boolean) => void = () => {}
    const ended = (code: number | null, signal: NodeJS.Signals | null) => {
      this.#heartbeat?.stop()
      this.#channel = undefined
      this.#child = undefined
      detach(!this.#stopping)
      if (this.#stopping) return
      if (!this.#everReady) {
        // It is not started again, whoever it was for.
        void this.stop(0)
        return this.#onStillborn()
      }
      this.#pause = pauseAfter(this.#pause, performance.now() - readyAt)
      log.error({ child: name, code, signal, pause: this.#pause }, 'a process died and will be started again')
      this.#options.onDied?.()
      this.#timer = setTimeout(
        () => this.#spawn(() => log.info({ child: name }, 'the process is running again')),
        this.#pause,
      )
    }
    const failed = (err: unknown) => log.error({ err, child: name }, 'a process could not be started')
    const { program, given, fork = forkRole } = this.#options
    const options = given?.() ?? {}
    let child: ReturnType<typeof forkRole>
    try {
      this.#activity ??= createActivityNotes()
      child = fork(role, this.#activity, program, options)
    } catch (error) {
      failed(error)
      // Later, as with what is not thrown: whoever starts it is not done with that.
      process.nextTick(ended, null, null)
      return
    }
    this.#child = child
    this.#channel = channelToChild(child)
    detach = this.#options.onStart(this.#channel)
    this.#channel.onMessage((message) => {
      if (kindOf(message) === PREPARED) this.#heartbeat?.prepared()
      if (kindOf(message) !== READY) return
      this.#everReady = true
      readyAt = performance.now()
      this.#heartbeat?.serving()
      onReady()
    })
    const { channel } = this
    if (this.#options.hangMs > 0 && channel) this.#watch(child, channel, options)
    child.on('error', (error) => {
      failed(error)
      // One that never was does not exit.
      if (child.pid === undefined) ended(null, null)
    })
    child.on('exit', ended)
  }

  #watch(child: ReturnType<typeof forkRole>, channel: Channel, { prepares = false }: ChildOptions): void {
    const { name, log, hangMs } = this.#options
    const { pid } = child
    this.#heartbeat = new Heartbeat({
      channel,
      ...{ limitMs: hangMs, prepares },
      see: () => (pid === undefined ? undefined : seeProcess(pid)),
      onHung: (hung) => {
        this.#hangs += 1
        const doing = this.#activity?.read()
        log.error({ child: name, pid, ...hung, doing }, 'a process stopped responding and was killed')
        child.kill('SIGKILL')
      },
    })
  }
}

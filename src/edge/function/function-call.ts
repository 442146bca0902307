import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { isUnread } from '#core/instance/unread-request.ts'
import type { Log } from '#core/ports/log.ts'
import {
  type Lease,
  type LeaseOptions,
  type Runner,
  RunnerError,
  type RunnerFault,
} from '#core/ports/runner.ts'
import type { Site } from '#core/site/site.ts'
import { valueIn } from '../answer.ts'
import type { EdgeErrorCode } from '../error/error-answer.ts'
import { type Refusal, refuse } from '../error/refusal.ts'
import type { Switched } from '../exchange.ts'
import type { Revalidations } from '../prerender/revalidations.ts'
import { writeDirectly } from '../request/direct-writes.ts'
import type { ResponseHead } from '../upstream/response-head.ts'
import type { UpstreamConnection, UpstreamExchange } from '../upstream/upstream-connection.ts'
import type { UpstreamPool } from '../upstream/upstream-pool.ts'
import type { Deadlines, Limited } from './deadlines.ts'
import { type FunctionCall, withLine } from './function-request.ts'
import type { RefusedCalls } from './refused-calls.ts'

/** What a program answered. */
export interface FunctionResponse {
  readonly status: number
  /** Names, in lower case, and values in turn. */
  readonly headers: readonly string[]
  /**
   * A stream is consumed or destroyed by whoever gets it; it fails when the program does. Of a call that takes what is
   * lent, a buffer is good until whoever is told of it returns.
   */
  readonly body: Buffer | Readable | undefined
  /** Set if the protocol was changed. */
  readonly switched?: Switched
  /** Whether it waited for an instance to start. */
  readonly isCold?: boolean
}

/** Functions that let their answers be kept, by their path in a site. */
interface CachedFunctions {
  note(site: Site, path: string): void
}

export interface Functions {
  readonly runner: Runner
  readonly pool: UpstreamPool
  readonly refused: RefusedCalls
  readonly deadlines: Deadlines
  readonly revalidations?: Pick<Revalidations, 'lineFor' | 'take'>
  /** Knows of functions whose answers are kept. */
  readonly cached?: CachedFunctions
  readonly log: Log
}

/** A call whose caller may go away while they wait. */
export interface CancellableCall {
  /** Nobody wants the answer any more. */
  cancel(): void
}

const MAX_ATTEMPTS = 4
/** Asking twice does no harm. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
/** For which the instance is not to blame. */
const BLAMELESS = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'EMALFORMED'])

const FAULTS = {
  crashed: 'FUNCTION_INVOCATION_FAILED',
  absent: 'FUNCTION_NOT_FOUND',
  unavailable: 'FUNCTION_UNAVAILABLE',
} as const satisfies Record<RunnerFault, EdgeErrorCode>

/**
 * Sends the request to an instance, and to another one where the first certainly had nothing of it. What has reached a
 * program may be what brought it down, and must not bring down the next one: such a request is sent again only if it
 * is safe and the platform itself ended the instance. `settle` is called once.
 */
export function callFunction(
  functions: Functions,
  call: FunctionCall,
  settle: (result: FunctionResponse | Refusal) => void,
): CancellableCall {
  const running = new RunningCall(functions, call, settle)
  running.start()
  return running
}

/** All that one call needs, in one object without functions of its own, because one is made for every request. */
class RunningCall implements UpstreamExchange, CancellableCall, Limited, LeaseOptions {
  readonly isHead: boolean
  readonly takesLent: boolean
  readonly onSwitch: UpstreamExchange['onSwitch']
  readonly affinity: string | undefined
  readonly instance: string | undefined
  readonly regions: readonly string[] | undefined
  deadline = 0
  earlier: Limited | undefined
  later: Limited | undefined
  readonly #functions: Functions
  readonly #call: FunctionCall
  readonly #settle: (result: FunctionResponse | Refusal) => void
  #controller: AbortController | undefined
  #isAborted = false
  #lease: Lease | undefined
  #connection: UpstreamConnection | undefined
  #isWatched = false
  #attempts = 0
  #isCold = false
  #isSettled = false
  #isOver = false

  constructor(
    functions: Functions,
    call: FunctionCall,
    settle: (result: FunctionResponse | Refusal) => void,
  ) {
    this.isHead = call.method === 'HEAD'
    this.takesLent = call.takesLent === true
    this.onSwitch = call.mayUpgrade ? (head, socket, first) => this.#switchTo(head, socket, first) : undefined
    this.affinity = call.affinity
    this.instance = call.instance
    this.regions = call.regions
    this.#functions = functions
    this.#call = call
    this.#settle = settle
  }

  /** Made only for a runner that asks for it, which one with a free instance does not. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isAborted) this.#controller.abort()
    return this.#controller.signal
  }

  start(): void {
    this.#attempts++
    try {
      const lease = this.#functions.runner.lease(this.#call.program, this)
      if (lease instanceof Promise)
        lease.then(
          (granted) => this.#send(granted),
          (error: unknown) => this.#onRefused(error),
        )
      else this.#send(lease)
    } catch (error) {
      this.#onRefused(error)
    }
  }

  cancel(): void {
    if (this.#isOver) return
    this.#abort()
    this.#connection?.destroy()
    this.#end(undefined)
    this.#answer(refuse('CLIENT_CLOSED_REQUEST'))
  }

  onResponse({ status, headers }: ResponseHead, body: Buffer | Readable | undefined): void {
    // The launcher says so when the code it runs has failed; visitors get the same page as for every other failure.
    if (status === 500 && valueIn(headers, 'x-vercel-error') === FAULTS.crashed) {
      if (body !== undefined && !Buffer.isBuffer(body)) body.on('error', () => {}).resume()
      this.#answer(refuse(FAULTS.crashed))
      return
    }
    const isCold = this.#isCold
    const said = valueIn(headers, 'x-aloft-revalidate')
    const { revalidations } = this.#functions
    if (said === undefined || revalidations === undefined) {
      this.#answer({ status, headers, body, isCold })
      return
    }
    // Who reads the answer shall find what was revalidated to be so.
    const answer = { status, headers, body: Buffer.isBuffer(body) ? Buffer.from(body) : body, isCold }
    void revalidations.take(this.#call.program.deploymentId, said).then(() => this.#answer(answer))
  }

  onEnd(): void {
    this.#end(undefined)
  }

  /** The instance has done nothing wrong. */
  onAbandon(): void {
    this.#end(undefined)
  }

  onFail(error: NodeJS.ErrnoException): void {
    const { log } = this.#functions
    const { code = '' } = error
    const isRepeated = !this.#isSettled && this.#mayRepeat(code)
    if (!isRepeated) {
      if (code === 'EMALFORMED')
        log.info({ err: error, id: this.#call.requestId }, 'a function sent invalid HTTP')
      const isBroken = !BLAMELESS.has(code) && !this.#isAborted
      const lease = isBroken && this.#mayRepeatSafely() ? this.#lease : undefined
      if (lease?.isHostLost !== undefined) {
        this.#release('broken')
        void lease.isHostLost().then((isHostLost) => this.#onFate(isHostLost))
        return
      }
      this.#end(isBroken ? 'broken' : undefined)
      this.#answer(refuse('FUNCTION_INVOCATION_FAILED'))
      return
    }
    this.#release(BLAMELESS.has(code) ? undefined : 'broken')
    this.#repeat()
  }

  #repeat(): void {
    this.#call.body?.stop()
    this.#connection = undefined
    this.start()
  }

  #onFate(isHostLost: boolean): void {
    if (this.#isOver) return
    if (isHostLost) {
      this.#repeat()
      return
    }
    this.#end(undefined)
    this.#answer(refuse('FUNCTION_INVOCATION_FAILED'))
  }

  #send(lease: Lease): void {
    if (this.#isOver) {
      lease.release()
      return
    }
    const { pool, revalidations, deadlines } = this.#functions
    const { body, limitMs, program } = this.#call
    const head = withLine(this.#call.head, revalidations?.lineFor(program.deploymentId) ?? '')
    this.#lease = lease
    if (lease.isCold === true) this.#isCold = true
    if (!this.#isWatched) {
      this.#isWatched = true
      deadlines.watch(this, limitMs)
    }
    const connection = pool.reuse(lease.socket) ?? pool.connect(lease.socket, lease.connect)
    this.#connection = connection
    connection.begin(this)
    const { socket } = connection
    if (body === undefined) {
      if (typeof head === 'string') socket.write(head, 'latin1')
      else this.#sendBytes(socket, head)
      connection.requestSent()
      return
    }
    body.sendTo(socket, head.toString('latin1'), () => connection.requestSent())
  }

  #sendBytes(socket: Socket, head: Buffer): void {
    if (!writeDirectly(socket, head)) this.#call.letGo?.()
  }

  #onRefused(error: unknown): void {
    if (this.#isOver) return
    const fault = error instanceof RunnerError ? error.fault : 'unavailable'
    const isGone = fault === 'absent' && this.#call.instance !== undefined
    const code = isGone ? 'DEPLOYMENT_NOT_FOUND' : FAULTS[fault]
    if (!(error instanceof RunnerError))
      this.#functions.log.error({ err: error, id: this.#call.requestId }, 'no instance was available')
    this.#end(undefined)
    this.#answer(error instanceof RunnerError ? { ...refuse(code), detail: error.message } : refuse(code))
  }

  onDeadline(): void {
    if (this.#isOver) return
    this.#abort()
    this.#connection?.destroy()
    this.#end('stuck')
    this.#answer(refuse('FUNCTION_INVOCATION_TIMEOUT'))
  }

  #switchTo({ status, headers }: ResponseHead, socket: Socket, first: Buffer): void {
    this.#forgetDeadline()
    this.#isOver = true
    const release = () => this.#release(undefined)
    this.#answer({
      ...{ status, headers, body: undefined, isCold: this.#isCold },
      switched: { socket, first, release },
    })
  }

  #mayRepeatSafely(): boolean {
    return !this.#isSettled && SAFE.has(this.#call.method) && this.#isRepeatable
  }

  get #isRepeatable(): boolean {
    const isUntouched = this.#connection?.hasBegun !== true && this.#call.body?.canRepeat !== false
    return this.#attempts < MAX_ATTEMPTS && isUntouched
  }

  #mayRepeat(code: string): boolean {
    return this.#isRepeatable && isUnread(code, this.#call.body?.pieces ?? 1)
  }

  #end(end: 'broken' | 'stuck' | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#forgetDeadline()
    this.#call.body?.drop()
    this.#release(end)
  }

  #abort(): void {
    this.#isAborted = true
    this.#controller?.abort()
  }

  #forgetDeadline(): void {
    if (this.#isWatched) this.#functions.deadlines.forget(this, this.#call.limitMs)
  }

  #release(end: 'broken' | 'stuck' | undefined): void {
    const lease = this.#lease
    this.#lease = undefined
    lease?.release(end)
  }

  #answer(result: FunctionResponse | Refusal): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settle(result)
  }
}

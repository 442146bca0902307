import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { SECOND } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import type { SandboxExit } from '#core/ports/sandbox.ts'
import { isDockerError } from '../engine/docker-error.ts'
import type { ImageDetails } from '../engine/engine-types.ts'
import type { WriteLimits } from './disk-usage.ts'
import type { SocketBridge } from './socket-bridge.ts'

export interface ContainerLimits extends WriteLimits {
  readonly cpus: number
  readonly processes: number
  readonly shmBytes: number
}

export type ControlMessage = Readonly<Record<string, unknown>>
export type Variables = Readonly<Record<string, string>>

interface LaunchBasis {
  readonly image: ImageDetails
  /** By which requests come in at `socket`. */
  readonly bridge: SocketBridge
  readonly socket: string
  readonly log: Log
  /** Of the container or the service. */
  readonly name: string
}

/** Images expect to be root inside and to give that up; this is what the usual ones need for it. */
export const CAPABILITIES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
]
export const AUTHORITIES = '/aloft/authorities.pem'
const DEFAULT_PORT = 3000
const CONNECT_MS = 2 * SECOND

/**
 * One instance of an image, from its start to its removal, on an engine or a swarm. It has the form of a runtime that waits
 * for code: `load` starts the container, with the variables it says.
 */
export abstract class ContainerLaunch {
  readonly task = undefined
  readonly root = undefined
  readonly cache = undefined
  readonly socket: string
  readonly control = { send: (message: object) => this.#obey(message as ControlMessage) }
  listener: { message(message: ControlMessage): void; closed(): void } | undefined
  /** Where it may be on another node: whether that was lost or left a moment ago, and requests with it. */
  readonly wasLost?: () => Promise<boolean>

  protected readonly image: ImageDetails
  protected readonly bridge: SocketBridge
  protected readonly stdout = new PassThrough()
  protected readonly stderr = new PassThrough()
  /** Aborted by whoever ends it from outside. */
  protected readonly stopped = new AbortController()
  readonly #log: Log
  readonly #name: string
  readonly #ended = Promise.withResolvers<SandboxExit | undefined>()
  /** Resolves when nothing is left of it; never rejects. */
  readonly exit = this.#ended.promise
  #begun: Promise<void> | undefined

  constructor({ image, bridge, socket, log, name }: LaunchBasis) {
    this.image = image
    this.bridge = bridge
    this.socket = socket
    this.#log = log
    this.#name = name
  }

  output() {
    return { stdout: this.stdout, stderr: this.stderr }
  }

  abstract stop(graceMs: number): void
  abstract kill(): void

  /** Until it has ended; undefined where it never ran. */
  protected abstract run(env: Variables, port: number): Promise<SandboxExit | undefined>
  /** Leaves nothing of it, whether it was begun or not; never rejects. */
  protected abstract remove(): Promise<void>

  /** Whether it is being moved to another node, or will be: it is well then, though it does not answer. */
  protected isMoving(): boolean {
    return false
  }

  /** Whether there is something to end. Where nothing was begun, nothing will be. */
  protected endsRun(): boolean {
    this.stopped.abort()
    if (this.#begun !== undefined) return true
    this.#begun = this.remove().then(() => this.#ended.resolve(undefined))
    return false
  }

  #obey(message: ControlMessage): void {
    if (message.type === 'load') this.#begun ??= this.#run(message.env as Variables)
    else if (message.type === 'stop') this.stop(Number(message.graceMs) || 0)
    else if (message.type === 'ping' && this.isMoving()) this.listener?.message({ type: 'pong' })
  }

  async #run(env: Variables): Promise<void> {
    let exit: SandboxExit | undefined
    try {
      exit = await this.run(env, portOf(env, this.image))
    } catch (error) {
      this.#log.debug({ err: error, name: this.#name }, 'a container could not be run')
      if (!this.stopped.signal.aborted) this.listener?.message({ type: 'failed', message: faultOf(error) })
    }
    await this.remove()
    if (exit?.reason === 'exited') this.listener?.message({ type: 'finished', code: exit.code })
    this.#ended.resolve(exit)
    this.listener?.closed()
  }
}

/** What its owner says, else what the image says, be it by a variable or by `EXPOSE`. */
function portOf(env: Variables, { Config }: ImageDetails): number {
  const said = env.PORT ?? Config?.Env?.find((line) => line.startsWith('PORT='))?.slice('PORT='.length)
  const exposed = Object.keys(Config?.ExposedPorts ?? {})
    .flatMap((text) => (/^\d+(?:\/tcp)?$/.test(text) ? [Number.parseInt(text, 10)] : []))
    .sort((a, b) => a - b)[0]
  return [Number(said ?? Number.NaN), exposed].find(isPort) ?? DEFAULT_PORT
}

const isPort = (port: number | undefined): port is number =>
  port !== undefined && Number.isInteger(port) && port > 0 && port < 65_536

/** Why it does not run, for its owner. */
const faultOf = (error: unknown): string =>
  isDockerError(error, 'unreachable') || isDockerError(error, 'timeout')
    ? 'The Docker Engine cannot be reached at the moment'
    : `The container could not be started: ${(error as Error).message}`

/** Whether somebody takes connections there. */
export function accepts(host: string, port: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(signal && { signal }) })
    const settle = (answer: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => settle(false), CONNECT_MS)
    socket.once('connect', () => settle(true))
    socket.on('error', () => settle(false))
  })
}

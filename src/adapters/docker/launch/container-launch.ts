import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { pack } from 'tar-stream'
import { SECOND } from '#contract/time.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'
import { trusting } from '#core/outbound/trusting.ts'
import type { Log } from '#core/ports/log.ts'
import type { SandboxExit } from '#core/ports/sandbox.ts'
import { isDockerError } from '../engine/docker-error.ts'
import type { Engine } from '../engine/engine.ts'
import type { ImageDetails, Labels, NewContainer } from '../engine/engine-types.ts'
import { openSocketBridge, type SocketBridge } from './socket-bridge.ts'
import { overwritten, type WriteLimits } from './written.ts'

export interface ContainerLimits extends WriteLimits {
  readonly cpus: number
  readonly processes: number
  readonly shmBytes: number
}

export interface LaunchParts {
  readonly engine: Engine
  readonly network: string
  readonly log: Log
  readonly limits: ContainerLimits
  readonly labels: Labels
  /** Whether the engine can put a first process into containers that passes signals on and buries the dead. */
  readonly init: boolean
  /** Whom it asks for names; the engine's own choice where it is left out. */
  readonly nameServer?: string | undefined
  /** A file of certificates: all the authorities that it trusts; those of its image where it is left out. */
  readonly authorities?: string | undefined
  /** Of the container, free on this engine. */
  readonly name: string
  /** Where requests come in, a short path that is free. */
  readonly socket: string
}

export type ControlMessage = Readonly<Record<string, unknown>>

/** Has the form of a runtime that waits for code: `load` starts the container, with the variables it says. */
export interface ContainerLaunch {
  readonly control: { send(message: object): void }
  readonly socket: string
  readonly task: undefined
  readonly root: undefined
  readonly cache: undefined
  listener: { message(message: ControlMessage): void; closed(): void } | undefined
  /** Resolves when nothing is left of it; never rejects. */
  readonly exit: Promise<SandboxExit | undefined>
  output(): { readonly stdout: Readable; readonly stderr: Readable }
  /** Where it may be on another node: whether that was lost or left a moment ago, and requests with it. */
  readonly wasLost?: () => Promise<boolean>
  stop(graceMs: number): void
  kill(): void
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
const MB = 2 ** 20
const CONNECT_MS = 2 * SECOND

export async function launchContainer(
  loaded: LoadedProgram,
  image: ImageDetails,
  parts: LaunchParts,
): Promise<ContainerLaunch> {
  return new Container(loaded, image, parts, await openSocketBridge(parts.socket))
}

class Container implements ContainerLaunch {
  readonly task = undefined
  readonly root = undefined
  readonly cache = undefined
  readonly socket: string
  readonly control = { send: (message: object) => this.#told(message as ControlMessage) }
  readonly exit: Promise<SandboxExit | undefined>
  listener: ContainerLaunch['listener']

  readonly #loaded: LoadedProgram
  readonly #image: ImageDetails
  readonly #parts: LaunchParts
  readonly #bridge: SocketBridge
  readonly #stdout = new PassThrough()
  readonly #stderr = new PassThrough()
  readonly #ended = Promise.withResolvers<SandboxExit | undefined>()
  /** Set by whoever ends it from outside. */
  readonly #stopped = new AbortController()
  #id: string | undefined
  #begun: Promise<void> | undefined
  #killed = false

  constructor(loaded: LoadedProgram, image: ImageDetails, parts: LaunchParts, bridge: SocketBridge) {
    this.#loaded = loaded
    this.#image = image
    this.#parts = parts
    this.#bridge = bridge
    this.socket = parts.socket
    this.exit = this.#ended.promise
  }

  output() {
    return { stdout: this.#stdout, stderr: this.#stderr }
  }

  stop(graceMs: number): void {
    void this.#stop(graceMs)
  }

  kill(): void {
    this.#killed = true
    void this.#stop(0)
  }

  #told(message: ControlMessage): void {
    if (message.type === 'load') {
      if (this.#begun || this.#stopped.signal.aborted) return
      this.#begun = this.#run(message.env as Readonly<Record<string, string>>)
      void this.#begun
    } else if (message.type === 'stop') this.stop(Number(message.graceMs) || 0)
  }

  /** From its creation to its removal. */
  async #run(env: Readonly<Record<string, string>>): Promise<void> {
    const { engine, log } = this.#parts
    const port = portOf(env, this.#image)
    let exit: SandboxExit | undefined
    try {
      const id = await engine.createContainer(this.#parts.name, this.#plan(env, port))
      this.#id = id
      await this.#trust(id)
      const { ended } = await engine.watch(id)
      const { stdout, stderr } = await engine.attach(id)
      stdout.pipe(this.#stdout)
      stderr.pipe(this.#stderr)
      if (!this.#stopped.signal.aborted) {
        await engine.start(id)
        const over = new AbortController()
        const ready = this.#untilReady(id, port, over.signal)
        const watched = this.#watchDisk(id, over.signal)
        // Stopped while it was being started: the call for that came too early.
        if (this.#stopped.signal.aborted) await engine.kill(id).catch(() => {})
        const code = await ended
        over.abort()
        await Promise.all([ready, watched])
        exit = await this.#exitOf(id, code)
      }
    } catch (error) {
      log.debug({ err: error, name: this.#parts.name }, 'a container could not be run')
      if (!this.#stopped.signal.aborted) this.listener?.message({ type: 'failed', message: faultOf(error) })
    } finally {
      await this.#remove()
    }
    if (exit?.reason === 'exited') this.listener?.message({ type: 'finished', code: exit.code })
    this.#ended.resolve(exit)
    this.listener?.closed()
  }

  #plan(env: Readonly<Record<string, string>>, port: number): NewContainer {
    const { network, nameServer, authorities, limits, labels, init } = this.#parts
    const trusted = authorities === undefined ? {} : trusting(AUTHORITIES)
    const memory = this.#loaded.program.memoryMb * MB
    return {
      Image: this.#image.Id,
      Env: Object.entries({ ...trusted, ...env, PORT: String(port) }).map(
        ([name, value]) => `${name}=${value}`,
      ),
      Labels: labels,
      // Whether it is well is asked from outside.
      Healthcheck: { Test: ['NONE'] },
      HostConfig: {
        Memory: memory,
        MemorySwap: memory,
        NanoCpus: Math.round(limits.cpus * 1e9),
        PidsLimit: limits.processes,
        ShmSize: limits.shmBytes,
        CapDrop: ['ALL'],
        CapAdd: CAPABILITIES,
        SecurityOpt: ['no-new-privileges'],
        NetworkMode: network,
        ...(nameServer === undefined ? {} : { Dns: [nameServer] }),
        IpcMode: 'private',
        // What it writes is read as it comes, and kept nowhere else.
        LogConfig: { Type: 'none' },
        RestartPolicy: { Name: 'no' },
        // On a machine that is out of memory it goes before the platform does.
        OomScoreAdj: 500,
        ...(init ? { Init: true } : {}),
      },
    }
  }

  /** A file of its own, as an engine need not see those of the platform. */
  async #trust(id: string): Promise<void> {
    const { engine, authorities } = this.#parts
    if (authorities === undefined) return
    const archive = pack()
    archive.entry({ name: AUTHORITIES.slice(1), mode: 0o644 }, await readFile(authorities))
    archive.finalize()
    await engine.put(id, '/', Readable.from(archive))
  }

  async #untilReady(id: string, port: number, over: AbortSignal): Promise<void> {
    try {
      const details = await this.#parts.engine.container(id)
      const host = details?.NetworkSettings.Networks[this.#parts.network]?.IPAddress
      if (!host) return
      for (let wait = 10; !over.aborted; wait = Math.min(wait * 1.3, 200)) {
        if (await accepts(host, port, over)) {
          if (over.aborted) return
          this.#bridge.lead({ host, port })
          this.listener?.message({ type: 'ready' })
          return
        }
        await pause(wait, undefined, { signal: over }).catch(() => {})
      }
    } catch (error) {
      this.#parts.log.warn({ err: error, name: this.#parts.name }, 'a container could not be looked at')
    }
  }

  /** Ends it when it has written too much, and says so where its owner looks. */
  async #watchDisk(id: string, over: AbortSignal): Promise<void> {
    const { engine, limits, log, name } = this.#parts
    while (!over.aborted) {
      await pause(limits.lookMs, undefined, { signal: over, ref: false }).catch(() => {})
      if (over.aborted) return
      try {
        const why = await overwritten(engine, id, limits)
        if (why === undefined || over.aborted) continue
        log.warn({ name, why }, 'a container is ended')
        this.#stderr.write(`${why}. It is ended.\n`)
        this.kill()
        return
      } catch (error) {
        if (!over.aborted) log.debug({ err: error, name }, 'what a container has written cannot be seen')
      }
    }
  }

  async #exitOf(id: string, code: number): Promise<SandboxExit> {
    const state = (await this.#parts.engine.container(id).catch(() => undefined))?.State
    if (state?.OOMKilled) return { code: null, signal: 'SIGKILL', reason: 'memory' }
    if (this.#killed) return { code: null, signal: 'SIGKILL', reason: 'killed' }
    return { code, signal: null, reason: 'exited' }
  }

  async #stop(graceMs: number): Promise<void> {
    this.#stopped.abort()
    if (this.#begun === undefined) {
      // Nothing runs yet, and nothing will.
      this.#begun = this.#remove().then(() => this.#ended.resolve(undefined))
      return
    }
    const { engine, log } = this.#parts
    if (this.#id === undefined) return
    try {
      if (graceMs > 0) await engine.stop(this.#id, graceMs)
      else await engine.kill(this.#id)
    } catch (error) {
      // Over already, or not begun: then whoever begins it sees that it should not.
      if (isDockerError(error, 'absent') || isDockerError(error, 'conflict')) return
      log.warn({ err: error, name: this.#parts.name }, 'a container could not be stopped')
    }
  }

  async #remove(): Promise<void> {
    const { engine, log, name } = this.#parts
    const warn = (err: unknown) => log.warn({ err, name }, 'a container could not be removed')
    await this.#bridge.close().catch(warn)
    if (this.#id !== undefined) await engine.remove(this.#id).catch(warn)
    else {
      this.#stdout.end()
      this.#stderr.end()
    }
  }
}

/** What its owner says, else what the image says, be it by a variable or by `EXPOSE`. */
export function portOf(env: Readonly<Record<string, string>>, { Config }: ImageDetails): number {
  const said = env.PORT ?? Config?.Env?.find((line) => line.startsWith('PORT='))?.slice('PORT='.length)
  const exposed = Object.keys(Config?.ExposedPorts ?? {})
    .flatMap((text) => (/^\d+(?:\/tcp)?$/.test(text) ? [Number.parseInt(text, 10)] : []))
    .sort((a, b) => a - b)[0]
  return [Number(said ?? Number.NaN), exposed].find(isPort) ?? DEFAULT_PORT
}

const isPort = (port: number | undefined): port is number =>
  port !== undefined && Number.isInteger(port) && port > 0 && port < 65_536

/** Why it does not run, for its owner. */
export const faultOf = (error: unknown): string =>
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

import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { pack } from 'tar-stream'
import type { LoadedProgram } from '#core/instance/instance.ts'
import { trusting } from '#core/outbound/trusting.ts'
import type { Log } from '#core/ports/log.ts'
import type { SandboxExit } from '#core/ports/sandbox.ts'
import { isDockerError } from '../engine/docker-error.ts'
import type { Engine } from '../engine/engine.ts'
import type { ImageDetails, Labels, NewContainer } from '../engine/engine-types.ts'
import {
  AUTHORITIES,
  accepts,
  CAPABILITIES,
  ContainerLaunch,
  type ContainerLimits,
  type Variables,
} from './container-launch.ts'
import { overDiskLimits } from './disk-usage.ts'
import { openSocketBridge, type SocketBridge } from './socket-bridge.ts'

interface LaunchParts {
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

const MB = 2 ** 20

export async function launchContainer(
  loaded: LoadedProgram,
  image: ImageDetails,
  parts: LaunchParts,
): Promise<ContainerLaunch> {
  return new Container(loaded, image, parts, await openSocketBridge(parts.socket))
}

class Container extends ContainerLaunch {
  readonly #loaded: LoadedProgram
  readonly #parts: LaunchParts
  #id: string | undefined
  #killed = false

  constructor(loaded: LoadedProgram, image: ImageDetails, parts: LaunchParts, bridge: SocketBridge) {
    super({ ...parts, image, bridge })
    this.#loaded = loaded
    this.#parts = parts
  }

  stop(graceMs: number): void {
    void this.#stop(graceMs)
  }

  kill(): void {
    this.#killed = true
    void this.#stop(0)
  }

  async processorMs(): Promise<number | undefined> {
    return this.#id === undefined ? undefined : this.#parts.engine.processorMs(this.#id)
  }

  protected async run(env: Variables, port: number): Promise<SandboxExit | undefined> {
    const { engine, name } = this.#parts
    const id = await engine.createContainer(name, this.#plan(env, port))
    this.#id = id
    await this.#trust(id)
    const { ended } = await engine.watch(id)
    const { stdout, stderr } = await engine.attach(id)
    stdout.pipe(this.stdout)
    stderr.pipe(this.stderr)
    if (this.stopped.signal.aborted) return undefined
    await engine.start(id)
    const over = new AbortController()
    const ready = this.#untilReady(id, port, over.signal)
    const watched = this.#watchDisk(id, over.signal)
    // Stopped while it was being started: the call for that came too early.
    if (this.stopped.signal.aborted) await engine.kill(id).catch(() => {})
    const code = await ended
    over.abort()
    await Promise.all([ready, watched])
    return this.#exitOf(id, code)
  }

  #plan(env: Variables, port: number): NewContainer {
    const { network, nameServer, authorities, limits, labels, init } = this.#parts
    const trusted = authorities === undefined ? {} : trusting(AUTHORITIES)
    const memory = this.#loaded.program.memoryMb * MB
    return {
      Image: this.image.Id,
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
    await engine.put(id, Readable.from(archive))
  }

  async #untilReady(id: string, port: number, over: AbortSignal): Promise<void> {
    try {
      const details = await this.#parts.engine.container(id)
      const host = details?.NetworkSettings.Networks[this.#parts.network]?.IPAddress
      if (!host) return
      for (let wait = 10; !over.aborted; wait = Math.min(wait * 1.3, 200)) {
        if (await accepts(host, port, over)) {
          if (over.aborted) return
          this.bridge.lead({ host, port })
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
        const why = await overDiskLimits(engine, id, limits)
        if (why === undefined || over.aborted) continue
        log.warn({ name, why }, 'a container is ended')
        this.stderr.write(`${why}. It is ended.\n`)
        this.kill()
        return
      } catch (error) {
        if (!over.aborted) log.debug({ err: error, name }, 'what a container has written cannot be seen')
      }
    }
  }

  async #exitOf(id: string, code: number): Promise<SandboxExit> {
    const state = (await this.#parts.engine.container(id).catch(() => undefined))?.State
    if (state?.OOMKilled) return { code: null, reason: 'memory' }
    if (this.#killed) return { code: null, reason: 'killed' }
    return { code, reason: 'exited' }
  }

  async #stop(graceMs: number): Promise<void> {
    if (!this.endsRun() || this.#id === undefined) return
    const { engine, log } = this.#parts
    try {
      if (graceMs > 0) await engine.stop(this.#id, graceMs)
      else await engine.kill(this.#id)
    } catch (error) {
      // Over already, or not begun: then whoever begins it sees that it should not.
      if (isDockerError(error, 'absent') || isDockerError(error, 'conflict')) return
      log.warn({ err: error, name: this.#parts.name }, 'a container could not be stopped')
    }
  }

  protected async remove(): Promise<void> {
    const { engine, log, name } = this.#parts
    const warn = (err: unknown) => log.warn({ err, name }, 'a container could not be removed')
    await this.bridge.close().catch(warn)
    if (this.#id !== undefined) await engine.remove(this.#id).catch(warn)
    else {
      this.stdout.end()
      this.stderr.end()
    }
  }
}

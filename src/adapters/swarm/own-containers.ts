import type { Log } from '#core/ports/log.ts'
import type { Engine } from '../docker/engine/engine.ts'
import type { ContainerDetails } from '../docker/engine/engine-types.ts'
import { LABEL } from '../docker/labels.ts'
import { accepts } from '../docker/launch/container-launch.ts'
import { overDiskLimits, type WriteLimits } from '../docker/launch/disk-usage.ts'

/** Why a container ended, as far as its exit code does not tell. */
export interface ContainerEnd {
  readonly ranOutOfMemory: boolean
  /** Why it was ended by the platform. */
  readonly reason?: string | undefined
}

interface OwnContainersParts {
  readonly engine: Engine
  readonly installation: string
  /** The one that tasks are in. */
  readonly network: string
  readonly limits: WriteLimits
  readonly log: Log
}

const MOST_REASONS = 1000

/** The tasks of the installation on this machine's node, whichever machine wanted them. */
export class OwnContainers {
  readonly #parts: OwnContainersParts
  readonly #reasons = new Map<string, string>()
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  constructor(parts: OwnContainersParts) {
    this.#parts = parts
    this.#timer = setInterval(() => void this.#watchDisk(), parts.limits.lookMs).unref()
  }

  async address(id: string): Promise<string | undefined> {
    return (await this.#own(id))?.NetworkSettings.Networks[this.#parts.network]?.IPAddress || undefined
  }

  async accepts(id: string, port: number): Promise<boolean> {
    const host = await this.address(id)
    return host !== undefined && accepts(host, port)
  }

  async endOf(id: string): Promise<ContainerEnd> {
    const state = (await this.#own(id))?.State
    return { ranOutOfMemory: state?.OOMKilled === true, reason: this.#reasons.get(id) }
  }

  async kill(id: string): Promise<void> {
    if (await this.#own(id)) await this.#parts.engine.kill(id)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Whatever is not of this installation is nobody's business. */
  async #own(id: string): Promise<ContainerDetails | undefined> {
    const { engine, installation } = this.#parts
    const details = await engine.container(id)
    return details?.Config?.Labels?.[LABEL.installation] === installation ? details : undefined
  }

  /** Ends what has written too much. */
  async #watchDisk(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const { engine, installation, limits, log } = this.#parts
    try {
      for (const { Id, State, Labels } of await engine.containers({ [LABEL.installation]: installation })) {
        if (State !== 'running' || Labels[LABEL.process] === undefined) continue
        const why = await overDiskLimits(engine, Id, limits)
        if (why === undefined) continue
        log.warn({ container: Id, deploymentId: Labels[LABEL.deployment], why }, 'a container is ended')
        if (this.#reasons.size >= MOST_REASONS) this.#reasons.clear()
        this.#reasons.set(Id, why)
        await engine.kill(Id)
      }
    } catch (err) {
      log.debug({ err }, 'what containers have written cannot be seen')
    } finally {
      this.#isLooking = false
    }
  }
}

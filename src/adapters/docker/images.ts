import { createHash } from 'node:crypto'
import { showLimit } from '#contract/amounts.ts'
import { SECOND } from '#contract/time.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { ImageBuilder, ImageTask } from '#core/ports/image-builder.ts'
import type { Log } from '#core/ports/log.ts'
import { DockerError, isDockerError } from './engine/docker-error.ts'
import { type Engine, ImageBuildError } from './engine/engine.ts'
import type { ImageDetails, ImageLayer } from './engine/engine-types.ts'
import { LABEL, labelsOf } from './labels.ts'
import type { DiskGuard } from './launch/disk-guard.ts'

export interface ImageLimits {
  /** Of one step of a build. */
  readonly buildMemoryBytes: number
  readonly buildCpus: number
  /** Of all that was built here and is kept, without the images that it was built on. */
  readonly imagesBytes: number
}

interface ImageParts {
  readonly engine: Engine
  readonly installation: string
  readonly network: string
  readonly blobs: Pick<BlobStore, 'open'>
  readonly disk: DiskGuard
  readonly clock: Clock
  readonly log: Log
  readonly limits: ImageLimits
  /** The name that all of them have before the colon. */
  readonly repository?: string
  /** Before one is made again: whether it could be had as it was. */
  readonly fetch?: (tag: string, signal: AbortSignal) => Promise<boolean>
}

export const PROGRAMS = 'aloft-program'
/** As a shell tells of what was killed. */
const KILLED = 137
const MAX_STEPS = 1000
/** Variables that make no difference to the engine's cache, so that one account could spoil what another finds there. */
const PROXY = /^(?:https?|ftp|no|all)_proxy$/i

/** Two accounts with the same files have images of their own: what their variables put into them differs. */
export function tagOf(program: string, deploymentId: string, repository = PROGRAMS): string {
  const name = `${program}-${deploymentId}`
  const isTag = /^\w[\w.-]{0,127}$/.test(name)
  return `${repository}:${isTag ? name : createHash('sha256').update(name).digest('hex')}`
}

/** The images of programs on this engine: made once, kept while they are used and there is room, made again after that. */
export class Images implements ImageBuilder {
  readonly #parts: ImageParts
  readonly #kept: string
  readonly #repository: string
  readonly #making = new Map<string, Promise<ImageDetails>>()
  /** When each was last asked for by this process, by its tag. */
  readonly #used = new Map<string, number>()
  #trimming: Promise<void> | undefined
  #trimAgain = false

  constructor(parts: ImageParts) {
    this.#parts = parts
    this.#kept = `aloft-steps-${parts.installation}`
    this.#repository = parts.repository ?? PROGRAMS
  }

  async build(task: ImageTask): Promise<void> {
    await this.#build(task)
  }

  /** The image of a program that is to run. */
  async ensure(loaded: LoadedProgram, signal: AbortSignal): Promise<ImageDetails> {
    const { program, deploymentId, ownerId, env } = loaded
    const { engine, log, clock } = this.#parts
    const tag = tagOf(program.id, deploymentId, this.#repository)
    this.#used.set(tag, clock.now())
    const known = await engine.image(tag)
    if (known) return known
    const under = this.#making.get(tag)
    if (under) return under
    const make = async () => {
      const fetched = (await this.#parts.fetch?.(tag, signal)) ? await engine.image(tag) : undefined
      if (fetched) return fetched
      log.info({ deploymentId, program: program.id }, 'the image of a program is made again')
      // The variables of the build are not kept; those of the program have to do.
      return this.#build({ program, deploymentId, ownerId, args: env, signal, onOutput: () => {} })
    }
    const making = make().finally(() => this.#making.delete(tag))
    this.#making.set(tag, making)
    return making
  }

  /** Removes the images of a deployment. Whatever runs of it must have ended. */
  async forget(deploymentId: string): Promise<void> {
    const { engine, installation } = this.#parts
    const label = [`${LABEL.installation}=${installation}`, `${LABEL.deployment}=${deploymentId}`]
    for (const { RepoTags } of await engine.images({ label }))
      for (const tag of RepoTags ?? []) {
        if (!tag.startsWith(`${this.#repository}:`)) continue
        this.#used.delete(tag)
        await engine.removeImage(tag)
      }
  }

  /** Removes what was used longest ago, until the rest fits. */
  trim(): Promise<void> {
    this.#trimAgain = true
    this.#trimming ??= this.#trimAll().finally(() => {
      this.#trimming = undefined
    })
    return this.#trimming
  }

  async #build(task: ImageTask): Promise<ImageDetails> {
    const { engine, blobs, network, limits, installation, clock, disk, log } = this.#parts
    const { program, deploymentId, ownerId, args, signal, onOutput } = task
    const tag = tagOf(program.id, deploymentId, this.#repository)
    const full = new AbortController()
    const unwatch = disk.whenLow(() =>
      full.abort(new BuildFailure('disk_full', 'The disk of this machine has no room for the image.')),
    )
    const steps = new Set<string>()
    const began = clock.now()
    const context = await blobs.open(program.archive.sha256)
    if (context === undefined) throw new Error(`The archive ${program.archive.sha256} is not stored`)
    let id: string | undefined
    try {
      id = await engine.build({
        ...{ context, tag, network, onOutput },
        dockerfile: program.entry,
        labels: labelsOf({ installation, ownerId, deploymentId }),
        args: Object.fromEntries(Object.entries(args).filter(([name]) => !PROXY.test(name))),
        memoryBytes: limits.buildMemoryBytes,
        cpus: limits.buildCpus,
        signal: AbortSignal.any([signal, full.signal]),
        onStep: (image) => {
          if (steps.size < MAX_STEPS) steps.add(image)
        },
      })
      const image = await engine.image(tag)
      if (image === undefined) throw new DockerError('failed', 'The image is gone as soon as it was made')
      this.#used.set(tag, clock.now())
      return image
    } catch (error) {
      throw this.#failureOf(error)
    } finally {
      context.destroy()
      unwatch()
      await this.#keepSteps([...steps], id, began)
        .then(() => void this.trim())
        .catch((err) => log.warn({ err }, 'what a build has left could not be looked at'))
    }
  }

  #failureOf(error: unknown): unknown {
    if (error instanceof ImageBuildError) {
      return error.exitCode === KILLED
        ? new BuildFailure(
            'out_of_memory',
            `A step was killed; it most likely needs more than ${showLimit(this.#parts.limits.buildMemoryBytes)} of memory.`,
          )
        : new BuildFailure('build_failed', error.message || 'The image could not be built.')
    }
    if (isDockerError(error, 'unreachable') || isDockerError(error, 'timeout'))
      return new BuildFailure('docker_unavailable', 'The Docker Engine cannot be reached at the moment.')
    // The engine says so of a Dockerfile that it does not understand, and of images that cannot be had.
    if (error instanceof DockerError) return new BuildFailure('build_failed', error.message)
    return error
  }

  /**
   * Stages that the image was not made of, and what a failed build has come to, have no name: nobody would ever remove
   * them. They are given one, so that the next build is faster and they go when room is needed.
   */
  async #keepSteps(steps: readonly string[], id: string | undefined, began: number): Promise<void> {
    const { engine } = this.#parts
    const covered = new Set((id ? await engine.history(id) : []).map((layer) => layer.Id))
    for (const step of steps.toReversed()) {
      const image = await engine.image(step)
      // Whatever a program printed may be the id of anything: only what is new and without a name is taken.
      const isNew = image && Date.parse(image.Created) >= began - SECOND
      if (!isNew || covered.has(image.Id) || (image.RepoTags ?? []).length > 0) continue
      await engine.tag(image.Id, this.#kept, step)
      this.#used.set(`${this.#kept}:${step}`, this.#parts.clock.now())
      for (const layer of await engine.history(image.Id)) covered.add(layer.Id)
    }
  }

  async #trimAll(): Promise<void> {
    while (this.#trimAgain) {
      this.#trimAgain = false
      await this.#trimOnce().catch((err) => this.#parts.log.warn({ err }, 'images could not be removed'))
    }
  }

  async #trimOnce(): Promise<void> {
    const { engine, limits } = this.#parts
    const seen = new Set<string>()
    let bytes = 0
    for (const tag of await this.#newestFirst()) {
      const layers = this.#ownLayers(await engine.history(tag))
      const more = newBytes(layers, seen)
      if (bytes + more > limits.imagesBytes && (await engine.removeImage(tag))) {
        this.#used.delete(tag)
        continue
      }
      bytes += more
      for (const { Id } of layers) seen.add(Id)
    }
  }

  /** Those that were made here: they end where an image begins that has a name of its own, or that was fetched. */
  #ownLayers(layers: readonly ImageLayer[]): readonly ImageLayer[] {
    const isOurs = (tag: string) => tag.startsWith(`${this.#repository}:`) || tag.startsWith(`${this.#kept}:`)
    const end = layers.findIndex(({ Id, Tags }) => Id === '<missing>' || Tags?.some((tag) => !isOurs(tag)))
    return end === -1 ? layers : layers.slice(0, end)
  }

  async #newestFirst(): Promise<readonly string[]> {
    const { engine, installation } = this.#parts
    const images = await engine.images({ reference: [this.#repository, this.#kept] })
    const dated = images.flatMap(({ RepoTags, Labels, Created }) =>
      (RepoTags ?? []).flatMap((tag) => {
        const isProgram =
          tag.startsWith(`${this.#repository}:`) && Labels?.[LABEL.installation] === installation
        if (!isProgram && !tag.startsWith(`${this.#kept}:`)) return []
        return [{ tag, at: this.#used.get(tag) ?? Created * SECOND }]
      }),
    )
    return dated.sort((a, b) => b.at - a.at).map(({ tag }) => tag)
  }
}

/** What the layers take that are not counted yet. */
const newBytes = (layers: readonly ImageLayer[], seen: ReadonlySet<string>): number =>
  layers.reduce((sum, { Id, Size }) => (seen.has(Id) ? sum : sum + Size), 0)

import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { MINUTE } from '#contract/time.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { ImageBuilder } from '#core/ports/image-builder.ts'
import type { Log } from '#core/ports/log.ts'
import { DockerError } from './engine/docker-error.ts'
import { connectEngine, type Engine } from './engine/engine.ts'
import { isLocal, readEngineAddress } from './engine/engine-address.ts'
import type { ContainerSummary, EngineInfo } from './engine/engine-types.ts'
import { type ImageLimits, Images } from './images.ts'
import { LABEL, labelsOf, processRuns } from './labels.ts'
import type { ContainerLaunch, ContainerLimits } from './launch/container-launch.ts'
import { guardDisk } from './launch/disk-guard.ts'
import { diskUsageOf } from './launch/disk-usage.ts'
import { launchContainer } from './launch/engine-launch.ts'
import { Launches } from './launch/launches.ts'
import { openNetwork } from './network.ts'
import type { ServiceOptions } from './platform-services.ts'
import { processFolderIn } from './process-folder.ts'

export interface DockerLimits extends ImageLimits, ContainerLimits {
  /** What must stay free on the engine's disk for everybody else. */
  readonly freeBytes: number
}

const MB = 2 ** 20
const GB = 2 ** 30

export const DOCKER_LIMITS: DockerLimits = {
  buildMemoryBytes: 2 * GB,
  buildCpus: Math.max(0.5, availableParallelism() - 0.5),
  imagesBytes: 20 * GB,
  cpus: 1,
  processes: 256,
  shmBytes: 64 * MB,
  diskBytes: 4 * GB,
  diskFiles: 500_000,
  lookMs: MINUTE,
  freeBytes: GB,
}

export interface DockerOptions {
  /** The text of `DOCKER_HOST`. */
  readonly host?: string
  /** The data folder; what is on the engine is known by it. */
  readonly folder: string
  /** For the sockets of instances: a short path of the platform's own, for this process alone. */
  readonly runFolder: string
  readonly blobs: Pick<BlobStore, 'open'>
  readonly clock: Clock
  readonly log: Log
  readonly limits?: Partial<DockerLimits>
  /** Ranges of IPv4 outside the public internet that containers may reach. */
  readonly privateTargets?: readonly string[]
  /** How containers find the sites of this installation. */
  readonly services?: ServiceOptions
  /** A file of certificates: all the authorities that programs trust. Those of the image where it is left out. */
  readonly authorities?: string
}

/** Programs that are images, on a Docker Engine of this machine. */
export interface Docker {
  /** What the engine does not protect, in words for the operator. */
  readonly missing: readonly string[]
  readonly images: ImageBuilder
  /** What is done for other machines, by the first word of a connection. */
  readonly offers?: Readonly<Record<string, (socket: Socket, args: readonly string[]) => void>>
  /** Waits until its image is there. Rejects with a `RunnerError`. */
  launch(loaded: LoadedProgram, signal?: AbortSignal): Promise<ContainerLaunch>
  /** The deployment is gone: so are its containers and images. */
  forget(deploymentId: string): Promise<void>
  /** Removes the images that there is no room for; done after each build as well. */
  trim(): Promise<void>
  /** Ends what this process still runs. Images stay. */
  close(): Promise<void>
}

/** Rejects with a `DockerError` where there is no engine that could be used. */
export async function openDocker(options: DockerOptions): Promise<Docker> {
  const { engine, info } = await connectHere(options.host)
  const { folder, runFolder, clock, log } = options
  const installation = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  const sockets = await processFolderIn(runFolder)
  await removeAbandoned(engine, installation, log)
  const network = await openNetwork(engine, installation, options.privateTargets ?? [], options.services)
  const limits = { ...DOCKER_LIMITS, ...options.limits }
  const disk = guardDisk(info.DockerRootDir, limits.freeBytes, log)
  const images = new Images({
    ...{ engine, installation, disk, clock, log, limits, blobs: options.blobs },
    network: network.name,
  })
  const launches = new Launches()
  const mine = launches.process

  /** One of those that fill the disk goes: the one that has written most. */
  let looking = false
  const unwatch = disk.whenLow(() => {
    if (looking) return
    looking = true
    removeLargest(engine, installation, mine, log)
      .catch((err) => log.warn({ err }, 'who fills the disk cannot be seen'))
      .finally(() => {
        looking = false
      })
  })
  void images.trim()

  return {
    missing: lacksOf(info, network.open),
    images,
    launch: (loaded, signal) =>
      launches.add(signal, async (own, stopped) => {
        const { deploymentId, ownerId } = loaded
        const image = await images.ensure(loaded, stopped)
        return launchContainer(loaded, image, {
          ...{ engine, log, limits, network: network.name },
          ...{ nameServer: network.nameServer, authorities: options.authorities },
          init: info.InitCommit?.ID !== 'N/A',
          labels: {
            ...labelsOf({ installation, ownerId, deploymentId }),
            [LABEL.process]: mine,
          },
          name: `aloft-${installation}-${mine.replace('.', '-')}-${own}`,
          socket: join(sockets, own),
        })
      }),
    async forget(deploymentId) {
      const labels = { [LABEL.installation]: installation, [LABEL.deployment]: deploymentId }
      for (const { Id } of await engine.containers(labels)) await engine.remove(Id)
      await images.forget(deploymentId)
    },
    trim: () => images.trim(),
    async close() {
      unwatch()
      disk.close()
      await launches.close()
      await network.close()
      await rm(sockets, { recursive: true, force: true })
    },
  }
}

/** Rejects with a `DockerError` where the engine is that of another machine, or runs no containers of Linux. */
export async function connectHere(
  host: string | undefined,
): Promise<{ readonly engine: Engine; readonly info: EngineInfo }> {
  const address = readEngineAddress(host)
  const engine = await connectEngine(address)
  const info = await engine.info()
  if (process.platform !== 'linux' || info.OSType !== 'linux' || !isLocal(address))
    throw new DockerError('refused', 'The Docker Engine must be on this machine, and the machine run Linux')
  return { engine, info }
}

/** Containers outlive the process that runs them. */
async function removeAbandoned(engine: Engine, installation: string, log: Log): Promise<void> {
  const containers = await engine.containers({ [LABEL.installation]: installation })
  const abandoned = containers.filter(
    ({ State, Labels }) => State !== 'running' || !processRuns(Labels[LABEL.process] ?? ''),
  )
  if (abandoned.length > 0) log.info({ containers: abandoned.length }, 'abandoned containers are removed')
  for (const { Id } of abandoned) await engine.remove(Id)
}

async function removeLargest(engine: Engine, installation: string, mine: string, log: Log): Promise<void> {
  const labels = { [LABEL.installation]: installation, [LABEL.process]: mine }
  let largest: { readonly container: ContainerSummary; readonly bytes: number } | undefined
  for (const container of await engine.containers(labels)) {
    const { bytes } = await diskUsageOf(engine, container.Id)
    if (bytes > (largest?.bytes ?? LARGE)) largest = { container, bytes }
  }
  if (largest === undefined) return
  const { container, bytes } = largest
  log.warn({ deploymentId: container.Labels[LABEL.deployment], bytes }, 'a container filled the disk')
  await engine.kill(container.Id)
}

/** Less is not what the disk is full of. */
const LARGE = 64 * MB

export function lacksOf(info: EngineInfo, open: string | undefined): readonly string[] {
  const { MemoryLimit, SwapLimit, CpuCfsQuota, PidsLimit, SecurityOptions } = info
  return [
    ...(open === undefined ? [] : [`containers can reach this machine and its private networks: ${open}`]),
    ...(MemoryLimit ? [] : ['the memory of containers is not limited']),
    ...(SwapLimit ? [] : ['what containers swap out is not limited']),
    ...(CpuCfsQuota ? [] : ['the CPU time of containers is not limited']),
    ...(PidsLimit ? [] : ['the processes of containers are not limited']),
    ...(SecurityOptions?.some((text) => text.startsWith('name=seccomp'))
      ? []
      : ['the system calls of containers are not filtered']),
    'the processes of a step of a build are limited only by its memory',
    'what a base image says in ONBUILD ADD is fetched by the engine itself, from inside of its network',
  ]
}

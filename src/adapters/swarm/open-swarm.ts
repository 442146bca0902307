import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SECOND } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import { DockerError } from '../docker/engine/docker-error.ts'
import type { Engine } from '../docker/engine/engine.ts'
import type { EngineInfo } from '../docker/engine/engine-types.ts'
import { Images, tagOf } from '../docker/images.ts'
import { LABEL, labelsOf, processRuns } from '../docker/labels.ts'
import { guardDisk } from '../docker/launch/disk-guard.ts'
import { Launches } from '../docker/launch/launches.ts'
import { openNetwork } from '../docker/network.ts'
import {
  connectHere,
  DOCKER_LIMITS,
  type Docker,
  type DockerOptions,
  lacksOf,
} from '../docker/open-docker.ts'
import { processFolderIn } from '../docker/process-folder.ts'
import { openImageRegistry } from './image-registry.ts'
import { OwnContainers } from './own-containers.ts'
import { nodeLabelOf, type Offers, Places, type SwarmPeers, taskOffers } from './places.ts'
import { launchService } from './service-launch.ts'
import { SwarmEngine } from './swarm-engine.ts'
import { TaskWatch } from './task-watch.ts'

export interface SwarmOptions extends DockerOptions {
  /** The name of this machine among those of the installation. */
  readonly machine: string
  /** Known to all machines of the installation and to nobody else. */
  readonly secret: string
  /** Where the engine of this node fetches images, at the loopback; the same on all machines. */
  readonly imagePort: number
  /** Absent where this machine is alone: then everything runs on its own node. */
  readonly peers?: SwarmPeers | undefined
}

/** Programs that are images, on a Docker Swarm that this machine's engine is a node of. */
export interface Swarm extends Docker {
  /** What this machine does for others, by the first word of a connection. */
  readonly offers: Offers
}

const GRACE_MS = 30 * SECOND
const LOOK_MS = 300
/** What a swarm takes as a file for tasks. */
const MOST_AUTHORITIES = 500_000

/** Rejects with a `DockerError` where the engine is none that could be used. */
export async function openSwarm(options: SwarmOptions): Promise<Swarm> {
  const { engine, info } = await connectHere(options.host)
  const node = nodeOf(info)
  const { clock, log, machine, secret, peers } = options
  const swarm = new SwarmEngine(engine.http)
  const installation = createHash('sha256').update(`installation ${secret}`).digest('hex').slice(0, 12)
  const sockets = await processFolderIn(options.runFolder)
  const launches = new Launches()
  const mine = launches.process
  const limits = { ...DOCKER_LIMITS, ...options.limits }
  const bridge = `als${installation.slice(0, 8)}`
  const network = await openNetwork(engine, installation, options.privateTargets ?? [], options.services, [
    bridge,
  ])
  const tasksNetwork = `aloft-tasks-${installation}`
  await laySettings(engine, `${tasksNetwork}-settings`, bridge, installation)
  const registry = await openImageRegistry({
    ...{ engine, peers, log, port: options.imagePort, folder: join(options.folder, 'images-passed-on') },
    password: createHash('sha256').update(`images ${secret}`).digest('hex'),
  })
  const disk = guardDisk(info.DockerRootDir, limits.freeBytes, log)
  const images = new Images({
    ...{ engine, installation, disk, clock, log, limits, blobs: options.blobs },
    network: network.name,
    repository: registry.repository,
    fetch: (tag, signal) => engine.pull(tag, registry.auth, signal).catch(() => false),
  })
  const here = new OwnContainers({ engine, installation, network: tasksNetwork, limits, log })
  const places = new Places({ swarm, node, machine, installation, here, peers, clock, log })
  const tasks = new TaskWatch(swarm, { [LABEL.installation]: installation, [LABEL.process]: mine }, LOOK_MS)
  const ownLabels = { [LABEL.installation]: installation, [LABEL.machine]: machine }
  let prepared: Promise<{ readonly id: string; readonly name: string } | undefined> | undefined

  /** What only a manager does, once before the first service. */
  const prepare = () => {
    prepared ??= (async () => {
      await swarm.ensureNetwork(tasksNetwork, `${tasksNetwork}-settings`)
      await places.look()
      if (options.authorities === undefined) return undefined
      const content = await readFile(options.authorities)
      if (content.length > MOST_AUTHORITIES) return undefined
      const name = `aloft-${installation}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`
      return { name, id: await swarm.ensureConfig(name, content, ownLabels) }
    })()
    prepared.catch(() => {
      prepared = undefined
    })
    return prepared
  }

  const release = async () => {
    places.close()
    disk.close()
    here.close()
    await registry.close()
    await network.close()
  }

  if (info.Swarm?.ControlAvailable)
    try {
      await removeAbandoned(swarm, ownLabels, log)
      await prepare()
    } catch (error) {
      await release()
      throw error
    }
  void images.trim()

  return {
    missing: [
      ...lacksOf(info, network.open),
      'what services swap out is not limited',
      ...(keepsPrivileges(info) ? [] : ['this engine does not keep services from new privileges']),
      ...(info.Swarm?.ControlAvailable
        ? []
        : ['this node is no manager of the swarm: it runs what others start, and starts nothing']),
    ],
    images,
    offers: { ...taskOffers(node, here), images: registry.offer },
    launch: (loaded, signal) =>
      launches.add(signal, async (own, stopped) => {
        const { deploymentId, ownerId, program } = loaded
        const authorities = await prepare()
        const image = await images.ensure(loaded, stopped)
        return launchService(loaded, image, {
          ...{ swarm, tasks, places, log, registryAuth: registry.auth },
          socket: join(sockets, own),
          service: {
            name: `aloft-${installation}-${machine.slice(0, 8)}-${mine.replace('.', '-')}-${own}`,
            labels: {
              ...labelsOf({ installation, ownerId, deploymentId }),
              ...ownLabels,
              [LABEL.process]: mine,
            },
            image: tagOf(program.id, deploymentId, registry.repository),
            network: tasksNetwork,
            nodeLabel: nodeLabelOf(installation),
            nameServer: network.nameServer,
            init: info.InitCommit?.ID !== 'N/A',
            graceMs: GRACE_MS,
            ...{ limits, authorities },
          },
        })
      }),
    async forget(deploymentId) {
      const labels = { [LABEL.installation]: installation, [LABEL.deployment]: deploymentId }
      if (info.Swarm?.ControlAvailable)
        for (const { ID } of await swarm.services(labels)) await swarm.removeService(ID)
      for (const { Id } of await engine.containers(labels)) await engine.remove(Id)
      await images.forget(deploymentId)
    },
    trim: () => images.trim(),
    async close() {
      places.close()
      await launches.close()
      await release()
      await rm(sockets, { recursive: true, force: true })
    },
  }
}

/** The first and second number of the engine's version. */
const versionOf = ({ ServerVersion }: EngineInfo): readonly number[] => ServerVersion.split('.').map(Number)

/** Whether services can be kept from what files of their image would give them, or all containers of the engine are. */
const keepsPrivileges = (info: EngineInfo): boolean =>
  (versionOf(info)[0] ?? 0) >= 25 || info.SecurityOptions?.includes('name=no-new-privileges') === true

/** The id of this node; rejects where the engine is no part of a swarm. */
function nodeOf(info: EngineInfo): string {
  const { Swarm } = info
  const [major = 0, minor = 0] = versionOf(info)
  if (major < 20 || (major === 20 && minor < 10))
    throw new DockerError(
      'refused',
      'The Docker Engine cannot take powers away from services; version 20.10 or newer can',
    )
  if (Swarm?.LocalNodeState !== 'active' || Swarm.NodeID === '')
    throw new DockerError(
      'refused',
      `The Docker Engine of this machine is no node of a swarm${Swarm?.Error ? ` (${Swarm.Error})` : ''}: run \`docker swarm init\` on the first machine and \`docker swarm join\` on the others, or set ALOFT_RUNTIME=docker`,
    )
  return Swarm.NodeID
}

/** Services outlive the process that wants them. */
async function removeAbandoned(
  swarm: SwarmEngine,
  labels: Readonly<Record<string, string>>,
  log: Log,
): Promise<void> {
  const services = await swarm.services(labels)
  const abandoned = services.filter(({ Spec }) => !processRuns(Spec.Labels?.[LABEL.process] ?? ''))
  if (abandoned.length > 0) log.info({ services: abandoned.length }, 'abandoned services are removed')
  for (const { ID } of abandoned) await swarm.removeService(ID)
}

/** How this node makes its part of the network: a bridge of its own, as overlays reach beyond what is fenced off. */
async function laySettings(
  engine: Engine,
  name: string,
  bridge: string,
  installation: string,
): Promise<void> {
  if (await engine.network(name)) return
  await engine.createNetwork({
    Name: name,
    ConfigOnly: true,
    CheckDuplicate: true,
    Labels: { [LABEL.installation]: installation },
    Options: {
      'com.docker.network.bridge.name': bridge,
      'com.docker.network.bridge.enable_icc': 'false',
    },
  })
}

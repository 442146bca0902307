import type { HostStore } from '../alias/host-store.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Project } from '../project/project.ts'
import { queueAdvance } from './queue-advance.ts'
import { isActive, type Release } from './release.ts'

interface BeginStores {
  readonly hosts: Pick<HostStore, 'inProduction'>
  readonly deployments: Pick<DeploymentStore, 'find'>
  readonly jobs: JobQueue
}

interface BegunRelease {
  /** What the project is to remember. */
  readonly release: Release
  /** The names of production: some of their visitors get something else from now on. */
  readonly hosts: readonly string[]
}

/**
 * Has a deployment shown to a share of production's visitors, where the project wants that and something is live. One
 * that was on its way to them gives way. The project is locked by the caller, and remembers what is answered.
 */
export async function beginRelease(
  stores: BeginStores,
  project: Project,
  canary: Deployment,
  now: number,
): Promise<BegunRelease | undefined> {
  const { rollingRelease: config, release: last } = project.details
  if (config === null || canary.host === null) return undefined
  const shown = await stores.hosts.inProduction(project.id)
  const [first] = shown
  const current = first && (await stores.deployments.find(first.deploymentId))
  if (current?.state !== 'READY' || current.id === canary.id) return undefined
  const release: Release = {
    ...{ state: 'ACTIVE', paused: false, reason: null, looks: [] },
    currentDeploymentId: current.id,
    canaryDeploymentId: canary.id,
    canaryHost: canary.host,
    config,
    ...{ stage: 0, stageAt: now, startedAt: now, updatedAt: now },
    turn: (last?.turn ?? 0) + 1,
  }
  await queueAdvance(stores.jobs, project, release, now)
  return { release, hosts: shown.map(({ host }) => host) }
}

/** Whether somebody has made a newer deployment, which visitors get or are on the way to get. */
export async function isSuperseded(
  { deployments, hosts }: Pick<BeginStores, 'deployments' | 'hosts'>,
  { id, details: { release } }: Project,
  { createdAt }: Pick<Deployment, 'createdAt'>,
): Promise<boolean> {
  const [first] = await hosts.inProduction(id)
  const ids = [
    ...(first ? [first.deploymentId] : []),
    ...(isActive(release) ? [release.canaryDeploymentId] : []),
  ]
  for (const other of ids) if (((await deployments.find(other))?.createdAt ?? 0) > createdAt) return true
  return false
}

import type { Alias } from '../alias/alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { JobQueue } from '../job/job-queue.ts'
import { liveDeployment } from '../names/live-deployment.ts'
import type { Project } from '../project/project.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { queueAdvance } from './queue-advance.ts'
import { isActive, type Release } from './release.ts'

interface BeginStores {
  readonly hosts: Pick<HostStore, 'inProduction'>
  readonly projectDomains: Pick<ProjectDomainStore, 'ofProject'>
  readonly deployments: Pick<DeploymentStore, 'find' | 'findAll'>
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
  const current = await liveOf(stores, project, canary, shown)
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

/** The release once its project is resumed: it stood still for as long as visitors were shown neither deployment. */
export async function resumedRelease(
  { jobs }: Pick<BeginStores, 'jobs'>,
  project: Project,
  release: Release,
  now: number,
): Promise<Release> {
  // One that waits for somebody does not change.
  if (release.paused) return release
  const stoodStill = now - Math.max(release.stageAt, project.details.pausedAt ?? now)
  const resumed: Release = {
    ...release,
    ...{ stageAt: release.stageAt + stoodStill, resumedAt: now, looks: [] },
    turn: release.turn + 1,
    updatedAt: now,
  }
  await queueAdvance(jobs, project, resumed, now)
  return resumed
}

/** What most visitors of production get; where no name tells, the newest that is shown. */
async function liveOf(
  { projectDomains, deployments }: Omit<BeginStores, 'jobs' | 'hosts'>,
  project: Pick<Project, 'id' | 'name'>,
  deployment: Deployment,
  shown: readonly Alias[],
): Promise<Deployment | undefined> {
  const domains = await projectDomains.ofProject(project.id)
  const live = liveDeployment({ project, domains, shown, deployment })
  if (live !== undefined) return deployments.find(live)
  const ids = [...new Set(shown.map(({ deploymentId }) => deploymentId))]
  return (await deployments.findAll(ids)).toSorted((a, b) => b.createdAt - a.createdAt)[0]
}

/** Whether somebody has made a newer deployment, which visitors get or are on the way to get. */
export async function isSuperseded(
  stores: Omit<BeginStores, 'jobs'>,
  project: Project,
  deployment: Deployment,
): Promise<boolean> {
  const { release } = project.details
  const live = await liveOf(stores, project, deployment, await stores.hosts.inProduction(project.id))
  const canary = isActive(release) ? await stores.deployments.find(release.canaryDeploymentId) : undefined
  return [live, canary].some((other) => other !== undefined && other.createdAt > deployment.createdAt)
}

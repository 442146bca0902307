import { AloftError } from '#contract/errors.ts'
import { newSuffix } from '#contract/ids.ts'
import type { Owner } from '../access/context.ts'
import { obstacle, pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { queueBuild } from '../build/queue-build.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Project } from '../project/project.ts'
import { holdsProduction } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { builderOf } from './builds.ts'
import type { Deployment } from './deployment.ts'
import type { DeploymentStore } from './deployment-store.ts'
import { defaultAlias, deploymentHost, productionAlias, stagingAlias } from './hosts.ts'

export interface PublishStores {
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly projects: ProjectStore
  readonly jobs: JobQueue
}

interface Publication {
  readonly owner: Pick<Owner, 'kind' | 'slug'>
  readonly project: Project
  readonly domain: string
  readonly now: number
}

export interface Published {
  readonly deployment: Deployment
  /** Every host that shows something else from now on. */
  readonly changed: readonly string[]
}

const ATTEMPTS = 8

/**
 * What happens once all files are there, inside the caller's transaction: the deployment gets its address, its aliases
 * are allotted, and when nothing has to be built it is live. What has to be built is queued.
 */
export async function publish(stores: PublishStores, begun: Deployment, on: Publication): Promise<Published> {
  const host = await allocateHost(stores.hosts, begun, on)
  const addressed = { ...begun, host, stateAt: on.now }
  const aliasFinal = await allotAliases(stores, addressed, on)
  const deployment = { ...addressed, aliasFinal }
  if (!hasToBeBuilt(begun)) {
    const aliases = await claimable(stores, deployment)
    for (const alias of aliases) await claim(stores, deployment, alias, on.now)
    return goLive(stores, deployment, { pointed: aliases, aliasError: null }, on.now)
  }
  await stores.deployments.update(begun.id, { host, aliasFinal, stateAt: on.now })
  await queueBuild(stores.jobs, begun)
  return { deployment, changed: [host] }
}

const hasToBeBuilt = ({ buildRuns, type }: Deployment): boolean =>
  type !== 'STATIC' || buildRuns.some(({ use }) => builderOf(use) !== 'static')

/** Makes what was built READY. A name that a newer deployment of the project has by now stays with that. */
export async function goLiveBuilt(stores: PublishStores, built: Deployment, now: number): Promise<Published> {
  const pointed: string[] = []
  let aliasError: Deployment['aliasError'] = null
  for (const alias of await claimable(stores, built)) {
    if (await isOvertaken(stores, alias, built)) continue
    try {
      await claim(stores, built, alias, now)
      pointed.push(alias)
    } catch (error) {
      // Somebody else took it while the deployment was built; it is live all the same.
      if (!(error instanceof AloftError)) throw error
      aliasError = { code: error.kind, message: error.message }
    }
  }
  return goLive(stores, built, { pointed, aliasError }, now)
}

const claim = ({ hosts }: PublishStores, deployment: Deployment, alias: string, now: number) =>
  pointAlias(hosts, alias, destination(deployment, alias !== deployment.aliasFinal[0]), now)

/** Makes a deployment READY whose aliases point to it, inside the caller's transaction. */
async function goLive(
  stores: PublishStores,
  addressed: Deployment,
  { pointed, aliasError }: { readonly pointed: readonly string[] } & Pick<Deployment, 'aliasError'>,
  now: number,
): Promise<Published> {
  const { aliasFinal, host } = addressed
  const change = {
    host,
    aliasFinal,
    state: 'READY',
    stateAt: now,
    readyAt: now,
    aliasAssigned: aliasError === null,
    aliasError,
    buildRuns: addressed.buildRuns.map((run) =>
      run.readyState === 'READY' ? run : { ...run, readyState: 'READY' as const, readyStateAt: now },
    ),
  } as const
  await stores.deployments.update(addressed.id, change)
  return { deployment: { ...addressed, ...change }, changed: [...(host === null ? [] : [host]), ...pointed] }
}

/** Its aliases, without those of production where the project holds them back. */
async function claimable(
  { projects }: PublishStores,
  { ownerId, projectId, target, aliasFinal }: Deployment,
): Promise<readonly string[]> {
  if (target !== 'production') return aliasFinal
  // Locked, so that it is not paused or rolled back between this and the moving of the aliases.
  const project = await projects.lock(ownerId, projectId)
  return project && holdsProduction(project.details) ? aliasFinal.slice(0, 1) : aliasFinal
}

async function isOvertaken(
  { hosts, deployments }: PublishStores,
  alias: string,
  { id, ownerId, projectId, createdAt }: Deployment,
): Promise<boolean> {
  const held = await hosts.alias(ownerId, alias)
  if (!held || held.deploymentId === id || held.projectId !== projectId) return false
  const holder = await deployments.find(held.deploymentId)
  return holder?.state === 'READY' && holder.createdAt > createdAt
}

async function allocateHost(
  hosts: HostStore,
  deployment: Deployment,
  { owner, project, domain }: Publication,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const host = deploymentHost(project.name, owner, domain)
    if (await hosts.claimForDeployment(host, deployment)) return host
  }
  throw new AloftError('conflict', 'No free address could be found. Try again.')
}

async function allotAliases(
  stores: PublishStores,
  deployment: Deployment,
  on: Publication,
): Promise<string[]> {
  const { owner, project, domain } = on
  const always = await defaultHost(stores, deployment, on)
  if (deployment.target === 'staging') return [always, stagingAlias(project.name, owner.slug, domain)]
  if (deployment.target !== 'production') return [always]
  if (deployment.aliasWish !== null) return [...new Set([always, ...deployment.aliasWish])]
  const production = productionAlias(project.name, domain)
  return (await isOurs(stores.hosts, production, deployment)) ? [always, production] : [always]
}

/** Allotted with the first deployment of a project and kept for it. Always the first of the aliases. */
async function defaultHost(stores: PublishStores, deployment: Deployment, on: Publication): Promise<string> {
  const { owner, project, domain, now } = on
  // Somebody else may have taken the name after it was given up.
  if (project.defaultHost !== null && (await isOurs(stores.hosts, project.defaultHost, deployment)))
    return project.defaultHost
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const host = defaultAlias(project.name, owner.slug, domain, attempt === 0 ? '' : newSuffix())
    if (await stores.hosts.holder(host)) continue
    await pointAlias(stores.hosts, host, destination(deployment, false), now)
    await stores.projects.setDefaultHost(project.id, host)
    return host
  }
  throw new AloftError('conflict', 'No free address could be found. Try again.')
}

/** `<project>.<domain>` belongs to the first project that takes it. */
async function isOurs(hosts: HostStore, host: string, { ownerId, projectId }: Deployment): Promise<boolean> {
  const holder = await hosts.holder(host)
  if (!holder) return true
  return holder.kind === 'alias' && holder.ownerId === ownerId && holder.projectId === projectId
}

/** The default alias shows whatever came last, so it is a preview even when that is production. */
const destination = ({ id, ownerId, projectId, target }: Deployment, mayBeProduction: boolean) => ({
  deploymentId: id,
  ownerId,
  projectId,
  production: mayBeProduction && target === 'production',
})

/** Refuses aliases that the account cannot have, before anything is made. */
export async function checkAliases(
  hosts: HostStore,
  aliases: readonly string[],
  ownerId: string,
): Promise<void> {
  for (const alias of aliases) {
    const problem = await obstacle(hosts, alias, ownerId)
    if (problem) throw problem
  }
}

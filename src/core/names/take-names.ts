import { AloftError } from '#contract/errors.ts'
import { obstacle, pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { markLive } from '../deployment/live.ts'
import { noDomainOf } from '../domain/absent-domain.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import { branchAliasOf } from '../git/branch-alias.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Project } from '../project/project.ts'
import { holdsProduction } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { showsProduction } from '../project-domain/domains-for.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { beginRelease, isSuperseded } from '../release/begin-release.ts'
import { abortRelease, NEWER_IS_LIVE } from '../release/end-release.ts'
import { isActive } from '../release/release.ts'
import { hasDomainOf, type NamedDomains } from './domain-of.ts'
import { destination, dueDomains, isExplicit, isFollowed, platformOf, withoutDomains } from './due-names.ts'

export interface TakeStores {
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly projects: ProjectStore
  readonly projectDomains: ProjectDomainStore
  readonly domains: Pick<DomainStore, 'hold' | 'verifiedCovering'>
  readonly jobs: JobQueue
}

export interface TakenNames {
  /** All that the deployment has from now on. */
  readonly aliasFinal: readonly string[]
  /** Those that show something else than before. */
  readonly pointed: readonly string[]
  readonly aliasError: Deployment['aliasError']
}

/** What a deployment takes that goes live as it is made. One whose files came late may have been overtaken too. */
export async function takeNames(
  stores: TakeStores,
  deployment: Deployment,
  { isLate, now }: { readonly isLate: boolean; readonly now: number },
): Promise<TakenNames> {
  const all = await claimable(stores, deployment, now)
  const { aliases, free, domains, shared } = isLate ? await notOvertaken(stores, deployment, all) : all
  const pointed: string[] = []
  for (const alias of free) {
    if (isLate && (await isOvertaken(stores, alias, deployment))) continue
    await claim(stores, deployment, alias, now)
    pointed.push(alias)
  }
  const taken = await takeDomains(stores, deployment, domains, now)
  pointed.push(...taken)
  const ended = await endOlderRelease(stores, deployment, pointed, now)
  return { aliasFinal: [...aliases, ...taken], pointed: [...pointed, ...shared, ...ended], aliasError: null }
}

/** What a deployment takes that was built. A name that a newer deployment of the project has by now stays with that. */
export async function takeNamesOfBuilt(
  stores: TakeStores,
  built: Deployment,
  now: number,
): Promise<TakenNames> {
  const pointed: string[] = []
  let aliasError: Deployment['aliasError'] = null
  // What else of the project goes live at this moment does so before it or after it, and the newer one has their names.
  if (!isFollowed(built)) await stores.projects.lock(built.ownerId, built.projectId)
  const all = await claimable(stores, built, now)
  const { aliases, free, domains, shared } = await notOvertaken(stores, built, all)
  for (const alias of free) {
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
  const taken = await takeDomains(stores, built, domains, now)
  pointed.push(...taken)
  const ended = await endOlderRelease(stores, built, pointed, now)
  return { aliasFinal: [...aliases, ...taken], pointed: [...pointed, ...shared, ...ended], aliasError }
}

/**
 * Gives a deployment the names it would have had, and domains; what others took meanwhile is theirs, and what went with its
 * domain stays gone.
 */
export async function takeMissedNames(
  stores: Pick<TakeStores, 'hosts' | 'deployments' | 'projectDomains' | 'domains'>,
  deployment: Deployment,
  now: number,
): Promise<string[]> {
  const { hosts, deployments, projectDomains } = stores
  const { id: deploymentId, ownerId, projectId, aliasFinal, aliasWish } = deployment
  const present = await projectDomains.ofProject(projectId)
  const due = aliasWish === null ? present.filter(showsProduction).map(({ name }) => name) : []
  const names = new Set([...aliasFinal.filter((host) => mayBeProduction(deployment, host)), ...due])
  // One that was told its aliases keeps them; else a domain may have come to show something else meanwhile.
  const others = aliasWish === null ? present.filter((domain) => !showsProduction(domain)) : []
  for (const { name } of others) names.delete(name)
  const taken: string[] = []
  for (const host of [...names].sort())
    try {
      await checkDomainOf(stores, deployment, host)
      await pointAlias(hosts, host, { deploymentId, ownerId, projectId, production: true }, now)
      taken.push(host)
    } catch (error) {
      if (!(error instanceof AloftError)) throw error
    }
  const shown = new Set([...aliasFinal, ...taken])
  await deployments.update(deploymentId, { aliasFinal: [...shown] })
  if (taken.length > 0) await markLive(deployments, deployment, now)
  return taken
}

/** The name of a branch follows that branch, whatever is promoted or rolled back: it is never one of production's. */
const mayBeProduction = (deployment: Deployment, alias: string): boolean =>
  alias !== deployment.aliasFinal[0] && alias !== branchAliasOf(deployment)

/** The names that follow a deployment's project or branch, which it takes whatever becomes of production. */
const withoutProduction = (deployment: Deployment, aliases: readonly string[]): readonly string[] =>
  aliases.filter((alias) => !mayBeProduction(deployment, alias))

const claim = async (stores: TakeStores, deployment: Deployment, alias: string, now: number) => {
  await checkDomainOf(stores, deployment, alias)
  const to = destination(deployment, mayBeProduction(deployment, alias))
  return pointAlias(stores.hosts, alias, to, now)
}

/** The domain of a name that a deployment was told to take may have been deleted since, or may be at this moment. */
async function checkDomainOf(stores: NamedDomains, deployment: Deployment, host: string): Promise<void> {
  if (!deployment.aliasWish?.includes(host) || host.endsWith(platformOf(deployment))) return
  if (!(await hasDomainOf(stores, deployment, host))) throw noDomainOf(host)
}

/** A domain that somebody has put another alias on, or does so at this moment, is no reason to fail. */
async function takeDomains(
  stores: TakeStores,
  deployment: Deployment,
  domains: readonly string[],
  now: number,
): Promise<readonly string[]> {
  const taken: string[] = []
  for (const host of domains.toSorted()) {
    if (await obstacle(stores.hosts, host, deployment.ownerId)) continue
    try {
      await claim(stores, deployment, host, now)
      taken.push(host)
    } catch (error) {
      if (!(error instanceof AloftError) || error.kind !== 'conflict') throw error
    }
  }
  return taken
}

interface Claimable {
  /** All aliases that are its own, without domains of the project. */
  readonly aliases: readonly string[]
  /** Those that it may take, where the project does not hold its production back. */
  readonly free: readonly string[]
  /** Domains of the project that it may take. */
  readonly domains: readonly string[]
  /** Names of production, some of whose visitors it gets. */
  readonly shared: readonly string[]
}

/** What a deployment takes as it goes live. Domains came and went since it was made. */
async function claimable(stores: TakeStores, deployment: Deployment, now: number): Promise<Claimable> {
  const { ownerId, projectId, target, aliasFinal } = deployment
  const isProduction = target === 'production'
  if (!isFollowed(deployment)) return { aliases: aliasFinal, free: aliasFinal, domains: [], shared: [] }
  // Locked, so that it is not paused, rolled back or given another domain between this and the moving of the aliases.
  const project = await stores.projects.lock(ownerId, projectId)
  const present = project ? await stores.projectDomains.ofProject(projectId) : []
  const aliases = withoutDomains(deployment, present)
  const others = withoutProduction(deployment, aliases)
  if (isProduction && project && holdsProduction(project.details))
    return { aliases, free: others, domains: [], shared: [] }
  if (project && isProduction && !isExplicit(deployment) && project.details.autoAssignCustomDomains) {
    const shared = await release(stores, project, deployment, now)
    if (shared) return { aliases, free: others, domains: [], shared }
  }
  const domains = project ? dueDomains(project, present, deployment) : []
  return { aliases, free: aliases, domains, shared: [] }
}

/** The names of production where the deployment is to reach their visitors step by step; undefined where it takes them. */
async function release(
  stores: TakeStores,
  project: Project,
  deployment: Deployment,
  now: number,
): Promise<readonly string[] | undefined> {
  const { details } = project
  if (details.rollingRelease === null) return undefined
  if (await isSuperseded(stores, project, deployment)) return isActive(details.release) ? [] : undefined
  const begun = await beginRelease(stores, project, deployment, now)
  if (!begun) return undefined
  await stores.projects.update(project.id, { details: { ...details, release: begun.release } }, now)
  return begun.hosts
}

/**
 * Ends the release of an older deployment once a newer one has names of production at once, as with aliases of its own or
 * where nothing else is live. At its last stage it would take them all. Answers the hosts that show something else.
 */
async function endOlderRelease(
  stores: TakeStores,
  deployment: Deployment,
  pointed: readonly string[],
  now: number,
): Promise<readonly string[]> {
  const { ownerId, projectId, target, createdAt } = deployment
  if (target !== 'production' || !pointed.some((alias) => mayBeProduction(deployment, alias))) return []
  const project = await stores.projects.lock(ownerId, projectId)
  if (!project || !isActive(project.details.release)) return []
  const canary = await stores.deployments.find(project.details.release.canaryDeploymentId)
  if (canary && canary.createdAt > createdAt) return []
  return abortRelease(stores, project, NEWER_IS_LIVE, now)
}

/** All or none of the names that show the same: visitors never see two deployments under those of one project. */
async function notOvertaken(
  stores: TakeStores,
  deployment: Deployment,
  { aliases, free, domains, shared }: Claimable,
): Promise<Claimable> {
  const isWhole = deployment.target === 'production' && !isExplicit(deployment)
  const others = isWhole ? withoutProduction(deployment, free) : free
  for (const host of [...free.filter((alias) => !others.includes(alias)), ...domains])
    if (await isOvertaken(stores, host, deployment)) return { aliases, free: others, domains: [], shared }
  return { aliases, free, domains, shared }
}

async function isOvertaken(
  { hosts, deployments }: TakeStores,
  alias: string,
  { id, ownerId, projectId, createdAt }: Deployment,
): Promise<boolean> {
  const held = await hosts.alias(ownerId, alias)
  if (!held || held.deploymentId === id || held.projectId !== projectId) return false
  const holder = await deployments.find(held.deploymentId)
  return holder?.state === 'READY' && holder.createdAt > createdAt
}

import { AloftError } from '#contract/errors.ts'
import { newSuffix } from '#contract/ids.ts'
import type { Owner } from '../access/context.ts'
import { obstacle, pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import { queueBuild } from '../build/queue-build.ts'
import type { EventQueue } from '../event/event.ts'
import { deploymentEvent } from '../event/event-payloads.ts'
import type { JobQueue } from '../job/job-queue.ts'
import { queuePreview } from '../preview/preview-job.ts'
import type { Project } from '../project/project.ts'
import { holdsProduction } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { domainsFor } from '../project-domain/domains-for.ts'
import type { ProjectDomain } from '../project-domain/project-domain.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { branchOf } from './branch.ts'
import type { Work } from './decide.ts'
import type { Deployment, Failure } from './deployment.ts'
import type { DeploymentStore } from './deployment-store.ts'
import { defaultAlias, deploymentHost, productionAlias, stagingAlias } from './hosts.ts'

export interface PublishStores {
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly projects: ProjectStore
  readonly projectDomains: ProjectDomainStore
  readonly jobs: JobQueue
  readonly events: EventQueue
}

interface Publication {
  readonly owner: Pick<Owner, 'kind' | 'slug'>
  readonly project: Project
  readonly names: PlatformNames
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
 * are allotted, and when nothing has to be built it is live. What has to be built is queued, what cannot be has failed.
 */
export async function publish(
  stores: PublishStores,
  begun: Deployment,
  on: Publication,
  work: Pick<Work, 'kind'> & { readonly failure?: Failure },
): Promise<Published> {
  const host = await allocateHost(stores.hosts, begun, on)
  const addressed = { ...begun, host, stateAt: on.now }
  const aliasFinal = await allotAliases(stores, addressed, on)
  const deployment = { ...addressed, aliasFinal }
  if (work.kind === 'files') {
    const all = await claimable(stores, deployment)
    // One whose files came late may have been overtaken too.
    const { aliases, free, domains } =
      begun.createdAt < on.now ? await notOvertaken(stores, deployment, all) : all
    for (const alias of free) await claim(stores, deployment, alias, on.now)
    const taken = await takeDomains(stores, deployment, domains, on.now)
    const live = { ...deployment, aliasFinal: [...aliases, ...taken] }
    await stores.events.emit(
      deploymentEvent('deployment.created', live, { at: on.now }),
      ...ready(live, on.now),
    )
    return goLive(stores, live, { pointed: [...free, ...taken], aliasError: null }, on.now)
  }
  await stores.events.emit(deploymentEvent('deployment.created', deployment, { at: on.now }))
  if (work.failure)
    return { deployment: await giveUp(stores, deployment, work.failure, on.now), changed: [host] }
  await stores.deployments.update(begun.id, { host, aliasFinal, stateAt: on.now })
  await queueBuild(stores.jobs, begun)
  return { deployment, changed: [host] }
}

/** Ends what cannot be built, inside the caller's transaction. What was built by then stays READY. */
export async function giveUp(
  stores: Pick<PublishStores, 'deployments' | 'events'>,
  deployment: Deployment,
  failure: Failure,
  now: number,
): Promise<Deployment> {
  const { host, aliasFinal } = deployment
  const change = {
    host,
    aliasFinal,
    state: 'ERROR',
    stateAt: now,
    failure,
    buildRuns: deployment.buildRuns.map((run) =>
      run.readyState === 'READY' ? run : { ...run, readyState: 'ERROR' as const, readyStateAt: now },
    ),
  } as const
  await stores.deployments.update(deployment.id, change)
  await stores.events.emit(deploymentEvent('deployment.error', deployment, { at: now }))
  return { ...deployment, ...change }
}

/** Makes what was built READY. A name that a newer deployment of the project has by now stays with that. */
export async function goLiveBuilt(stores: PublishStores, built: Deployment, now: number): Promise<Published> {
  const pointed: string[] = []
  let aliasError: Deployment['aliasError'] = null
  const { aliases, free, domains } = await notOvertaken(stores, built, await claimable(stores, built))
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
  const live = { ...built, aliasFinal: [...aliases, ...taken] }
  await stores.events.emit(...ready(live, now))
  return goLive(stores, live, { pointed: [...pointed, ...taken], aliasError }, now)
}

/** What was built has come out well, and is there for visitors: here the two are one moment. */
const ready = (live: Deployment, at: number) => [
  deploymentEvent('deployment.succeeded', live, { at }),
  deploymentEvent('deployment.ready', live, { at }),
]

const claim = ({ hosts }: PublishStores, deployment: Deployment, alias: string, now: number) =>
  pointAlias(hosts, alias, destination(deployment, alias !== deployment.aliasFinal[0]), now)

/** A domain that somebody has put another alias on, or does so at this moment, is no reason to fail. */
async function takeDomains(
  stores: PublishStores,
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
  if (addressed.target === 'production') await queuePreview(stores.jobs, addressed)
  return { deployment: { ...addressed, ...change }, changed: [...(host === null ? [] : [host]), ...pointed] }
}

interface Claimable {
  /** All aliases that are its own, without domains of the project. */
  readonly aliases: readonly string[]
  /** Those that it may take, where the project does not hold its production back. */
  readonly free: readonly string[]
  /** Domains of the project that it may take. */
  readonly domains: readonly string[]
}

/** What a deployment takes as it goes live. Domains came and went since it was made. */
async function claimable(stores: PublishStores, deployment: Deployment): Promise<Claimable> {
  const { ownerId, projectId, target, meta, aliasFinal } = deployment
  const isProduction = target === 'production'
  if (!isProduction && branchOf(meta) === undefined)
    return { aliases: aliasFinal, free: aliasFinal, domains: [] }
  // Locked, so that it is not paused, rolled back or given another domain between this and the moving of the aliases.
  const project = await stores.projects.lock(ownerId, projectId)
  const present = project ? await stores.projectDomains.ofProject(projectId) : []
  const aliases = withoutDomains(deployment, present)
  if (isProduction && project && holdsProduction(project.details))
    return { aliases, free: aliases.slice(0, 1), domains: [] }
  return { aliases, free: aliases, domains: project ? dueDomains(project, present, deployment) : [] }
}

/** All or none of the names that show the same: visitors never see two deployments under those of one project. */
async function notOvertaken(
  stores: PublishStores,
  deployment: Deployment,
  { aliases, free, domains }: Claimable,
): Promise<Claimable> {
  const isWhole = deployment.target === 'production' && !isTold(deployment)
  for (const host of isWhole ? [...free.slice(1), ...domains] : domains)
    if (await isOvertaken(stores, host, deployment))
      return { aliases, free: isWhole ? free.slice(0, 1) : free, domains: [] }
  return { aliases, free, domains }
}

/** The domains that a deployment takes by itself. One that was told its aliases takes those instead. */
function dueDomains(
  { details }: Project,
  present: readonly ProjectDomain[],
  deployment: Deployment,
): readonly string[] {
  const isLeftOut = isTold(deployment) || !details.autoAssignCustomDomains || holdsProduction(details)
  return deployment.target === 'production' && isLeftOut ? [] : domainsFor(present, deployment)
}

const isTold = ({ target, aliasWish }: Deployment): boolean => target === 'production' && aliasWish !== null

/** Aliases that a deployment has whatever the domains of its project are: names of the platform, or what it was told. */
function withoutDomains(deployment: Deployment, present: readonly ProjectDomain[]): readonly string[] {
  const { aliasFinal } = deployment
  if (isTold(deployment)) return aliasFinal
  const platform = (aliasFinal[0] ?? '').replace(/^[^.]*/, '')
  const names = new Set(present.map(({ name }) => name))
  return aliasFinal.filter((host) => host.endsWith(platform) && !names.has(host))
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
  { owner, project, names }: Publication,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const host = deploymentHost(project.name, owner, names.domain)
    if (await hosts.claimForDeployment(host, deployment)) return host
  }
  throw new AloftError('conflict', 'No free address could be found. Try again.')
}

async function allotAliases(
  stores: PublishStores,
  deployment: Deployment,
  on: Publication,
): Promise<string[]> {
  const { owner, project, names } = on
  const { target, meta, aliasWish } = deployment
  const always = await defaultHost(stores, deployment, on)
  if (target === 'production' && aliasWish !== null) return [...new Set([always, ...aliasWish])]
  const follows = target === 'production' || branchOf(meta) !== undefined
  const present = follows ? await stores.projectDomains.ofProject(project.id) : []
  const due = dueDomains(project, present, deployment)
  if (target === 'staging') {
    const staging = stagingAlias(project.name, owner.slug, names.domain)
    return isReservedHost(names, staging) ? [always, ...due] : [always, staging, ...due]
  }
  if (target !== 'production') return [always, ...due]
  const production = productionAlias(project.name, names.domain)
  const isFree =
    !isReservedHost(names, production) &&
    present.every(({ name }) => name !== production) &&
    (await isOurs(stores.hosts, production, deployment))
  return isFree ? [always, production, ...due] : [always, ...due]
}

/** Allotted with the first deployment of a project and kept for it. Always the first of the aliases. */
async function defaultHost(stores: PublishStores, deployment: Deployment, on: Publication): Promise<string> {
  const { owner, project, names, now } = on
  // Somebody else may have taken the name after it was given up.
  const known = project.defaultHost
  if (known !== null && !isReservedHost(names, known) && (await isOurs(stores.hosts, known, deployment)))
    return known
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const host = defaultAlias(project.name, owner.slug, names.domain, attempt === 0 ? '' : newSuffix())
    if (isReservedHost(names, host) || (await stores.hosts.holder(host))) continue
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
  return holder.kind !== 'deployment' && holder.ownerId === ownerId && holder.projectId === projectId
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

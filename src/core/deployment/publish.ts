import { AloftError } from '#contract/errors.ts'
import { newSuffix } from '#contract/ids.ts'
import type { Owner } from '../access/context.ts'
import { obstacle, pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { builderOf } from './builds.ts'
import type { Deployment, Failure } from './deployment.ts'
import type { DeploymentStore } from './deployment-store.ts'
import { defaultAlias, deploymentHost, productionAlias, stagingAlias } from './hosts.ts'

export interface PublishStores {
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly projects: ProjectStore
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
 * What happens once all files are there, inside the caller's transaction: the deployment gets its address,
 * its aliases are allotted, and when nothing has to be built it is READY with its aliases pointing to it.
 */
export async function publish(stores: PublishStores, begun: Deployment, on: Publication): Promise<Published> {
  const host = await allocateHost(stores.hosts, begun, on)
  const addressed = { ...begun, host, stateAt: on.now }
  const aliasFinal = await allotAliases(stores, addressed, on)
  const failure = unbuildable(begun)
  const state = failure ? 'ERROR' : 'READY'
  const deployment: Deployment = {
    ...addressed,
    aliasFinal,
    failure,
    state,
    readyAt: failure ? null : on.now,
    aliasAssigned: failure === null,
    buildRuns: begun.buildRuns.map((run) => ({ ...run, readyState: state, readyStateAt: on.now })),
  }
  if (!failure)
    for (const alias of aliasFinal)
      await pointAlias(stores.hosts, alias, destination(deployment, alias !== aliasFinal[0]), on.now)
  const { stateAt, readyAt, aliasAssigned, buildRuns } = deployment
  await stores.deployments.update(begun.id, {
    host,
    aliasFinal,
    failure,
    state,
    stateAt,
    readyAt,
    aliasAssigned,
    buildRuns,
  })
  return { deployment, changed: failure ? [host] : [host, ...aliasFinal] }
}

/** Functions and builds are not part of this version, and a deployment that needs them says so. */
function unbuildable({ buildRuns, type }: Deployment): Failure | null {
  const needed = [...new Set(buildRuns.map(({ use }) => builderOf(use)))].filter(
    (builder) => builder !== 'static',
  )
  if (needed.length === 0 && type === 'STATIC') return null
  const what =
    needed.length > 0 ? needed.map((name) => `@aloft/${name}`).join(', ') : `a deployment of type ${type}`
  return {
    code: 'builder_unavailable',
    message: `This version of Aloft serves files as they are; it cannot run ${what} yet.`,
    step: 'build',
  }
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

import { AloftError } from '#contract/errors.ts'
import { newSuffix } from '#contract/ids.ts'
import type { Owner } from '../access/context.ts'
import { pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { defaultAlias, environmentAlias, productionAlias, stagingAlias } from '../deployment/hosts.ts'
import { allotBranchAlias } from '../git/branch-alias.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { destination, dueDomains, isExplicit, isFollowed } from './due-names.ts'

interface AllotStores {
  readonly deployments: Pick<DeploymentStore, 'find'>
  readonly hosts: HostStore
  readonly projects: ProjectStore
  readonly projectDomains: ProjectDomainStore
}

export interface Allotment {
  readonly owner: Pick<Owner, 'kind' | 'slug'>
  readonly project: Project
  readonly names: PlatformNames
  readonly now: number
}

const ATTEMPTS = 8

/** The names that a deployment is to have once it is live; the first of them shows whatever came last. */
export async function allotNames(
  stores: AllotStores,
  deployment: Deployment,
  on: Allotment,
): Promise<string[]> {
  const { owner, project, names } = on
  const { target, customEnvironment, aliasWish } = deployment
  const always = await defaultHost(stores, deployment, on)
  if (isExplicit(deployment)) return [...new Set([always, ...(aliasWish ?? [])])]
  const ofBranch = await allotBranchAlias(stores, deployment, {
    project: project.name,
    account: owner.slug,
    names,
  })
  const first = ofBranch === undefined ? [always] : [always, ofBranch]
  const present = isFollowed(deployment) ? await stores.projectDomains.ofProject(project.id) : []
  const due = dueDomains(project, present, deployment)
  if (customEnvironment !== undefined) {
    const own = environmentAlias(project.name, customEnvironment.slug, owner.slug, names.domain)
    const isFree = !isReservedHost(names, own) && (await isOurs(stores.hosts, own, deployment))
    return isFree ? [...first, own, ...due] : [...first, ...due]
  }
  if (target === 'staging') {
    const staging = stagingAlias(project.name, owner.slug, names.domain)
    return isReservedHost(names, staging) ? [...first, ...due] : [...first, staging, ...due]
  }
  if (target !== 'production') return [...first, ...due]
  const production = productionAlias(project.name, names.domain)
  const isFree =
    !isReservedHost(names, production) &&
    present.every(({ name }) => name !== production) &&
    (await isOurs(stores.hosts, production, deployment))
  return isFree ? [...first, production, ...due] : [...first, ...due]
}

/** Allotted with the first deployment of a project and kept for it. Always the first of the aliases. */
async function defaultHost(stores: AllotStores, deployment: Deployment, on: Allotment): Promise<string> {
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
  throw new AloftError('conflict', 'No unused URL was found. Try again.')
}

/** `<project>.<domain>` belongs to the first project that takes it. */
async function isOurs(hosts: HostStore, host: string, { ownerId, projectId }: Deployment): Promise<boolean> {
  const holder = await hosts.holder(host)
  if (!holder) return true
  return holder.kind !== 'deployment' && holder.ownerId === ownerId && holder.projectId === projectId
}

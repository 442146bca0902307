import { pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { isPlatformHost, productionAlias } from '../deployment/hosts.ts'
import type { Project } from '../project/project.ts'
import type { MovedAlias } from '../project/project-details.ts'
import { showsProduction } from '../project-domain/domains-for.ts'
import type { ProjectDomain } from '../project-domain/project-domain.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { hasDomainOf, type NamedDomains } from './domain-of.ts'
import { isExplicit } from './due-names.ts'

export interface ProductionNames {
  readonly hosts: HostStore
  readonly domains: NamedDomains['domains']
  readonly projectDomains: ProjectDomainStore
}

/**
 * The names that production has now. Their domains are held where the lock of the project does not see to that, so that none
 * comes back that goes with its domain at this moment.
 */
async function present(
  { hosts, domains }: ProductionNames,
  { id }: Project,
  ofProject: readonly ProjectDomain[],
  platform: PlatformNames,
): Promise<string[]> {
  const find = async () => (await hosts.inProduction(id)).map(({ host }) => host)
  const locked = new Set(ofProject.filter(({ verified }) => verified).map(({ name }) => name))
  const found = await find()
  const others = found.filter((host) => !locked.has(host) && !isPlatformHost(host, platform.domain))
  for (const host of others) await domains.hold(host)
  return others.length === 0 ? found : find()
}

/** The names of production that a project can have beside those it has. */
async function wanted(
  stores: ProductionNames,
  { id, ownerId, name }: Project,
  deployment: Deployment,
  domains: readonly ProjectDomain[],
  platform: PlatformNames,
): Promise<string[]> {
  const { hosts } = stores
  const names = new Set(domains.map((known) => known.name))
  const explicit = isExplicit(deployment) ? (deployment.aliasWish ?? []) : []
  const others = [productionAlias(name, platform.domain), ...explicit].filter(
    (host) => !names.has(host) && !isReservedHost(platform, host),
  )
  const ours: string[] = []
  for (const host of [...domains.filter(showsProduction).map((known) => known.name), ...others]) {
    const holder = await hosts.holder(host)
    // A domain of the project is taken back from wherever in the account its alias was pointed to.
    const isOurs = (projectId: string) => projectId === id || names.has(host)
    const isFree =
      !holder || (holder.kind !== 'deployment' && holder.ownerId === ownerId && isOurs(holder.projectId))
    // The domain of a name that the deployment was told to take may have been deleted since.
    const isKnown = names.has(host) || isPlatformHost(host, platform.domain)
    if (isFree && (isKnown || (await hasDomainOf(stores, deployment, host)))) ours.push(host)
  }
  return ours
}

/** Points everything that shows the production of a project to a deployment, inside the caller's transaction. */
export async function moveProduction(
  names: ProductionNames,
  project: Project,
  deployment: Deployment,
  on: { readonly names: PlatformNames; readonly now: number },
): Promise<readonly MovedAlias[]> {
  const { hosts, projectDomains } = names
  const domains = await projectDomains.ofProject(project.id)
  const moving = new Set([
    ...(await present(names, project, domains, on.names)),
    ...(await wanted(names, project, deployment, domains, on.names)),
  ])
  const to = {
    deploymentId: deployment.id,
    ownerId: project.ownerId,
    projectId: project.id,
    production: true,
  }
  const moved: MovedAlias[] = []
  // In one order, so that two who move the same names wait for each other but never both.
  for (const host of [...moving].sort()) {
    const { alias } = await pointAlias(hosts, host, to, on.now)
    moved.push({ id: alias.id, alias: host, status: 'completed', createdAt: alias.createdAt })
  }
  return moved
}

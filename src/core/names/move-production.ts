import { pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { productionAlias } from '../deployment/hosts.ts'
import type { Project } from '../project/project.ts'
import type { MovedAlias } from '../project/project-details.ts'
import { showsProduction } from '../project-domain/domains-for.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { isExplicit } from './due-names.ts'

export interface ProductionNames {
  readonly hosts: HostStore
  readonly projectDomains: ProjectDomainStore
}

/** The names of production that a project can have beside those it has. */
async function wanted(
  { hosts, projectDomains }: ProductionNames,
  { id, ownerId, name }: Project,
  deployment: Deployment,
  platform: PlatformNames,
): Promise<string[]> {
  const domains = await projectDomains.ofProject(id)
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
    if (!holder || (holder.kind !== 'deployment' && holder.ownerId === ownerId && isOurs(holder.projectId)))
      ours.push(host)
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
  const { hosts } = names
  const present = await hosts.inProduction(project.id)
  const moving = new Set([
    ...present.map(({ host }) => host),
    ...(await wanted(names, project, deployment, on.names)),
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

import { obstacle, pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { BRANCH_KEYS, branchOf } from '../deployment/branch.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { markLive } from '../deployment/live.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { domainsFor, showsBranch, showsProduction } from '../project-domain/domains-for.ts'
import type { ProjectDomain } from '../project-domain/project-domain.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { isFollowed } from './due-names.ts'

export interface ShowStores {
  readonly projects: ProjectStore
  readonly projectDomains: ProjectDomainStore
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
}

/** Production deployments of a branch are few: among so many there is a preview, if there is any. */
const FEW = 20

/** Makes a domain of a locked project show what it stands for now, or nothing. */
export async function showDomain(
  stores: ShowStores,
  project: Project,
  domain: ProjectDomain,
  now: number,
): Promise<void> {
  if (!(await pointDomain(stores, project, domain, now))) await releaseDomain(stores.hosts, project, domain)
}

/** The same for one that is new to the project. What its account has shown there stays until there is a production. */
export async function adoptDomain(
  stores: ShowStores,
  project: Project,
  domain: ProjectDomain,
  now: number,
): Promise<void> {
  if (!(await pointDomain(stores, project, domain, now)) && !showsProduction(domain))
    await releaseDomain(stores.hosts, project, domain)
}

/** The domains that show whatever is the newest of a deployment's branch or environment. */
export async function followersOf(
  projectDomains: ProjectDomainStore,
  deployment: Deployment,
): Promise<readonly ProjectDomain[]> {
  if (deployment.target === 'production' || !isFollowed(deployment)) return []
  const all = await projectDomains.ofProject(deployment.projectId)
  const names = new Set(domainsFor(all, deployment))
  return all.filter(({ name }) => names.has(name))
}

/** False where there is nothing to show. */
async function pointDomain(
  stores: ShowStores,
  project: Project,
  domain: ProjectDomain,
  now: number,
): Promise<boolean> {
  const { hosts } = stores
  const deployment = await deploymentFor(stores, project, domain)
  if (!deployment) return false
  // Somebody else may have put a name of theirs there; it is taken with the next deployment once that is gone.
  if (await obstacle(hosts, domain.name, project.ownerId)) return false
  const to = {
    deploymentId: deployment.id,
    ownerId: project.ownerId,
    projectId: project.id,
    production: showsProduction(domain),
  }
  await pointAlias(hosts, domain.name, to, now)
  if (to.production) await markLive(stores.deployments, deployment, now)
  return true
}

/** Gives up what a project shows under a name. What others have there stays. */
export async function releaseDomain(
  hosts: HostStore,
  { id }: Pick<Project, 'id'>,
  { name }: Pick<ProjectDomain, 'name'>,
): Promise<void> {
  const holder = await hosts.holder(name)
  if (holder?.kind === 'alias' && holder.projectId === id) await hosts.release(name)
}

/** What a domain of a project stands for now. */
export function deploymentFor(
  stores: ShowStores,
  project: Project,
  domain: ProjectDomain,
): Promise<Deployment | undefined> {
  const { gitBranch, customEnvironmentId } = domain
  if (customEnvironmentId !== null && domain.verified)
    return newestOfEnvironment(stores.deployments, project, customEnvironmentId)
  if (gitBranch !== null && showsBranch(domain, gitBranch))
    return newestOfBranch(stores.deployments, project, gitBranch)
  if (showsProduction(domain)) return inProduction(stores, project, domain)
  return Promise.resolve(undefined)
}

/** What visitors of production get: where new deployments do not take the domains, what those show that are there. */
async function inProduction(
  { projects, projectDomains, deployments, hosts }: ShowStores,
  { id, ownerId, details }: Project,
  { name }: ProjectDomain,
): Promise<Deployment | undefined> {
  if (!details.autoAssignCustomDomains) {
    const others = (await projectDomains.ofProject(id)).filter(
      (other) => other.name !== name && showsProduction(other),
    )
    for (const other of others) {
      const alias = await hosts.alias(ownerId, other.name)
      if (alias?.production && alias.projectId === id) return deployments.find(alias.deploymentId)
    }
  }
  const production = (await projects.deploymentsOf(ownerId, [id], 0)).get(id)?.production
  return production?.state === 'READY' ? production : undefined
}

/** What the names of an environment show. */
export async function newestOfEnvironment(
  deployments: Pick<DeploymentStore, 'list'>,
  { id, ownerId }: Pick<Project, 'id' | 'ownerId'>,
  environmentId: string,
): Promise<Deployment | undefined> {
  const filter = { projectId: id, states: ['READY'], customEnvironmentId: environmentId } as const
  return (await deployments.list(ownerId, { limit: 1 }, filter)).items[0]
}

async function newestOfBranch(
  deployments: DeploymentStore,
  { id, ownerId }: Project,
  branch: string,
): Promise<Deployment | undefined> {
  const found: Deployment[] = []
  for (const key of BRANCH_KEYS) {
    const filter = { projectId: id, states: ['READY'], meta: { [key]: branch } } as const
    const { items } = await deployments.list(ownerId, { limit: FEW }, filter)
    found.push(
      ...items.filter(
        ({ target, meta, customEnvironment }) =>
          target !== 'production' && customEnvironment === undefined && branchOf(meta) === branch,
      ),
    )
  }
  return found.toSorted((a, b) => b.createdAt - a.createdAt)[0]
}

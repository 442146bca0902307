import type { HostStore } from '../../alias/host-store.ts'
import { branchAliasOf } from '../../git/branch-alias.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import type { ProjectDomain } from '../../project-domain/project-domain.ts'
import type { ProjectDomainStore } from '../../project-domain/project-domain-store.ts'
import { branchOf } from '../branch.ts'
import type { Deployment } from '../deployment.ts'
import { productionAlias } from '../hosts.ts'

/** Names besides its own that a deployment's code may want to call its site by. */
export interface SiteNames {
  /** Of the project in production, whatever the deployment itself is for. */
  readonly production?: string
  /** What shows the newest deployment of the same branch. */
  readonly branch?: string
}

export type FindSiteNames = (deployment: Deployment) => Promise<SiteNames>

interface SiteNamesParts {
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly projectDomains: Pick<ProjectDomainStore, 'ofProject'>
  readonly hosts: Pick<HostStore, 'holder' | 'inProduction'>
  readonly domain: string
}

/** The shortest, and of those the first: an answer that does not change from one time to the next. */
const shortest = (names: readonly string[]): string | undefined =>
  [...names].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0]

const isServed = ({ verified, redirect, customEnvironmentId }: ProjectDomain): boolean =>
  verified && redirect === null && customEnvironmentId === null

export function createSiteNames({ projects, projectDomains, hosts, domain }: SiteNamesParts): FindSiteNames {
  /** The project's own name is its own unless somebody was faster; where nobody was, its first release will take it. */
  async function platformName({ ownerId, projectId, aliasFinal, host }: Deployment) {
    const project = await projects.byIdOrName(ownerId, projectId)
    if (project) {
      const name = productionAlias(project.name, domain)
      const holder = await hosts.holder(name)
      if (holder === undefined || ('projectId' in holder && holder.projectId === projectId)) return name
    }
    const held = (await hosts.inProduction(projectId)).map((alias) => alias.host)
    return shortest(held) ?? aliasFinal[0] ?? host ?? undefined
  }

  return async (deployment) => {
    const domains = (await projectDomains.ofProject(deployment.projectId)).filter(isServed)
    const named = (branch: string | null) =>
      shortest(domains.filter(({ gitBranch }) => gitBranch === branch).map(({ name }) => name))
    const branch = branchOf(deployment.meta)
    const [production, ofBranch] = [
      named(null) ?? (await platformName(deployment)),
      branch === undefined ? undefined : (named(branch) ?? branchAliasOf(deployment)),
    ]
    return {
      ...(production === undefined ? {} : { production }),
      ...(ofBranch === undefined ? {} : { branch: ofBranch }),
    }
  }
}

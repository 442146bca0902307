import { productionAlias } from '../deployment/hosts.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { showsProduction } from '../project-domain/domains-for.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'

interface NamedStores {
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly projectDomains: Pick<ProjectDomainStore, 'holders'>
}

/** Whether a host stands for the production of a project of an account, whatever it shows now. */
export async function isProductionName(
  { projects, projectDomains }: NamedStores,
  { ownerId, projectId }: { readonly ownerId: string; readonly projectId: string },
  host: string,
  domain: string,
): Promise<boolean> {
  const holder = (await projectDomains.holders(host)).find(({ verified }) => verified)
  if (holder) return holder.ownerId === ownerId && showsProduction(holder)
  // Names of projects can hold more than a host may, so that not every project is found by its label.
  for (const idOrName of [projectId, host.replace(/\..*$/, '')]) {
    const project = await projects.byIdOrName(ownerId, idOrName)
    if (project && productionAlias(project.name, domain) === host) return true
  }
  return false
}

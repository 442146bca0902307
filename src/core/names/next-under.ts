import type { Owner } from '../access/context.ts'
import { branchOf } from '../deployment/branch.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { environmentAlias } from '../deployment/hosts.ts'
import { branchAliasOf } from '../git/branch-alias.ts'
import type { Project } from '../project/project.ts'
import { newestOfEnvironment } from './show-domain.ts'

/** Deployments of a branch that have another name than the newest are few. */
const FEW = 20

/**
 * What the name of an environment or a branch shows once the deployment that it showed was deleted; undefined for other names,
 * and where nothing else was deployed there.
 */
export async function nextUnder(
  deployments: Pick<DeploymentStore, 'list'>,
  project: Project,
  { customEnvironment, meta, aliasFinal }: Deployment,
  host: string,
  on: { readonly owner: Pick<Owner, 'slug'>; readonly domain: string },
): Promise<Deployment | undefined> {
  const environment = project.details.customEnvironments.find(({ id }) => id === customEnvironment?.id)
  if (environment && environmentAlias(project.name, environment.slug, on.owner.slug, on.domain) === host)
    return newestOfEnvironment(deployments, project, environment.id)
  const branch = branchOf(meta)
  if (branch === undefined || branchAliasOf({ meta, aliasFinal }) !== host) return undefined
  const filter = { projectId: project.id, states: ['READY'], meta: { gitBranch: branch } } as const
  const { items } = await deployments.list(project.ownerId, { limit: FEW }, filter)
  return items.find((other) => branchAliasOf(other) === host)
}

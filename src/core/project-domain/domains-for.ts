import { branchOf } from '../deployment/branch.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { ProjectDomain } from './project-domain.ts'

/** Whether visitors of this name get the production of the project, or are sent on from there. */
export const showsProduction = ({ verified, gitBranch, customEnvironmentId }: ProjectDomain): boolean =>
  verified && gitBranch === null && customEnvironmentId === null

export const showsBranch = (
  { verified, gitBranch, customEnvironmentId }: ProjectDomain,
  branch: string,
): boolean => verified && gitBranch === branch && customEnvironmentId === null

/** Which of a project's domains a deployment takes when it goes live. */
export function domainsFor(
  domains: readonly ProjectDomain[],
  { target, meta }: Pick<Deployment, 'target' | 'meta'>,
): readonly string[] {
  const branch = branchOf(meta)
  const takes = (domain: ProjectDomain): boolean =>
    target === 'production' ? showsProduction(domain) : branch !== undefined && showsBranch(domain, branch)
  return domains.filter(takes).map(({ name }) => name)
}

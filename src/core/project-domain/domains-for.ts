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

const showsEnvironment = ({ verified, customEnvironmentId }: ProjectDomain, environmentId: string): boolean =>
  verified && customEnvironmentId === environmentId

/** Which of a project's domains a deployment takes when it goes live. */
export function domainsFor(
  domains: readonly ProjectDomain[],
  { target, meta, customEnvironment }: Pick<Deployment, 'target' | 'meta' | 'customEnvironment'>,
): readonly string[] {
  const branch = branchOf(meta)
  const takes = (domain: ProjectDomain): boolean => {
    if (customEnvironment !== undefined) return showsEnvironment(domain, customEnvironment.id)
    return target === 'production'
      ? showsProduction(domain)
      : branch !== undefined && showsBranch(domain, branch)
  }
  return domains.filter(takes).map(({ name }) => name)
}

import { branchOf } from '../deployment/branch.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Project } from '../project/project.ts'
import { holdsProduction } from '../project/project-details.ts'
import { domainsFor } from '../project-domain/domains-for.ts'
import type { ProjectDomain } from '../project-domain/project-domain.ts'

/** Whether the aliases of a production deployment were named with it: it takes those, and no domains. */
export const isExplicit = ({ target, aliasWish }: Deployment): boolean =>
  target === 'production' && aliasWish !== null

/** Whether there can be domains that follow what a deployment is for. */
export const isFollowed = ({ target, meta, customEnvironment }: Deployment): boolean =>
  target === 'production' || customEnvironment !== undefined || branchOf(meta) !== undefined

/** The domains that a deployment takes by itself. One that was told its aliases takes those instead. */
export function dueDomains(
  { details }: Project,
  present: readonly ProjectDomain[],
  deployment: Deployment,
): readonly string[] {
  const isLeftOut = isExplicit(deployment) || !details.autoAssignCustomDomains || holdsProduction(details)
  return deployment.target === 'production' && isLeftOut ? [] : domainsFor(present, deployment)
}

/** What the platform's own names end with: the first alias of a deployment is one of them. */
export const platformOf = ({ aliasFinal }: Pick<Deployment, 'aliasFinal'>): string =>
  (aliasFinal[0] ?? '').replace(/^[^.]*/, '')

/** Aliases that a deployment has whatever the domains of its project are: names of the platform, or what it was told. */
export function withoutDomains(deployment: Deployment, present: readonly ProjectDomain[]): readonly string[] {
  const { aliasFinal } = deployment
  if (isExplicit(deployment)) return aliasFinal
  const platform = platformOf(deployment)
  const names = new Set(present.map(({ name }) => name))
  return aliasFinal.filter((host) => host.endsWith(platform) && !names.has(host))
}

/** The default alias shows whatever came last, so it is a preview even when that is production. */
export const destination = ({ id, ownerId, projectId, target }: Deployment, mayBeProduction: boolean) => ({
  deploymentId: id,
  ownerId,
  projectId,
  production: mayBeProduction && target === 'production',
})

import type { DomainStore } from '../domain/domain-store.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'

export interface NamedDomains {
  readonly domains: Pick<DomainStore, 'hold' | 'verifiedCovering'>
  readonly projectDomains: Pick<ProjectDomainStore, 'find'>
}

/**
 * Whether the account has the domain of a host that is not the platform's, or the project has the host itself. Until the
 * transaction ends, a domain that is there is not deleted.
 */
export async function hasDomainOf(
  { domains, projectDomains }: NamedDomains,
  { ownerId, projectId }: { readonly ownerId: string; readonly projectId: string },
  host: string,
): Promise<boolean> {
  await domains.hold(host)
  if ((await domains.verifiedCovering(host))?.ownerId === ownerId) return true
  return (await projectDomains.find(projectId, host))?.verified ?? false
}

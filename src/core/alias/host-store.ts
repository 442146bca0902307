import type { Page, PageQuery } from '#contract/page.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Alias, AliasRow } from './alias.ts'

/**
 * Who has a host: a deployment for good, an alias for the time being, or the project that it is a verified domain of
 * and that has nothing to show there yet.
 */
export type HostHolder =
  | { readonly kind: 'deployment'; readonly ownerId: string; readonly deploymentId: string }
  | ({ readonly kind: 'alias' } & Alias)
  | { readonly kind: 'project-domain'; readonly ownerId: string; readonly projectId: string }

/**
 * The one table of host names: deployments' own, platform aliases and custom ones. A name has one holder.
 * `claim…` answers false when the name is taken, and then nothing is stored.
 */
export interface HostStore {
  claimForDeployment(
    host: string,
    deployment: Pick<Deployment, 'id' | 'ownerId' | 'projectId' | 'createdAt'>,
  ): Promise<boolean>
  /** Also false when the deployment was deleted; in a transaction it stays until that ends. */
  claimAlias(alias: Alias): Promise<boolean>
  holder(host: string): Promise<HostHolder | undefined>
  /** By its id or its name, among an account's own. */
  alias(ownerId: string, idOrHost: string): Promise<Alias | undefined>
  /** Moves an alias. False when it does not point `from` there any more, or the deployment was deleted. */
  point(
    host: string,
    from: string,
    to: { readonly deploymentId: string; readonly projectId: string; readonly production: boolean },
  ): Promise<boolean>
  /** Newest first; those of deleted deployments are left out. `domain` stands for itself and all that is under it. */
  list(
    ownerId: string,
    page: PageQuery,
    filter: { readonly domain?: string; readonly projectId?: string | readonly string[] },
  ): Promise<Page<AliasRow>>
  ofDeployment(deploymentId: string): Promise<readonly Alias[]>
  /** The aliases on which visitors get the production face of a project. */
  inProduction(projectId: string): Promise<readonly Alias[]>
  /** Gives an alias up; false where there is none, or none of this id. The host of a deployment is never given up. */
  release(host: string, id?: string): Promise<boolean>
}

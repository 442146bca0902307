import type { Page, PageQuery } from '#contract/page.ts'
import type { Deployment, Target } from './deployment.ts'
import type { ManifestFile } from './manifest.ts'
import type { ReadyState } from './ready-state.ts'

export interface DeploymentFilter {
  /** The name they were deployed under. */
  readonly app?: string
  readonly projectId?: string
  readonly states?: readonly ReadyState[]
  readonly target?: Target
  readonly creators?: readonly string[]
  /** All of these pairs are in `meta`. */
  readonly meta?: Readonly<Record<string, string>>
}

/** What may change after creation. */
export type DeploymentChange = Partial<
  Pick<
    Deployment,
    | 'state'
    | 'stateAt'
    | 'readyAt'
    | 'host'
    | 'missing'
    | 'aliasFinal'
    | 'aliasAssigned'
    | 'aliasError'
    | 'failure'
    | 'buildRuns'
    | 'scale'
  >
>

/**
 * Deployments and their manifests. A deleted one is gone for every method here; its host remembers it.
 * `find` is not limited to an account, because public deployments are read by others: its caller decides.
 */
export interface DeploymentStore {
  insert(deployment: Deployment, manifest: readonly ManifestFile[]): Promise<void>
  /** By id with or without `dpl_`, or by any host that points to it. */
  find(idOrHost: string): Promise<Deployment | undefined>
  list(ownerId: string, page: PageQuery, filter: DeploymentFilter): Promise<Page<Deployment>>
  /** The newest that is neither deleted nor failed. */
  newestSame(ownerId: string, digest: string): Promise<Deployment | undefined>
  manifest(id: string): Promise<readonly ManifestFile[]>
  setManifest(id: string, manifest: readonly ManifestFile[]): Promise<void>
  update(id: string, change: DeploymentChange): Promise<void>
  delete(id: string, deletedAt: number): Promise<void>
  /** Begun and waiting for this file. Inside a transaction nobody else completes them meanwhile. */
  waitingFor(ownerId: string, sha1: string): Promise<readonly Deployment[]>
  /** Begun before this time and still incomplete. */
  abandoned(
    before: number,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly ownerId: string }[]>
  /** Which of these SHA-1s are in a deployment of the account. */
  referenced(ownerId: string, sha1s: readonly string[]): Promise<ReadonlySet<string>>
}

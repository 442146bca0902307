import type { ReadyState, Target } from '#contract/api/deployment.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Deployment } from './deployment.ts'
import type { ManifestFile } from './file/manifest.ts'

/** A list stands for any of its values; an empty one filters nothing. */
export interface DeploymentFilter {
  /** The name they were deployed under. */
  readonly app?: string
  readonly projectId?: string | readonly string[]
  readonly states?: readonly ReadyState[]
  readonly target?: Target | 'preview'
  /** In the place of a target: those of one environment of a project. */
  readonly customEnvironmentId?: string
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
    | 'liveAt'
    | 'buildingAt'
    | 'host'
    | 'aliasFinal'
    | 'aliasAssigned'
    | 'aliasError'
    | 'failure'
    | 'buildRuns'
    | 'scale'
    | 'queue'
  >
>

/** What belongs to a deployment and is too large to be read with it. */
interface DeploymentContent {
  readonly manifest: readonly ManifestFile[]
  /** The same, where it was packed before. */
  readonly packed?: PackedManifest
  /** Sealed JSON of the values of `env` and `build.env`, as they were at creation. */
  readonly sealedEnv: string
}

/** A manifest in the form in which a store keeps it, which is nobody else's business. */
export type PackedManifest = object

/**
 * Deployments and their manifests. A deleted one is gone for every method here; its host remembers it.
 * `find` is not limited to an account, because public deployments are read by others: its caller decides.
 */
export interface DeploymentStore {
  /**
   * Makes ready what is stored of a manifest. That takes milliseconds where there are thousands of files, in which a transaction would
   * keep everybody else from writing.
   */
  pack(manifest: readonly ManifestFile[]): Promise<PackedManifest>
  /** One that is incomplete waits for the files that have no content in its manifest, in the size given there. */
  insert(deployment: Deployment, content: DeploymentContent): Promise<void>
  /** By id with or without `dpl_`, or by any host that points to it. */
  find(idOrHost: string): Promise<Deployment | undefined>
  /** Those of these ids that there are, in no order. */
  findAll(ids: readonly string[]): Promise<readonly Deployment[]>
  list(ownerId: string, page: PageQuery, filter: DeploymentFilter): Promise<Page<Deployment>>
  /** Whether this is the id of a deployment that the account had and deleted. */
  wasDeleted(ownerId: string, id: string): Promise<boolean>
  /** The newest that is neither deleted nor failed. */
  newestSame(ownerId: string, digest: string): Promise<Deployment | undefined>
  manifest(id: string): Promise<readonly ManifestFile[]>
  sealedEnv(id: string): Promise<string | undefined>
  /** SHA-1s that are still to be uploaded, each once. */
  missing(id: string): Promise<readonly string[]>
  /** False where it was deleted. */
  update(id: string, change: DeploymentChange): Promise<boolean>
  /**
   * Changes one that is neither ready nor failed, and keeps everybody else from ending it until the transaction is over.
   * False where it has ended meanwhile.
   */
  advance(id: string, change: DeploymentChange): Promise<boolean>
  /** False where it was deleted before, or has all its files where only an incomplete one is to be deleted. */
  delete(id: string, deletedAt: number, only?: 'incomplete'): Promise<boolean>
  /** Incomplete, though no file is to be uploaded any more. In a transaction nobody else completes them meanwhile. */
  completable(ownerId: string): Promise<readonly Deployment[]>
  /** Puts a manifest in which every file has its content in place of the one that waited for some. */
  complete(id: string, manifest: readonly ManifestFile[]): Promise<void>
  /** Begun before this time and still incomplete. */
  abandoned(
    before: number,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly ownerId: string }[]>
  /** Those of which instances run at all times. */
  keptRunning(): Promise<readonly Deployment[]>
  /** Complete and neither ready nor failed, although no unfinished job has this and its id as its key; oldest first. */
  withoutJob(keyPrefix: string, limit: number): Promise<readonly Deployment[]>
  /** Which of these SHA-1s are in a deployment of the account. */
  referenced(ownerId: string, sha1s: readonly string[]): Promise<ReadonlySet<string>>
}

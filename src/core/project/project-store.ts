import type { ReadyState } from '#contract/api/deployment.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Project } from './project.ts'

export interface ProjectFilter {
  /** None but these. */
  readonly ids?: readonly string[]
  /** A part of the name, in lower case. */
  readonly search?: string
  /** Keys of links (see `linkKey`): any of them. */
  readonly repos?: readonly string[]
  /** None of them. */
  readonly notRepos?: readonly string[]
  readonly repoNumber?: number
  readonly gitForkProtection?: boolean
}

export type ProjectChange = Partial<Pick<Project, 'name' | 'directoryListing' | 'build' | 'details'>>

/** What a project has deployed, as of now. */
export interface ProjectDeployments {
  /** Newest first. */
  readonly latest: readonly Deployment[]
  /** What visitors of production get. */
  readonly production?: Deployment
  readonly staging?: Deployment
}

export interface Creator {
  readonly email: string
  readonly username: string
}

/** Projects of an account; names are unique within it. */
export interface ProjectStore {
  byIdOrName(ownerId: string, idOrName: string): Promise<Project | undefined>
  /** Of any account. */
  byId(id: string): Promise<Project | undefined>
  /** Answers false when the account has a project of that name, and then nothing is stored. */
  insert(project: Project): Promise<boolean>
  /**
   * Answers when it was changed last, which is later where a clock was ahead, and false when the account has no such project
   * any more. Until the transaction ends, nobody else touches it.
   */
  touch(ownerId: string, id: string, updatedAt: number): Promise<number | false>
  setDefaultHost(id: string, host: string): Promise<void>
  /** By their last change, the latest first; the times of the page are those of changes. */
  list(ownerId: string, page: PageQuery, filter: ProjectFilter): Promise<Page<Project>>
  /** Finds a project; until the transaction ends, nobody else changes or deletes it. */
  lock(ownerId: string, idOrName: string): Promise<Project | undefined>
  /** Of a locked project. Answers false when another one of the account has the name: then nothing changed. */
  update(id: string, change: ProjectChange, updatedAt: number): Promise<boolean>
  delete(id: string): Promise<void>
  /** By the hash of the code under which it is offered to other accounts. */
  byTransferHash(hash: string): Promise<Project | undefined>
  /** Null: it is not offered any more. */
  setTransferHash(id: string, hash: string | null): Promise<void>
  /**
   * Gives a locked project to another account, with its deployments, hosts, whatever lists them, and the certificates that
   * those hosts got by themselves. Its files are not moved. Answers false when that account has a project of the name: then nothing changed.
   */
  give(project: Pick<Project, 'id' | 'ownerId'>, to: Pick<Project, 'ownerId' | 'name'>): Promise<boolean>
  /** All deployments that were not deleted. */
  states(project: Pick<Project, 'id' | 'ownerId'>): Promise<ReadonlyMap<string, ReadyState>>
  /** Hosts that lead to its deployments, at most this many. */
  hostsOf(id: string, limit: number): Promise<readonly string[]>
  /** How many of these are aliases. */
  countAliases(id: string): Promise<number>
  /** Of many projects at once; every one of them is in the answer. At most `latest` of the newest. */
  deploymentsOf(
    ownerId: string,
    ids: readonly string[],
    latest: number,
  ): Promise<ReadonlyMap<string, ProjectDeployments>>
  /** The aliases that lead to these deployments now, by their ids, in alphabetical order; and who made them. */
  namesOf(deployments: readonly Pick<Deployment, 'id' | 'creatorId'>[]): Promise<{
    readonly aliases: ReadonlyMap<string, readonly string[]>
    readonly creators: ReadonlyMap<string, Creator>
  }>
}

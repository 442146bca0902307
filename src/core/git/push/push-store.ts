import type { Page, PageQuery } from '#contract/page.ts'
import type { Push, PushChange, PushState } from './push.ts'

/** Every push that ever reached a project, until it is forgotten. */
export interface PushStore {
  add(push: Push): Promise<void>
  byId(id: string): Promise<Push | undefined>
  /** The newest first. */
  list(projectId: string, page: PageQuery): Promise<Page<Push>>
  /** Those of a ref that are still to be seen to or approved, the oldest first. */
  openOf(projectId: string, ref: string): Promise<readonly Push[]>
  newestOf(projectId: string, ref: string): Promise<Push | undefined>
  /** The newest of a ref of which a deployment was made; of any ref where none is named. */
  lastDeployed(projectId: string, ref?: string): Promise<Push | undefined>
  /** Answers false where it is in none of the states in `from`: then nothing changed. */
  update(id: string, from: readonly PushState[], change: PushChange): Promise<boolean>
  /** Still to be seen to although they came before this time, the oldest first. */
  overdue(before: number, limit: number): Promise<readonly Push[]>
  /** Forgets those of a ref but the newest. */
  keepNewest(projectId: string, ref: string, count: number): Promise<void>
  /** Forgets some that came before this time and are final; tells how many. */
  prune(before: number, limit: number): Promise<number>
}

/** Which content an object of git is, an account's own. */
export interface GitObjectStore {
  /** SHA-1s of contents by the ids of objects, as far as they are known. */
  known(ownerId: string, oids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Repeatable. */
  add(ownerId: string, objects: ReadonlyMap<string, string>): Promise<void>
  /**
   * Looks at some, after the last that was looked at, and forgets those whose content the account does not have any
   * more. Answers the last of them; undefined at the end.
   */
  prune(after: GitObjectKey | undefined, limit: number): Promise<GitObjectKey | undefined>
}

interface GitObjectKey {
  readonly ownerId: string
  readonly oid: string
}

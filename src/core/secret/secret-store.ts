import type { Page, PageQuery } from '#contract/page.ts'
import type { Secret } from './secret.ts'

export interface SealedSecret {
  readonly id: string
  readonly sealed: string
}

/**
 * The secrets of all accounts. Every method names the account, and sees nothing of the others but,
 * in `resolve`, that an id exists. Names are unique in an account; their case counts.
 */
export interface SecretStore {
  /** Answers false when the account has a secret of this name, and then nothing changed. */
  insert(secret: Secret, sealed: string): Promise<boolean>
  byName(ownerId: string, name: string): Promise<Secret | undefined>
  /** Newest first. */
  list(ownerId: string, page: PageQuery): Promise<Page<Secret>>
  /** Finds a secret; until the transaction ends, nobody else renames or deletes it. */
  lock(ownerId: string, by: { readonly id: string } | { readonly name: string }): Promise<Secret | undefined>
  /** Of a locked secret. Answers false when another one of the account has the name: then nothing changed. */
  rename(ownerId: string, id: string, name: string): Promise<boolean>
  delete(ownerId: string, id: string): Promise<void>
  /** The names of those of these ids that are the account's, by id. */
  names(ownerId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Reads what each reference, an id or a name, stands for, all at once. An id of the account comes
   * first, then a name, then `foreign`: an id of another account. What stands for nothing is left out.
   */
  resolve(
    ownerId: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, SealedSecret | 'foreign'>>
}

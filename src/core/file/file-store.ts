/** What an account has uploaded: its own SHA-1 → content. Knowing a hash gives nobody else's content. */
export interface UploadedFile {
  readonly sha1: string
  readonly sha256: string
  readonly size: number
}

/**
 * The index of uploads, an account's own. `usedAt` is when a file was last uploaded or deployed: one that is
 * in no deployment and was not used for a day may be forgotten.
 */
export interface FileStore {
  /**
   * Adds or refreshes, and ends the waiting of deployments for these files. Repeatable. Where the account would hold more
   * than `most` bytes for those that are new, whatever others add at the same time, nothing is added and it rejects with
   * `quota_exceeded`.
   */
  add(ownerId: string, files: readonly UploadedFile[], usedAt: number, most?: number | null): Promise<void>
  /** The same of contents that nobody has just stored, because another account has them: what is damaged stays so. */
  share(ownerId: string, files: readonly UploadedFile[], usedAt: number, most?: number | null): Promise<void>
  /**
   * Those of the hashes that the account has, by SHA-1. Inside a transaction they stay until it ends: whatever was not used
   * for half a day is refreshed to `usedAt`, which keeps a collector off.
   */
  claim(ownerId: string, sha1s: readonly string[], usedAt: number): Promise<ReadonlyMap<string, UploadedFile>>
  /** The same in the order of the hashes, for thousands of them: nobody has to look them up again. */
  claimEach(
    ownerId: string,
    sha1s: readonly string[],
    usedAt: number,
  ): Promise<readonly (UploadedFile | undefined)[]>
  /** Accounts with files that were not used since, and those files; a bounded number, oldest first. */
  stale(
    before: number,
    limit: number,
  ): Promise<readonly { readonly ownerId: string; readonly sha1: string }[]>
  /** Has those of the account count as used at this time: a collector passes over them, whether they are damaged or not. */
  keep(ownerId: string, sha1s: readonly string[], usedAt: number): Promise<void>
  /** Forgets those that still were not used since; answers the contents that no account has any more. */
  forget(ownerId: string, sha1s: readonly string[], before: number): Promise<readonly string[]>
  /** Notes that a content is damaged: no account has it from now on, until one adds it again. Does nothing where none has it. */
  addDamaged(sha256: string, at: number): Promise<void>
  /** How many contents that some account has are damaged. */
  countDamaged(): Promise<number>
  /** Which of these contents some account has. */
  known(sha256s: readonly string[]): Promise<ReadonlySet<string>>
}

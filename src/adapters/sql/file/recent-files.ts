import { MINUTE } from '#contract/time.ts'
import type { UploadedFile } from '#core/file/file-store.ts'

interface RecentFilesOfAccount {
  readonly files: ReadonlyMap<string, UploadedFile>
  /** When the one that was not used for the longest time was last used. */
  readonly usedAt: number
}

/** About 250 bytes each. */
const MAX_FILES = 40_000
const REMEMBERED = 5 * MINUTE

/**
 * The files of accounts that deployed many of them a moment ago. A client often names the same ones twice, before it uploads
 * what is missing and after, and to look up 10,000 in the database takes several times as long as to parse a request
 * that names them.
 */
export class RecentFiles {
  /** The account that asked last is the last one. */
  readonly #accounts = new Map<string, RecentFilesOfAccount>()
  #timer: NodeJS.Timeout | undefined

  /** Undefined where one of them was not used since `usedSince`. */
  of(ownerId: string, usedSince: number): RecentFilesOfAccount | undefined {
    const recent = this.#accounts.get(ownerId)
    return recent && recent.usedAt >= usedSince ? recent : undefined
  }

  /** In the place of those that were remembered of the account. */
  remember(ownerId: string, recent: RecentFilesOfAccount): void {
    this.#accounts.delete(ownerId)
    this.#accounts.set(ownerId, recent)
    let count = 0
    for (const [id, { files }] of [...this.#accounts].reverse()) {
      count += files.size
      if (count > MAX_FILES) this.#accounts.delete(id)
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#accounts.clear(), REMEMBERED).unref()
  }
}

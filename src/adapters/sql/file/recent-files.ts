import { MINUTE } from '#contract/time.ts'
import type { UploadedFile } from '#core/file/file-store.ts'

/** About 250 bytes each. */
const MAX_FILES = 40_000
const REMEMBERED = 5 * MINUTE

/** What was found of the files of one account, in the order in which they were named. */
export class FoundFiles {
  readonly #files: UploadedFile[] = []
  readonly #places = new Map<string, number>()
  #next = 0
  #usedAt: number

  constructor(now: number) {
    this.#usedAt = now
  }

  get size(): number {
    return this.#files.length
  }

  /** When the one that was not used for the longest time was last used. */
  get usedAt(): number {
    return this.#usedAt
  }

  add(file: UploadedFile, usedAt: number): void {
    this.#places.set(file.sha1, this.#files.length)
    this.#files.push(file)
    this.#usedAt = Math.min(this.#usedAt, usedAt)
  }

  /** To be called before the first of a list is looked for. */
  rewind(): void {
    this.#next = 0
  }

  /** Whoever names many again does so in the same order, mostly: a look at the next one costs a fraction of a look-up. */
  find(sha1: string): UploadedFile | undefined {
    const next = this.#files[this.#next]
    if (next !== undefined && next.sha1 === sha1) {
      this.#next++
      return next
    }
    const place = this.#places.get(sha1)
    if (place === undefined) return undefined
    this.#next = place + 1
    return this.#files[place]
  }
}

/**
 * The files of accounts that deployed many of them a moment ago. A client often names the same ones twice, before it uploads
 * what is missing and after, and to look up 10,000 in the database takes several times as long as to parse a request
 * that names them.
 */
export class RecentFiles {
  /** The account that asked last is the last one. */
  readonly #accounts = new Map<string, FoundFiles>()
  #timer: NodeJS.Timeout | undefined

  /** Undefined where one of them was not used since `usedSince`. */
  of(ownerId: string, usedSince: number): FoundFiles | undefined {
    const recent = this.#accounts.get(ownerId)
    return recent && recent.usedAt >= usedSince ? recent : undefined
  }

  /** In the place of those that were remembered of the account. */
  remember(ownerId: string, found: FoundFiles): void {
    this.#accounts.delete(ownerId)
    this.#accounts.set(ownerId, found)
    let count = 0
    for (const [id, { size }] of [...this.#accounts].reverse()) {
      count += size
      if (count > MAX_FILES) this.#accounts.delete(id)
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#accounts.clear(), REMEMBERED).unref()
  }
}

import { Counts } from './counts.ts'
import { onlyOnce } from './only-once.ts'

interface SharesLimits {
  /** Of everybody together. */
  readonly all: number
  /** Of one of them. */
  readonly one: number
  /** What each may always have, however much all others have; absent: nothing. */
  readonly least?: number | undefined
}

/** What everybody has of something at the moment, together and each of them, and whether there is room for more. */
export class Shares {
  readonly #limits: SharesLimits
  readonly #taken = new Counts()
  #all = 0

  constructor(limits: SharesLimits) {
    this.#limits = limits
  }

  /** Of everybody together. */
  get size(): number {
    return this.#all
  }

  hasRoom(key: string, amount = 1): boolean {
    const { all, one, least = 0 } = this.#limits
    const theirs = this.#taken.of(key) + amount
    return theirs <= one && (this.#all + amount <= all || theirs <= least)
  }

  /** Whether there is room or not. Answers what takes it back; it may be called more than once. */
  add(key: string, amount = 1): () => void {
    this.#taken.add(key, amount)
    this.#all += amount
    return onlyOnce(() => {
      this.#all -= amount
      this.#taken.add(key, -amount)
    })
  }

  /** The same where there is room for it; undefined where there is none. */
  take(key: string, amount = 1): (() => void) | undefined {
    return this.hasRoom(key, amount) ? this.add(key, amount) : undefined
  }
}

import { onlyOnce } from '../only-once.ts'
import { SourceCounts } from './source-counts.ts'

/** How much of something there may be at the moment. */
export interface ShareLimits {
  /** Of everybody together. */
  readonly all: number
  /** Of one source. */
  readonly source: number
  /** What a source may always have, however much all others have; absent: nothing. */
  readonly least?: number
}

/** What everybody has of something at the moment, together and by source, and whether there is room for more. */
export class SourceShares {
  readonly #limits: ShareLimits
  readonly #bySource = new SourceCounts()
  #all = 0

  constructor(limits: ShareLimits) {
    this.#limits = limits
  }

  /** Of everybody together. */
  get size(): number {
    return this.#all
  }

  hasRoom(address: string, amount: number): boolean {
    const { all, source, least = 0 } = this.#limits
    const theirs = this.#bySource.of(address) + amount
    return theirs <= source && (this.#all + amount <= all || theirs <= least)
  }

  /** Whether there is room or not. Answers what takes it back; it may be called more than once. */
  add(address: string, amount: number): () => void {
    const giveBack = this.#bySource.add(address, amount)
    this.#all += amount
    return onlyOnce(() => {
      this.#all -= amount
      giveBack()
    })
  }

  /** The same where there is room for it; undefined where there is none. */
  take(address: string, amount: number): (() => void) | undefined {
    return this.hasRoom(address, amount) ? this.add(address, amount) : undefined
  }
}

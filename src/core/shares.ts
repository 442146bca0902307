import { Counts } from './counts.ts'
import { onlyOnce } from './only-once.ts'

interface SharesLimits {
  /** Of everybody together. */
  readonly all: number
  /** Of one of them. */
  readonly one: number
}

/** Lets many do something at the same time: so many together, and none of them so often that there is no room for others. */
export class Shares {
  readonly #limits: SharesLimits
  readonly #taken = new Counts()
  #all = 0

  constructor(limits: SharesLimits) {
    this.#limits = limits
  }

  /** Answers what gives it back, which may be called more than once; undefined where there is no room. */
  take(key: string): (() => void) | undefined {
    const { all, one } = this.#limits
    if (this.#all >= all || this.#taken.of(key) >= one) return undefined
    this.#all++
    this.#taken.add(key, 1)
    return onlyOnce(() => {
      this.#all--
      this.#taken.add(key, -1)
    })
  }
}

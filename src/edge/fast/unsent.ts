import { SourceCounts } from '#core/access/source-counts.ts'

/** Bytes that connections were given and their peers have not taken. */
export interface UnsentLimits {
  /** Of everybody together. */
  readonly all: number
  /** Of one address. */
  readonly source: number
}

const MB = 1024 * 1024
const LIMITS: UnsentLimits = { all: 128 * MB, source: 32 * MB }

/** As much goes out at once to whoever it is, and is not counted. */
export const SMALL = 64 * 1024

/**
 * What goes out in one write is in memory until it is taken: encrypted, it is a copy for each who asks. So it is counted how much
 * there is of it. Where that is too much, larger answers are left to those who send one piece after the other.
 */
export class Unsent {
  readonly #limits: UnsentLimits
  readonly #bySource = new SourceCounts()
  #all = 0

  constructor(limits: Partial<UnsentLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Bytes that are on their way. */
  get size(): number {
    return this.#all
  }

  /** Whether as much may be given in one write to a peer at this address. */
  hasRoom(address: string, bytes: number): boolean {
    if (bytes <= SMALL) return true
    const { all, source } = this.#limits
    return this.#all + bytes <= all && this.#bySource.of(address) + bytes <= source
  }

  /** Answers what says that it was taken; it may be called more than once. */
  add(address: string, bytes: number): () => void {
    const giveBack = this.#bySource.add(address, bytes)
    this.#all += bytes
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#all -= bytes
      giveBack()
    }
  }
}

import { type ShareLimits, SourceShares } from '#core/access/source-shares.ts'

/** Bytes that connections were given and their peers have not taken. */
export type UnsentLimits = Pick<ShareLimits, 'all' | 'source'>

const MB = 1024 * 1024
const LIMITS: UnsentLimits = { all: 128 * MB, source: 32 * MB }

/** As much goes out at once to whoever it is, and is not counted. */
export const SMALL = 64 * 1024

/**
 * What goes out in one write is in memory until it is taken: encrypted, it is a copy for each who asks, and in the clear it stays
 * also when nobody else needs it any more. So it is counted how much there is of it. Where that is too much, larger answers are left
 * to those who send one piece after the other.
 */
export class Unsent {
  readonly #shares: SourceShares

  constructor(limits: Partial<UnsentLimits> = {}) {
    this.#shares = new SourceShares({ ...LIMITS, ...limits })
  }

  /** Bytes that are on their way. */
  get size(): number {
    return this.#shares.size
  }

  /** Whether as much may be given in one write to a peer at this address. */
  hasRoom(address: string, bytes: number): boolean {
    return bytes <= SMALL || this.#shares.hasRoom(address, bytes)
  }

  /** Answers what says that it was taken; it may be called more than once. */
  add(address: string, bytes: number): () => void {
    return this.#shares.add(address, bytes)
  }
}

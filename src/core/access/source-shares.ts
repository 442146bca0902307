import { Shares } from '../shares.ts'
import { sourceOf } from './network-of.ts'

/** How much of something there may be at the moment. */
export interface ShareLimits {
  /** Of everybody together. */
  readonly all: number
  /** Of one source. */
  readonly source: number
  /** What a source may always have, however much all others have; absent: nothing. */
  readonly least?: number
}

/** Shares of sources; an address of IPv6 counts with all that are as good as the same. */
export class SourceShares extends Shares {
  constructor({ all, source, least }: ShareLimits) {
    super({ all, one: source, least })
  }

  override hasRoom(address: string, amount: number): boolean {
    return super.hasRoom(sourceOf(address), amount)
  }

  override add(address: string, amount: number): () => void {
    return super.add(sourceOf(address), amount)
  }
}

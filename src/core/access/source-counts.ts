import { Counts } from '../counts.ts'
import { onlyOnce } from '../only-once.ts'
import { sourceOf } from './network-of.ts'

/** How much of something each source has at the moment; an address of IPv6 counts with all that are as good as the same. */
export class SourceCounts {
  readonly #counts = new Counts()

  of(address: string): number {
    return this.#counts.of(sourceOf(address))
  }

  /** Answers what takes it back; it may be called more than once. */
  add(address: string): () => void {
    const source = sourceOf(address)
    this.#counts.add(source, 1)
    return onlyOnce(() => this.#counts.add(source, -1))
  }
}

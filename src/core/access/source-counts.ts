import { sourceOf } from './network-of.ts'

/** How much of something each source has at the moment; an address of IPv6 counts with all that are as good as the same. */
export class SourceCounts {
  readonly #counts = new Map<string, number>()

  of(address: string): number {
    return this.#counts.get(sourceOf(address)) ?? 0
  }

  /** Answers what takes it back; it may be called more than once. */
  add(address: string, amount = 1): () => void {
    const source = sourceOf(address)
    this.#change(source, amount)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#change(source, -amount)
    }
  }

  #change(source: string, by: number): void {
    const count = (this.#counts.get(source) ?? 0) + by
    if (count > 0) this.#counts.set(source, count)
    else this.#counts.delete(source)
  }
}

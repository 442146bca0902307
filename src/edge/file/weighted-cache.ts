/** Something that can be kept. Whoever uses it sets `used`, which is all that a hit costs. */
interface CacheEntry {
  used: boolean
}

interface Slot<V> {
  readonly value: V
  readonly weight: number
}

/**
 * Keeps values up to a total weight. The oldest one that was not used since it was last looked at goes first
 * (second chance), which is nearly the least recently used one without any bookkeeping on a hit.
 */
export class WeightedCache<V extends CacheEntry> {
  readonly #slots = new Map<string, Slot<V>>()
  readonly #budget: number
  readonly #release: (value: V) => void
  #weight = 0

  /** `release` is called with each value that leaves, for whatever reason. */
  constructor(budget: number, release: (value: V) => void) {
    this.#budget = budget
    this.#release = release
  }

  get weight(): number {
    return this.#weight
  }

  get(key: string): V | undefined {
    const value = this.#slots.get(key)?.value
    if (value !== undefined) value.used = true
    return value
  }

  /** False when the value alone is over the budget; it is then not kept, and not released either. */
  set(key: string, value: V, weight: number): boolean {
    this.delete(key)
    if (weight > this.#budget) return false
    this.#makeRoom(this.#budget - weight)
    this.#slots.set(key, { value, weight })
    this.#weight += weight
    return true
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    const slot = this.#slots.get(key)
    if (slot === undefined) return false
    this.#slots.delete(key)
    this.#weight -= slot.weight
    this.#release(slot.value)
    return true
  }

  keys(): Iterable<string> {
    return this.#slots.keys()
  }

  clear(): void {
    for (const key of [...this.#slots.keys()]) this.delete(key)
  }

  #makeRoom(allowed: number): void {
    for (const [key, slot] of this.#slots) {
      if (this.#weight <= allowed) return
      if (slot.value.used) {
        slot.value.used = false
        // Back to the end of the line; the iteration comes by again.
        this.#slots.delete(key)
        this.#slots.set(key, slot)
      } else {
        this.delete(key)
      }
    }
  }
}

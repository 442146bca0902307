import { WeightedCache } from '../file/weighted-cache.ts'
import type { Wire } from './wire.ts'

/** The place of a wire, at the answer that it is of. */
export interface WirePlace {
  wire: Wire | undefined
  used: boolean
  /** How many visitors are still to be answered without a wire. */
  pause: number
  readonly key: string
}

/** Larger answers rarely go out at once, and gain little from being one buffer. */
const MAX_BYTES = 256 * 1024

/** After a wire was not taken at once, the peers are slow, and making wires would only be copying. */
const PAUSE = 64

/** Wires within a budget of bytes. */
export class Wires {
  readonly #kept: WeightedCache<WirePlace>
  #places = 0

  constructor(budgetBytes: number) {
    this.#kept = new WeightedCache(budgetBytes, (place) => {
      place.wire = undefined
    })
  }

  createPlace(): WirePlace {
    return { wire: undefined, used: false, pause: 0, key: String(this.#places++) }
  }

  /** Whether an answer with a body of this length is worth a wire at the moment. */
  isWanted(place: WirePlace, length: number): boolean {
    return length <= MAX_BYTES && place.pause-- <= 0
  }

  put(place: WirePlace, wire: Wire): void {
    if (this.#kept.set(place.key, place, wire.bytes.length)) place.wire = wire
  }

  /** What it is of has changed. */
  drop(place: WirePlace): void {
    this.#kept.delete(place.key)
  }

  /** To be called when a wire is still being sent: it is then the sender's alone. */
  letGo(place: WirePlace): void {
    this.#kept.delete(place.key)
    place.pause = PAUSE
  }

  clear(): void {
    this.#kept.clear()
  }
}

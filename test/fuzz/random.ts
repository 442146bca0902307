import { createHash } from 'node:crypto'

/** Chance that can be had again: the same words make the same choices. */
export class Random {
  #state: number

  constructor(...words: readonly (string | number)[]) {
    this.#state = createHash('sha256').update(words.join(' ')).digest().readUInt32LE(0)
  }

  /** A whole number below this one. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  chance(of: number): boolean {
    return this.below(of) === 0
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make)
  }

  bytes(most: number): Buffer {
    return Buffer.from(this.list(most, () => this.below(256)))
  }

  /** Text of words that matter, with some that should not be there. */
  text(words: readonly string[], most: number): string {
    return this.list(most, () =>
      this.chance(6) ? String.fromCharCode(this.below(this.chance(3) ? 0x10000 : 128)) : this.pick(words),
    ).join('')
  }

  /** The same bytes with some changed, left out, doubled or cut off. */
  mutate(bytes: Buffer): Buffer {
    let all = Buffer.from(bytes)
    for (let n = 1 + this.below(6); n > 0; n--) {
      const at = this.below(all.length + 1)
      const length = this.below(1 + Math.min(64, all.length - at))
      const kind = this.below(5)
      if (kind === 0 && at < all.length) all[at] = this.below(256)
      else if (kind === 1 && at < all.length) all[at] = (all[at] as number) ^ (1 << this.below(8))
      else if (kind === 2) all = Buffer.concat([all.subarray(0, at), this.bytes(16), all.subarray(at)])
      else if (kind === 3) all = Buffer.concat([all.subarray(0, at), all.subarray(at + length)])
      else all = Buffer.concat([all.subarray(0, at + length), all.subarray(at)])
    }
    return this.chance(10) ? all.subarray(0, this.below(all.length + 1)) : all
  }
}

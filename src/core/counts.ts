/** How much of something each of many has at the moment. Whoever has none is not remembered. */
export class Counts {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: string, amount: number): void {
    const count = this.of(key) + amount
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

import { onlyOnce } from '#core/only-once.ts'

interface WaitingForSlot {
  readonly key: string
  readonly begin: () => void
}

/** Leave for so many at once; others wait, and of them whose key has the fewest comes first. */
export class Slots {
  readonly #most: number
  readonly #waiting: WaitingForSlot[] = []
  readonly #takenBy = new Map<string, number>()
  #taken = 0

  constructor(most: number) {
    this.#most = most
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves with what gives the slot back, which may be called again. */
  async take(key = ''): Promise<() => void> {
    if (this.#taken < this.#most) this.#begin(key)
    else
      await new Promise<void>((resolve) => {
        this.#waiting.push({ key, begin: resolve })
      })
    return onlyOnce(() => {
      this.#end(key)
      this.#next()
    })
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    const release = await this.take()
    try {
      return await act()
    } finally {
      release()
    }
  }

  #countOf(key: string): number {
    return this.#takenBy.get(key) ?? 0
  }

  #begin(key: string): void {
    this.#taken++
    this.#takenBy.set(key, this.#countOf(key) + 1)
  }

  #end(key: string): void {
    this.#taken--
    const left = this.#countOf(key) - 1
    if (left > 0) this.#takenBy.set(key, left)
    else this.#takenBy.delete(key)
  }

  #next(): void {
    if (this.#waiting.length === 0) return
    const fewest = Math.min(...this.#waiting.map(({ key }) => this.#countOf(key)))
    const at = this.#waiting.findIndex(({ key }) => this.#countOf(key) === fewest)
    const [next] = this.#waiting.splice(at, 1)
    if (!next) return
    this.#begin(next.key)
    next.begin()
  }
}

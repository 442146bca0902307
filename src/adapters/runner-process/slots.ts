/** Leave for so many at once; others wait their turn. */
export class Slots {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
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
  async take(): Promise<() => void> {
    if (this.#taken < this.#most) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let given = false
    return () => {
      if (given) return
      given = true
      const next = this.#waiting.shift()
      if (next) next()
      else this.#taken--
    }
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    const release = await this.take()
    try {
      return await act()
    } finally {
      release()
    }
  }
}

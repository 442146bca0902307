/** Pauses that can be cut short, and that the signal ends for good. */
export class InterruptiblePause {
  readonly #signal: AbortSignal
  #woken = false
  #rouse: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Ends the pause under way, or else the next one, as soon as its shortest time is over. */
  wake(): void {
    this.#woken = true
    this.#rouse?.()
  }

  async pause(shortest: number, longest: number): Promise<void> {
    await this.#sleep(shortest)
    if (!this.#woken) {
      await this.#sleep(longest - shortest, (rouse) => {
        this.#rouse = rouse
      })
      this.#rouse = undefined
    }
    this.#woken = false
  }

  #sleep(ms: number, onSleep?: (rouse: () => void) => void): Promise<void> {
    const signal = this.#signal
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      onSleep?.(end)
    })
  }
}

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
    await sleep(shortest, this.#signal)
    if (!this.#woken) {
      await sleep(longest - shortest, this.#signal, (rouse) => {
        this.#rouse = rouse
      })
      this.#rouse = undefined
    }
    this.#woken = false
  }
}

/** For so long, or until it is aborted or roused. */
export function sleep(ms: number, signal: AbortSignal, onSleep?: (rouse: () => void) => void): Promise<void> {
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

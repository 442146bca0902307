import { AloftError } from '#contract/errors.ts'

/** Turns, in the order they were asked for. */
export class Mutex {
  readonly #waiting = new Set<() => void>()
  #locked = false

  /** Resolves when it is the caller's turn; rejects when that takes longer than `ms`. */
  lock(ms: number): Promise<void> {
    if (!this.#locked) {
      this.#locked = true
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(enter)
        reject(new AloftError('service_unavailable', 'The database is busy. Try again later.'))
      }, ms)
      this.#waiting.add(enter)
    })
  }

  unlock(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#locked = false
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

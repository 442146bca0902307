import { performance } from 'node:perf_hooks'

/** Something that may take only so long. */
export interface Limited {
  onDeadline(): void
}

interface Watched {
  /** In the order in which they began, which is that in which they are to end. */
  readonly deadlines: Map<Limited, number>
  timer: NodeJS.Timeout | undefined
}

/**
 * Watches that everything ends in time, with one timer for all that may take equally long: a timer of each would cost
 * more than all else that beginning and ending a call takes.
 */
export class Deadlines {
  readonly #byLimit = new Map<number, Watched>()

  watch(one: Limited, limitMs: number): void {
    let watched = this.#byLimit.get(limitMs)
    if (watched === undefined) {
      watched = { deadlines: new Map(), timer: undefined }
      this.#byLimit.set(limitMs, watched)
    }
    watched.deadlines.set(one, performance.now() + limitMs)
    watched.timer ??= this.#plan(watched, limitMs)
  }

  forget(one: Limited, limitMs: number): void {
    this.#byLimit.get(limitMs)?.deadlines.delete(one)
  }

  #plan(watched: Watched, ms: number): NodeJS.Timeout {
    // Whatever is waited for keeps the process alive by itself.
    return setTimeout(() => this.#look(watched), ms).unref()
  }

  #look(watched: Watched): void {
    const now = performance.now()
    watched.timer = undefined
    for (const [one, deadline] of watched.deadlines) {
      if (deadline > now) {
        watched.timer = this.#plan(watched, Math.ceil(deadline - now))
        return
      }
      watched.deadlines.delete(one)
      one.onDeadline()
    }
  }
}

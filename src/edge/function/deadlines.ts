import { performance } from 'node:perf_hooks'

/** Something that may take only so long. It is at most once in a list of those that began before and after it. */
export interface Limited {
  /** By `performance.now`, in whole milliseconds; for `Deadlines` alone, as are the others. */
  deadline: number
  earlier: Limited | undefined
  later: Limited | undefined
  onDeadline(): void
}

/** In the order in which they began, which is that in which they are to end. */
interface Watched {
  first: Limited | undefined
  last: Limited | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * Watches that everything ends in time, with one timer for all that may take equally long: a timer of each would cost
 * more than all else that beginning and ending a call takes. Lists cost less than maps, which have to be cleared of
 * what was deleted from them again and again.
 */
export class Deadlines {
  readonly #byLimit = new Map<number, Watched>()

  watch(one: Limited, limitMs: number): void {
    let watched = this.#byLimit.get(limitMs)
    if (watched === undefined) {
      watched = { first: undefined, last: undefined, timer: undefined }
      this.#byLimit.set(limitMs, watched)
    }
    const { last } = watched
    one.deadline = Math.ceil(performance.now() + limitMs)
    one.earlier = last
    if (last === undefined) watched.first = one
    else last.later = one
    watched.last = one
    watched.timer ??= this.#plan(watched, limitMs)
  }

  /** To be called once for each that is watched, unless its time was over. */
  forget(one: Limited, limitMs: number): void {
    const watched = this.#byLimit.get(limitMs)
    if (watched !== undefined) take(watched, one)
  }

  #plan(watched: Watched, ms: number): NodeJS.Timeout {
    // Whatever is waited for keeps the process alive by itself.
    return setTimeout(() => this.#look(watched), ms).unref()
  }

  #look(watched: Watched): void {
    const now = performance.now()
    watched.timer = undefined
    for (let one = watched.first; one !== undefined; one = watched.first) {
      if (one.deadline > now) {
        watched.timer = this.#plan(watched, Math.ceil(one.deadline - now))
        return
      }
      take(watched, one)
      one.onDeadline()
    }
  }
}

/** Nothing happens where it is not in the list any more. */
function take(watched: Watched, one: Limited): void {
  const { earlier, later } = one
  if (earlier === undefined && watched.first !== one) return
  if (earlier === undefined) watched.first = later
  else earlier.later = later
  if (later === undefined) watched.last = earlier
  else later.earlier = earlier
  one.earlier = undefined
  one.later = undefined
}

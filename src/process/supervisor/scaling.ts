import type { ServingRange } from './serving.ts'

/** Ticks in a row, of a second each, in which processes were busy before there is one more. */
const HOT_TICKS = 3
const HOT = 0.7
/** Ticks in a row in which fewer would have had little to do before one is ended: starting it again costs more than it takes. */
const COLD_TICKS = 300
const COLD = 0.3

/** The most ticks that another attempt waits for after some that failed. */
const MOST_TICKS = 300

interface Scaling {
  /**
   * Called every second; answers how the number of serving processes should change. `busy` has, of each that there is, the
   * share of the time in which it had something to do.
   */
  decide(busy: readonly number[]): 1 | 0 | -1
  /** The one more is of use. */
  started(): void
  /** It could not be started: the next is waited for twice as long, because an attempt takes from those that are busy. */
  failed(): void
}

export function createScaling({ least, most }: ServingRange): Scaling {
  let hot = 0
  let cold = 0
  let hotTicks = HOT_TICKS
  return {
    decide(busy) {
      const count = busy.length
      const sum = busy.reduce((all, one) => all + one, 0)
      hot = count < most && sum >= HOT * count ? hot + 1 : 0
      cold = count > least && sum <= COLD * (count - 1) ? cold + 1 : 0
      if (hot < hotTicks && cold < COLD_TICKS) return 0
      const change = hot >= hotTicks ? 1 : -1
      hot = 0
      cold = 0
      return change
    },
    started() {
      hotTicks = HOT_TICKS
    },
    failed() {
      hotTicks = Math.min(hotTicks * 2, MOST_TICKS)
    },
  }
}

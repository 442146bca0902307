import type { ServingRange } from './serving.ts'

/** Ticks in a row, of a second each, in which processes were busy before there is one more. */
const HOT_TICKS = 3
const HOT = 0.7
/** Ticks in a row in which fewer would have had little to do before one is ended: starting it again costs more than it takes. */
const COLD_TICKS = 300
const COLD = 0.3

/**
 * Decides every second how many serving processes there should be. `busy` has, of each that there is, the share of the
 * time in which it had something to do.
 */
export function createScaling({ least, most }: ServingRange): (busy: readonly number[]) => 1 | 0 | -1 {
  let hot = 0
  let cold = 0
  return (busy) => {
    const count = busy.length
    const sum = busy.reduce((all, one) => all + one, 0)
    hot = count < most && sum >= HOT * count ? hot + 1 : 0
    cold = count > least && sum <= COLD * (count - 1) ? cold + 1 : 0
    if (hot < HOT_TICKS && cold < COLD_TICKS) return 0
    const change = hot >= HOT_TICKS ? 1 : -1
    hot = 0
    cold = 0
    return change
  }
}

/** A turn that somebody has; it may be given back more than once. */
export type GiveBack = () => void

export interface Turns {
  /** Resolves when it is the caller's turn: as many as there may be at once, in the order in which they came. */
  take(key: string): Promise<GiveBack>
  /** How many wait for theirs. */
  waiting(key: string): number
}

/** Lets at most so many at once do something for each key. */
export function createTurns(most: number): Turns {
  const busy = new Map<string, { taken: number; readonly waiting: (() => void)[] }>()

  const giveBackFor = (key: string): GiveBack => {
    let given = false
    return () => {
      const state = busy.get(key)
      if (given || !state) return
      given = true
      const next = state.waiting.shift()
      if (next) next()
      else if (--state.taken === 0) busy.delete(key)
    }
  }

  return {
    async take(key) {
      const state = busy.get(key) ?? { taken: 0, waiting: [] }
      busy.set(key, state)
      if (state.taken < most) state.taken++
      else await new Promise<void>((resolve) => state.waiting.push(resolve))
      return giveBackFor(key)
    },
    waiting: (key) => busy.get(key)?.waiting.length ?? 0,
  }
}

import { onlyOnce } from './only-once.ts'

/** A turn that somebody has; it may be given back more than once. */
export type GiveBack = () => void

export interface Turns {
  /**
   * Resolves when it is the caller's turn: as many as there may be at once, in the order in which they came. Rejects with the reason of
   * the signal, which is asked for where the caller has to wait, if that is aborted before.
   */
  take(key: string, untilAborted?: () => AbortSignal): Promise<GiveBack>
  /** Does the work in the caller's turn, which is over when the work has ended, well or not. Settles as the work does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
  /** How many wait for theirs. */
  waiting(key: string): number
  /** Keys for which somebody has a turn. */
  readonly size: number
}

/** Lets at most so many at once do something for each key; with one, they follow each other. Keys do not wait for each other. */
export function createTurns(most: number): Turns {
  const busy = new Map<string, { taken: number; readonly waiting: (() => void)[] }>()

  async function take(key: string, untilAborted?: () => AbortSignal): Promise<GiveBack> {
    const state = busy.get(key) ?? { taken: 0, waiting: [] }
    if (state.taken < most) {
      busy.set(key, state)
      state.taken++
    } else await inLine(state.waiting, untilAborted?.())
    return onlyOnce(() => {
      const next = state.waiting.shift()
      if (next) next()
      else if (--state.taken === 0) busy.delete(key)
    })
  }

  return {
    take,
    async run(key, work) {
      const giveBack = await take(key)
      try {
        return await work()
      } finally {
        giveBack()
      }
    },
    get size() {
      return busy.size
    },
    waiting: (key) => busy.get(key)?.waiting.length ?? 0,
  }
}

function inLine(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      waiting.splice(waiting.indexOf(begin), 1)
      reject(signal?.reason)
    }
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', leave, { once: true })
    waiting.push(begin)
  })
}

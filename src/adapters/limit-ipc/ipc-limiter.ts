import type { Window } from '#contract/limit/limits.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { RateLimiter, RateLimitResult } from '#core/ports/rate-limiter.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createAsk } from '../ipc/ask.ts'
import type { Channel } from '../ipc/channel.ts'
import { allowUncounted } from '../limit/allow-uncounted.ts'
import { checkWindow } from '../limit/per-window.ts'
import { resultOf, TAKES } from './messages.ts'

interface Waiting {
  readonly key: string
  readonly window: Window
  readonly points: number
  readonly resolve: (taken: RateLimitResult) => void
}

export interface IpcLimiterOptions {
  readonly clock?: Clock
  /** How many ms an answer may take. */
  readonly timeout: number
}

/**
 * Asks the process at the other end of the channel, which counts for all: see `serveIpcLimiter`. Requests
 * of one turn of the event loop travel together. Without an answer in time they pass.
 */
export function createIpcLimiter(
  channel: Channel,
  { clock = systemClock, timeout }: IpcLimiterOptions,
): RateLimiter {
  const ask = createAsk(channel, { ...TAKES, timeout })
  let gathered: Waiting[] = []

  async function flush(): Promise<void> {
    const waiting = gathered
    gathered = []
    const taken = await ask(waiting.map(({ key, window, points }) => [key, window.points, window.ms, points]))
    waiting.forEach(({ window, resolve }, i) => {
      resolve(taken?.[i] === undefined ? allowUncounted(window, clock.now()) : resultOf(taken[i]))
    })
  }

  return {
    take(key, window, points = 1) {
      checkWindow(window)
      // Runs after all requests that the sockets held ready, where a microtask would run after each.
      if (gathered.length === 0) setImmediate(flush)
      return new Promise((resolve) => {
        gathered.push({ key, window, points, resolve })
      })
    },
  }
}

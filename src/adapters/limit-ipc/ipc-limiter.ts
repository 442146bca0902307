import type { Clock } from '#core/ports/clock.ts'
import type { RateLimiter, RateLimitResult } from '#core/ports/rate-limiter.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import type { Channel } from '../ipc/channel.ts'
import { checkWindow } from '../limit/per-window.ts'
import { giveUpAfter, passed, TIMEOUT_MS } from '../limit/taken.ts'
import { ask, type Request, readAnswer } from './messages.ts'

interface Waiting extends Request {
  readonly resolve: (taken: RateLimitResult) => void
}

interface Batch {
  readonly waiting: readonly Waiting[]
  readonly timer: NodeJS.Timeout
}

export interface IpcLimiterOptions {
  readonly clock?: Clock
  /** How many ms an answer may take. */
  readonly timeout?: number
}

/**
 * Asks the process at the other end of the channel, which counts for all: see `serveIpcLimiter`. Requests
 * of one turn of the event loop travel together. Without an answer in time they pass.
 */
export function createIpcLimiter(
  channel: Channel,
  { clock = systemClock, timeout = TIMEOUT_MS }: IpcLimiterOptions = {},
): RateLimiter {
  const asked = new Map<number, Batch>()
  let gathered: Waiting[] = []
  let lastBatch = 0

  const settle = (batch: number, taken: readonly RateLimitResult[]): void => {
    const found = asked.get(batch)
    // Too late: its requests have passed.
    if (found === undefined) return
    asked.delete(batch)
    clearTimeout(found.timer)
    found.waiting.forEach(({ window, resolve }, i) => {
      resolve(taken[i] ?? passed(window, clock.now()))
    })
  }

  const flush = (): void => {
    const waiting = gathered
    const batch = ++lastBatch
    gathered = []
    const timer = giveUpAfter(timeout, () => settle(batch, []))
    asked.set(batch, { waiting, timer })
    try {
      channel.send(ask(batch, waiting))
    } catch {
      settle(batch, [])
    }
  }

  channel.onMessage((message) => {
    const read = readAnswer(message)
    if (read !== undefined) settle(read.batch, read.taken)
  })

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

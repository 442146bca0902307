import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'

/** So many wrong tries in so long; exact within a process, and nearly so over all of them. */
const WRONG_TRIES = { points: 10, ms: 10 * MINUTE } as const
const MAX_STOPPED = 10_000
const MAX_WAITING = 20

/** Whether it was right, or the time from which somebody may try again. */
type Tried = boolean | { readonly againAt: number }

export interface GuessLimit {
  /** Tries, unless there were too many wrong tries under this key. Right ones are not counted. */
  attempt(key: string, isRight: () => boolean): Promise<Tried>
}

/** Keeps people from trying until they know. */
export function createGuessLimit(limiter: RateLimiter, clock: Clock): GuessLimit {
  /** Keys that may not try, until when by the monotonic clock. */
  const stopped = new Map<string, number>()
  /** Tries under way: one at a time under a key, or many at once would all come before the first is counted. */
  const queues = new Map<string, { waiting: number; last: Promise<unknown> }>()

  async function attemptNow(key: string, isRight: () => boolean): Promise<Tried> {
    const until = stopped.get(key)
    const left = (until ?? 0) - clock.monotonic()
    if (left > 0) return { againAt: clock.now() + left }
    stopped.delete(key)
    if (isRight()) return true
    const { allowed, remaining, resetAt } = await limiter.take(key, WRONG_TRIES)
    if (!allowed || remaining <= 0) {
      if (stopped.size >= MAX_STOPPED) stopped.clear()
      stopped.set(key, clock.monotonic() + resetAt - clock.now())
    }
    return allowed ? false : { againAt: resetAt }
  }

  return {
    async attempt(key, isRight) {
      const queue = queues.get(key) ?? { waiting: 0, last: Promise.resolve() }
      if (queue.waiting >= MAX_WAITING) return { againAt: clock.now() + 1000 }
      queues.set(key, queue)
      queue.waiting++
      const mine = queue.last.then(() => attemptNow(key, isRight))
      queue.last = mine.catch(() => {})
      try {
        return await mine
      } finally {
        if (--queue.waiting === 0) queues.delete(key)
      }
    },
  }
}

import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { answerTo } from '../ipc/ask.ts'
import type { Channel } from '../ipc/channel.ts'
import { allowUncounted } from '../limit/allow-uncounted.ts'
import type { MemoryLimiter } from '../limit-memory/memory-limiter.ts'
import { areTakes, readGiven, TAKES, type Take, takenOf } from './messages.ts'

/** Lets the process at the other end of the channel count in `limiter`. Called once for each such process. */
export function serveIpcLimiter(
  channel: Channel,
  limiter: RateLimiter & Partial<Pick<MemoryLimiter, 'receive'>>,
): void {
  const take = async ([key, most, ms, points]: Take) => {
    const window = { points: most, ms }
    try {
      return takenOf(await limiter.take(key, window, points))
    } catch {
      return takenOf(allowUncounted(window, Date.now()))
    }
  }

  channel.onMessage((message) => {
    const counts = readGiven(message)
    if (counts !== undefined) limiter.receive?.(counts)
  })
  answerTo(channel, TAKES, (takes) => {
    if (!areTakes(takes)) throw new TypeError('This is no list of what to count')
    return Promise.all(takes.map(take))
  })
}

import type { RateLimiter, RateLimitResult } from '#core/ports/rate-limiter.ts'
import type { Channel } from '../ipc/channel.ts'
import { passed } from '../limit/taken.ts'
import type { MemoryLimiter } from '../limit-memory/memory-limiter.ts'
import { answer, type Request, readAsk, readGiven } from './messages.ts'

/** Lets the process at the other end of the channel count in `limiter`. Called once for each such process. */
export function serveIpcLimiter(
  channel: Channel,
  limiter: RateLimiter & Partial<Pick<MemoryLimiter, 'receive'>>,
): void {
  const take = async ({ key, window, points }: Request): Promise<RateLimitResult> => {
    try {
      return await limiter.take(key, window, points)
    } catch {
      return passed(window, Date.now())
    }
  }

  channel.onMessage(async (message) => {
    const counts = readGiven(message)
    if (counts !== undefined) limiter.receive?.(counts)
    const read = readAsk(message)
    if (read === undefined) return
    const taken = await Promise.all(read.requests.map(take))
    try {
      channel.send(answer(read.batch, taken))
    } catch {
      // The process that asked is gone.
    }
  })
}

import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import type { Channel } from '../ipc/channel.ts'
import { createMemoryLimiter } from '../limit-memory/memory-limiter.ts'
import { createIpcLimiter, type IpcLimiterOptions } from './ipc-limiter.ts'
import { ANSWERING, given, readAlone, readGiven } from './messages.ts'
import { serveIpcLimiter } from './serve-ipc-limiter.ts'

/**
 * Counts in this process for as long as the one at the other end says that no other serves, and there once it does not.
 * The counts move along, so that nobody gets a window twice. Whoever answers requests without serving asks by way of the
 * other end, see `MachineLimiter`.
 */
export function createServingLimiter(channel: Channel, options: IpcLimiterOptions): RateLimiter {
  const own = createMemoryLimiter(options.clock ? { clock: options.clock } : {})
  const shared = createIpcLimiter(channel, options)
  let isAlone = false
  channel.onMessage((message) => {
    const counts = readGiven(message)
    if (counts !== undefined) own.receive(counts)
    const alone = readAlone(message)
    if (alone === undefined) return
    if (isAlone && !alone) channel.send(given(own.giveAway()))
    isAlone = alone
  })
  const limiter: RateLimiter = {
    take: (key, window, points) => (isAlone ? own : shared).take(key, window, points),
  }
  serveIpcLimiter(channel, limiter)
  channel.send(ANSWERING)
  return limiter
}

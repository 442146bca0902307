import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { createMemoryLimiter } from '../limit-memory/memory-limiter.ts'
import type { Channel } from './channel.ts'
import { createIpcLimiter, type IpcLimiterOptions } from './ipc-limiter.ts'
import { given, readAlone, readGiven } from './messages.ts'

/**
 * Counts in this process for as long as the one at the other end says that no other serves, and there once it does not.
 * The counts move along, so that nobody gets a window twice.
 */
export function createServingLimiter(channel: Channel, options: IpcLimiterOptions = {}): RateLimiter {
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
  return { take: (key, window, points) => (isAlone ? own : shared).take(key, window, points) }
}

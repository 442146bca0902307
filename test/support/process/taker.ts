// A process that takes from a limiter as fast as it can, when it is told to.
import { once } from 'node:events'
import { Redis } from 'ioredis'
import type { Channel } from '#adapters/ipc/channel.ts'
import { createIpcLimiter } from '#adapters/limit-ipc/ipc-limiter.ts'
import { createRedisLimiter } from '#adapters/limit-redis/redis-limiter.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { silentLog } from '../silent-log.ts'
import type { TakerCommand } from './takers.ts'

// Long enough that a busy machine does not let requests pass: the test is about counting.
const timeout = 60_000

async function openLimiter(socket: string | undefined): Promise<RateLimiter> {
  if (socket === undefined) {
    const channel: Channel = {
      send: (message) => void process.send?.(message),
      onMessage: (listener) => void process.on('message', listener),
    }
    return createIpcLimiter(channel, { timeout })
  }
  const redis = new Redis({ path: socket })
  await once(redis, 'ready')
  process.once('disconnect', () => redis.disconnect())
  return createRedisLimiter({ redis, log: silentLog, timeout })
}

const limiter = await openLimiter(process.argv[2])

process.on('message', async (message: TakerCommand) => {
  if (message.kind !== 'taker.take') return
  const { key, window, times } = message
  const taken = await Promise.all(Array.from({ length: times }, () => limiter.take(key, window)))
  process.send?.({ kind: 'taker.took', allowed: taken.filter(({ allowed }) => allowed).length })
})
process.send?.({ kind: 'taker.ready' })

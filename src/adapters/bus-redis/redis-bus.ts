import { randomUUID } from 'node:crypto'
import type { Redis, RedisOptions } from 'ioredis'
import { SECOND } from '#contract/time.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createListeners } from '../bus/listeners.ts'
import { createRareWarning } from '../redis/rare-warning.ts'

export interface RedisBusOptions {
  /** Used to publish and as the model of a second connection that listens. The caller closes it. */
  readonly redis: Redis
  readonly log: Log
  readonly clock?: Clock
}

const PREFIX = 'aloft:bus:'
const LONGEST_PAUSE = 2 * SECOND

/**
 * Tells processes on many machines, over Redis. The process that publishes is told directly and drops its
 * own echo, so it hears itself even while Redis is down.
 */
export function createRedisBus({ redis, log, clock = systemClock }: RedisBusOptions): Bus {
  const listeners = createListeners(log)
  const warn = createRareWarning(
    log,
    'Redis does not pass messages on: other processes may act on old state',
    clock,
  )
  const self = randomUUID()
  let closed = false

  const subscriber = redis.duplicate<RedisOptions>({
    lazyConnect: false,
    // Subscribed below on every connection, also when the first one fails before it could be.
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * 50, LONGEST_PAUSE),
  })
  let connections = 0
  subscriber.on('error', warn)
  subscriber.on('ready', () => {
    subscriber.psubscribe(`${PREFIX}*`).then(() => {
      if (connections++ > 0) log.warn({}, 'the bus is back on Redis; messages sent meanwhile are lost')
    }, warn)
  })
  subscriber.on('pmessage', (_pattern: string, channel: string, text: string) => {
    if (text.startsWith(self)) return
    listeners.tell(channel.slice(PREFIX.length), text.slice(self.length))
  })

  return {
    publish(topic, message) {
      if (closed) return
      queueMicrotask(() => listeners.tell(topic, message))
      redis.publish(PREFIX + topic, self + message).catch(warn)
    },
    subscribe: listeners.add,
    async close() {
      closed = true
      listeners.clear()
      subscriber.disconnect()
    },
  }
}

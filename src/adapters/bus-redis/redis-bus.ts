import { randomUUID } from 'node:crypto'
import type { Redis, RedisOptions } from 'ioredis'
import { SECOND } from '#contract/time.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createListeners } from '../bus/listeners.ts'
import { createRareWarning } from '../redis/rare-warning.ts'

interface RedisBusOptions {
  /** Used to publish and as the model of a second connection that listens. The caller closes it. */
  readonly redis: Redis
  readonly log: Log
  readonly clock?: Clock
}

export interface RedisBus extends Bus {
  onGap(listener: () => void): () => void
  untilHearing(): Promise<void>
  /** Whether messages of others arrive, as far as is known. */
  isHearing(): boolean
}

const PREFIX = 'aloft:bus:'
const LONGEST_PAUSE = SECOND / 2
/**
 * A connection that was cut looks like one on which nothing is said, and goes on minutes after the cable is back. So it is
 * asked this often whether it is there, and given up when it has not answered for so long.
 */
const LOOK_EVERY = SECOND / 2
const SILENCE = 1.5 * SECOND
const CONNECT_TIMEOUT = 2 * SECOND
/** What could not be sent is sent once Redis is back; beyond so many, those that came first. */
const MOST_UNSENT = 1000
const GAP = 'gap'

/**
 * Tells processes on many machines, over Redis. The process that publishes is told directly and drops its
 * own echo, so it hears itself even while Redis is down.
 */
export function createRedisBus({ redis, log, clock = systemClock }: RedisBusOptions): RedisBus {
  const listeners = createListeners(log)
  const gaps = createListeners(log)
  const unsent = new Set<string>()
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
    socketTimeout: SILENCE,
    connectTimeout: CONNECT_TIMEOUT,
    retryStrategy: (times) => Math.min(times * 50, LONGEST_PAUSE),
  })
  /** Of the connection as it is: a user of Redis may connect without being allowed to listen. */
  let isSubscribed = false
  let isSubscribing = false
  const looking = setInterval(() => {
    if (subscriber.status !== 'ready') return
    if (isSubscribed) subscriber.ping().catch(() => {})
    else subscribe()
  }, LOOK_EVERY).unref()
  const hearing = Promise.withResolvers<void>()
  let connections = 0
  const subscribe = () => {
    if (isSubscribing) return
    isSubscribing = true
    subscriber
      .psubscribe(`${PREFIX}*`)
      .then(() => {
        isSubscribed = true
        hearing.resolve()
        if (connections++ > 0)
          log.warn({}, 'the bus is back on Redis; what others said meanwhile is looked up again')
        // Nothing was heard before the first connection either, and something may have been looked up.
        gaps.tell(GAP, '')
      }, warn)
      .finally(() => {
        isSubscribing = false
      })
  }
  subscriber.on('error', warn)
  subscriber.on('ready', subscribe)
  subscriber.on('close', () => {
    isSubscribed = false
  })
  subscriber.on('pmessage', (_pattern: string, channel: string, text: string) => {
    if (text.startsWith(self)) return
    listeners.tell(channel.slice(PREFIX.length), text.slice(self.length))
  })

  const send = (channel: string, message: string): void => {
    redis.publish(channel, self + message).catch((error: unknown) => {
      warn(error)
      if (unsent.size < MOST_UNSENT) unsent.add(JSON.stringify([channel, message]))
    })
  }
  const sendUnsent = (): void => {
    const waiting = [...unsent].map((text) => JSON.parse(text) as [string, string])
    unsent.clear()
    for (const [channel, message] of waiting) send(channel, message)
  }
  redis.on('ready', sendUnsent)

  return {
    publish(topic, message) {
      if (closed) return
      queueMicrotask(() => listeners.tell(topic, message))
      send(PREFIX + topic, message)
    },
    subscribe: listeners.add,
    onGap: (listener) => gaps.add(GAP, listener),
    untilHearing: () => hearing.promise,
    isHearing: () => isSubscribed,
    async close() {
      closed = true
      clearInterval(looking)
      redis.off('ready', sendUnsent)
      listeners.clear()
      gaps.clear()
      subscriber.disconnect()
    },
  }
}

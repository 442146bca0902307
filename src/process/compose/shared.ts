import { createIpcBus } from '#adapters/bus-ipc/ipc-bus.ts'
import type { Relay } from '#adapters/bus-postgres/postgres-relay.ts'
import type { RedisBus } from '#adapters/bus-redis/redis-bus.ts'
import { createServingLimiter } from '#adapters/limit-ipc/serving-limiter.ts'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { SECOND } from '#contract/time.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { SITES_TOPIC } from '#core/site/site.ts'
import type { Config } from '../../config/config.ts'
import type { Channel } from '../supervisor/channel/channel.ts'

/** What processes have in common besides the database. */
export interface Shared {
  readonly bus: Bus
  readonly limiter: RateLimiter
  close(): Promise<void>
}

interface SharedParts {
  readonly log: Log
  readonly channel: Channel | undefined
  readonly clock: Clock
}

/** What Redis does within microseconds may take so long on a busy machine. */
const REDIS_SILENCE = 5 * SECOND

/** Counts stay exact while the machine is busy; without its supervisor this process ends anyway. */
const SUPERVISOR_TIMEOUT = 5 * SECOND

/** Through Redis where it is configured, else through the supervisor, else within this process. */
export async function openShared(config: Config, parts: SharedParts): Promise<Shared> {
  const { redisUrl } = config
  if (redisUrl) return openRedis(redisUrl.reveal(), config.databaseUrl?.reveal(), parts)
  const { channel, log, clock } = parts
  const bus = channel ? createIpcBus({ channel, log }) : createMemoryBus({ log })
  // A process that answers the API alone counts by itself; the supervisor tells whether it does.
  const limiter = channel
    ? createServingLimiter(channel, { clock, timeout: SUPERVISOR_TIMEOUT })
    : createMemoryLimiter({ clock })
  return { bus, limiter, close: () => bus.close() }
}

/**
 * What decides which site a visitor gets. The database has the last word on it, and tells of it too: machines do not differ
 * for longer while Redis is away, or while one of them cannot reach it.
 */
const TOLD_TWICE: ReadonlySet<string> = new Set([SITES_TOPIC])

async function openRedis(
  url: string,
  databaseUrl: string | undefined,
  { log, clock, channel }: SharedParts,
): Promise<Shared> {
  const [{ Redis }, { createRedisBus }, { createRedisLimiter }] = await Promise.all([
    import('ioredis'),
    import('#adapters/bus-redis/redis-bus.ts'),
    import('#adapters/limit-redis/redis-limiter.ts'),
  ])
  // `unix:///path` names a socket; ioredis takes its bare path.
  const redis = new Redis(url.replace(/^unix:\/\//, ''), {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // A connection that was cut takes what is sent on it for minutes, and none of it arrives.
    socketTimeout: REDIS_SILENCE,
  })
  redis.on('error', () => {
    // Told by the bus and the limiter, which know what it means.
  })
  const overRedis = createRedisBus({ redis, log, clock })
  const relay = databaseUrl === undefined ? undefined : await openRelay(databaseUrl, { log, clock })
  const bus = hearingOfDeaths(relay ? heardTwoWays(overRedis, relay) : overRedis, channel, log)
  return {
    bus,
    limiter: createRedisLimiter({ redis, log, clock }),
    async close() {
      await bus.close()
      redis.disconnect()
    },
  }
}

async function openRelay(url: string, parts: Pick<SharedParts, 'log' | 'clock'>): Promise<Relay> {
  const { createPostgresRelay } = await import('#adapters/bus-postgres/postgres-relay.ts')
  return createPostgresRelay({ url, ...parts })
}

/** Whoever listens may be told twice. */
function heardTwoWays(bus: RedisBus, relay: Relay): Bus {
  return {
    ...bus,
    publish(topic, message) {
      bus.publish(topic, message)
      if (TOLD_TWICE.has(topic)) relay.send(topic, message)
    },
    subscribe(topic, listener) {
      const end = bus.subscribe(topic, listener)
      if (!TOLD_TWICE.has(topic)) return end
      const endOther = relay.subscribe(topic, listener)
      return () => {
        end()
        endOther()
      }
    },
    onGap(listener) {
      const end = bus.onGap(listener)
      // What the one has missed was heard by the other.
      const endOther = relay.onGap(() => {
        if (!bus.isHearing()) listener()
      })
      return () => {
        end()
        endOther()
      }
    },
    async close() {
      await relay.close()
      await bus.close()
    },
  }
}

/** The supervisor alone knows when a process of this machine dies, which may have told Redis nothing of its last change. */
function hearingOfDeaths(bus: Bus, channel: Channel | undefined, log: Log): Bus {
  if (channel === undefined) return bus
  const supervisor = createIpcBus({ channel, log })
  return {
    ...bus,
    onGap(listener) {
      const ends = [bus.onGap?.(listener), supervisor.onGap?.(listener)]
      return () => {
        for (const end of ends) end?.()
      }
    },
    async close() {
      await supervisor.close()
      await bus.close()
    },
  }
}

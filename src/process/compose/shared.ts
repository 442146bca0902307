import { createIpcBus } from '#adapters/bus-ipc/ipc-bus.ts'
import type { Relay } from '#adapters/bus-postgres/postgres-relay.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { createServingLimiter } from '#adapters/limit-ipc/serving-limiter.ts'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { SECOND } from '#contract/time.ts'
import { CERTIFICATES_TOPIC } from '#core/certificate/certificate.ts'
import { DEPLOYMENTS_TOPIC } from '#core/deployment/deployment-news.ts'
import { ZONES_TOPIC } from '#core/dns/zone.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { REVALIDATIONS_TOPIC } from '#core/site/revalidation.ts'
import { SITES_TOPIC } from '#core/site/site.ts'
import type { Config } from '../../config/config.ts'

/** What processes have in common besides the database. */
interface Shared {
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
  if (redisUrl) return openRedis(redisUrl.reveal(), config, parts)
  const { channel, log, clock } = parts
  const ofMachine = channel ? createIpcBus({ channel, log }) : createMemoryBus({ log })
  const relay = await openRelay(config, parts)
  const bus = relay ? heardTwoWays(ofMachine, relay, NEVER) : ofMachine
  // A process that answers the API alone counts by itself; the supervisor tells whether it does.
  const limiter = channel
    ? createServingLimiter(channel, { clock, timeout: SUPERVISOR_TIMEOUT })
    : createMemoryLimiter({ clock })
  return { bus, limiter, close: () => bus.close() }
}

/**
 * What decides what a visitor gets, and what runs. The database has the last word on it, and tells of it too: machines do
 * not differ for longer while Redis is away, while one of them cannot reach it, or where there is none.
 */
const TOLD_TWICE: ReadonlySet<string> = new Set([
  SITES_TOPIC,
  ZONES_TOPIC,
  CERTIFICATES_TOPIC,
  REVALIDATIONS_TOPIC,
  DEPLOYMENTS_TOPIC,
])

async function openRedis(url: string, config: Config, { log, clock, channel }: SharedParts): Promise<Shared> {
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
  const relay = await openRelay(config, { log, clock })
  const twice = relay ? heardTwoWays(overRedis, relay, overRedis.isHearing) : overRedis
  const bus = hearingOfDeaths(twice, channel, log)
  return {
    bus,
    limiter: createRedisLimiter({ redis, log, clock }),
    async close() {
      await bus.close()
      redis.disconnect()
    },
  }
}

/** Undefined where the database is this machine's own. */
async function openRelay(
  { databaseUrl }: Config,
  { log, clock }: Pick<SharedParts, 'log' | 'clock'>,
): Promise<Relay | undefined> {
  if (databaseUrl === undefined) return undefined
  const { createPostgresRelay } = await import('#adapters/bus-postgres/postgres-relay.ts')
  return createPostgresRelay({ url: databaseUrl.reveal(), log, clock })
}

/** What the supervisor carries is heard on this machine alone. */
const NEVER = () => false

/** Whoever listens may be told twice. `hearsOthers`: whether the bus itself hears other machines. */
function heardTwoWays(bus: Bus, relay: Relay, hearsOthers: () => boolean): Bus {
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
      const end = bus.onGap?.(listener)
      // What the one has missed was heard by the other.
      const endOther = relay.onGap(() => {
        if (!hearsOthers()) listener()
      })
      return () => {
        end?.()
        endOther()
      }
    },
    // Each of them is enough.
    untilHearing: () =>
      Promise.race([relay.untilHearing(), ...(bus.untilHearing ? [bus.untilHearing()] : [])]),
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

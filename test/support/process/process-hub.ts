import { createIpcBus } from '#adapters/bus-ipc/ipc-bus.ts'
import { serveIpcBus } from '#adapters/bus-ipc/serve-ipc-bus.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { serveIpcLimiter } from '#adapters/limit-ipc/serve-ipc-limiter.ts'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import { serveMetrics } from '#src/process/supervisor/channel/metrics-hub.ts'
import { serveProcessList, startOfThis } from '#src/process/supervisor/channel/process-list.ts'
import { createAskRestart, serveRestart } from '#src/process/supervisor/restart.ts'
import { silentLog } from '../silent-log.ts'
import { createChannelPair } from './channel-pair.ts'

interface ProcessHub {
  /** Hears each message once, where servers may hear those of another by the database as well. */
  readonly bus: Bus
  join(): Channel
}

/** What the supervisor does for the processes of a machine, for several servers within one process. */
export function createProcessHub(clock: Clock): ProcessHub {
  const channels: Channel[] = []
  const bus = serveIpcBus()
  const [listener, atBus] = createChannelPair()
  bus.attach(atBus)
  const limiter = createMemoryLimiter({ clock })
  const metrics = serveMetrics(() => channels)
  const own = { role: 'serve', pid: process.pid, startedAt: startOfThis(), restarts: 0, hangs: 0 } as const
  const list = serveProcessList(
    () => channels.map((_, n) => ({ ...own, name: `serve-${n + 1}` })),
    () => {},
    true,
  )
  const restart = serveRestart(async () => {
    throw new Error(await createAskRestart(undefined)())
  })
  return {
    bus: createIpcBus({ channel: listener, log: silentLog }),
    join() {
      const [child, supervisor] = createChannelPair()
      channels.push(supervisor)
      bus.attach(supervisor)
      serveIpcLimiter(supervisor, limiter)
      for (const each of [metrics, list, restart]) each.attach(supervisor)
      return child
    },
  }
}

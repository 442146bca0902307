/** The DNS server with one zone, as a process of its own for `bench/dns/dns.ts` to measure. Without limits, as its peer. */
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { startDnsServer } from '#dns/server.ts'
import { createResolver, createZones } from '#test/support/dns/zones.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { benchZone } from './dns-zone.ts'

const { port } = await startDnsServer({
  host: '127.0.0.1',
  port: 0,
  zones: createZones(benchZone()),
  resolver: createResolver(),
  bus: createMemoryBus({ log: silentLog }),
  clock: systemClock,
  log: silentLog,
  cookieSecret: Buffer.alloc(16, 1),
  limits: { perAnswer: 1e9, perNetwork: 1e9 },
})
process.send?.(port)

import { ZONES_TOPIC, type ZoneSource } from '#core/dns/zone.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Resolver } from '#core/ports/resolver.ts'
import type { Network } from './networks.ts'
import type { RateLimits } from './rate-limit.ts'
import { type Counts, Responder } from './responder.ts'
import { listenTcp, type TcpLimits } from './tcp.ts'
import { listenUdp } from './udp.ts'

export interface DnsServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Several processes on this machine listen on the same port. */
  readonly reusePort?: boolean
  /** Descriptors of bound sockets to listen on for TCP. */
  readonly sockets?: readonly number[]
  readonly zones: ZoneSource
  readonly resolver: Resolver
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  /** 16 bytes or more, the same in all processes of the installation. */
  readonly cookieSecret: Buffer
  readonly limits?: RateLimits
  readonly networks?: readonly Network[]
  readonly tcpLimits?: Partial<TcpLimits>
}

export interface DnsServer {
  readonly port: number
  counts(): Counts
  /** See `Responder`. */
  invalidate(zone: string): void
  /** Listens for TCP on further sockets, whose own process is away. */
  adopt(sockets: readonly number[]): Promise<void>
  /** Stops listening at once, and resolves when answers under way are out, within this time. */
  drain(ms: number): Promise<void>
}

/** The authority for the zones, over UDP and TCP. Rejects, listening nowhere, when the port cannot be had. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const { host, bus, log, reusePort = false, tcpLimits } = options
  const responder = new Responder(options)
  const ends = [
    bus.subscribe(ZONES_TOPIC, (name) => responder.invalidate(name)),
    bus.onGap?.(() => responder.invalidate('*')),
  ]
  const unsubscribe = () => {
    for (const end of ends) end?.()
  }
  try {
    const shared = { host, reusePort, responder, log }
    const tcp = await listenTcp({
      ...shared,
      port: options.port,
      ...(options.sockets ? { sockets: options.sockets } : {}),
      ...(tcpLimits ? { limits: tcpLimits } : {}),
    })
    const udp = await listenUdp({ ...shared, port: tcp.port }).catch(async (error: unknown) => {
      await tcp.drain(0)
      throw error
    })
    return {
      port: tcp.port,
      counts: () => responder.counts(),
      invalidate: (zone) => responder.invalidate(zone),
      adopt: tcp.adopt,
      async drain(ms) {
        await Promise.all([udp.close(), tcp.drain(ms)])
        unsubscribe()
      },
    }
  } catch (error) {
    unsubscribe()
    throw error
  }
}

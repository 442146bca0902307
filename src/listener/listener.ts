import { once } from 'node:events'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { SourceCounts } from '#core/access/source-counts.ts'
import type { TrustedProxies } from '#core/access/trusted-proxies.ts'
import type { Log } from '#core/ports/log.ts'
import { ConnectionLimit } from './listener-connection-limit.ts'
import { type FastLane, withoutProxies } from './listener-fast-lane.ts'
import { createHttp1, type UpgradeHandler } from './listener-http1.ts'
import { createHttp2 } from './listener-http2.ts'
import { DEFAULT_LIMITS, KEEP_ALIVE, type ListenerLimits } from './listener-limits.ts'
import { createDispatch, type Handle } from './listener-request.ts'
import { type CertificateFor, type ChallengeFor, createTls, type StapleFor } from './listener-tls.ts'
import type { TicketKeys } from './ticket-key.ts'

export interface ListenerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** 0 means no TLS; `any` takes a free one. */
  readonly tlsPort: number | 'any'
  /** Several processes on this machine listen on the same port. */
  readonly reusePort?: boolean
  /** Descriptors of bound sockets to listen on, instead of ports. */
  readonly sockets?: BoundSockets
  readonly handle: Handle
  readonly fastLane?: FastLane
  readonly upgrade?: UpgradeHandler
  readonly trustedProxies?: TrustedProxies | undefined
  readonly certificateFor: CertificateFor
  readonly challengeFor?: ChallengeFor
  readonly stapleFor?: StapleFor
  readonly ticketKeys?: TicketKeys
  readonly log: Log
  readonly limits?: Partial<ListenerLimits>
}

/** Descriptors of sockets that are bound already. */
interface BoundSockets {
  readonly http: readonly number[]
  readonly tls: readonly number[]
}

type ListenTarget = { readonly port: number } | { readonly fd: number }

export interface Listeners {
  /** Rejects, listening nowhere, when one of the ports cannot be had. A `tlsPort` of 0 means that there is none. */
  listen(): Promise<{ readonly port: number; readonly tlsPort: number }>
  /** Listens on further sockets, whose own process is away. */
  adopt(sockets: BoundSockets): Promise<void>
  /**
   * Stops listening at once and resolves when every connection is gone. Requests that were accepted are
   * served to their end; what is left after `ms` is cut. Repeated calls wait for the first.
   */
  drain(ms: number, options?: DrainOptions): Promise<void>
  /**
   * Every connection that there is ends with its next answer, so that its peer opens another: which of several processes
   * gets it is decided anew. Nothing that was asked is lost by it.
   */
  renewConnections(): void
}

export interface DrainOptions {
  /** Another process has begun to take the connections: nobody waits for this one to end. */
  readonly succeeded?: boolean
}

/** How long a quiet connection is left alone in a drain: the peer's next request may be on its way. */
const SWEEP_MS = 500
/** The same where there is no hurry: a peer that has not heard of the end yet may still send. */
const SUCCEEDED_SWEEP_MS = 4000

export function createListeners(options: ListenerOptions): Listeners {
  const { host, log, reusePort = false, sockets: given, trustedProxies } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { maxHeaders } = limits
  const dispatch = createDispatch({ handle: options.handle, trustedProxies, log, maxHeaders })
  const fastLane =
    options.fastLane && trustedProxies ? withoutProxies(options.fastLane, trustedProxies) : options.fastLane
  const http1 = createHttp1({ dispatch, upgrade: options.upgrade, trustedProxies, limits, log })
  const http2 = createHttp2({ dispatch, limits, log, fastLane })
  const sockets = new Set<Socket>()
  const listening: NetServer[] = []
  let tls: ReturnType<typeof createTls> | undefined
  let drained: Promise<void> | undefined

  const toHttp1 = (socket: Socket) => void http1.server.emit('connection', socket)
  const accept = (socket: Socket) => (fastLane ? fastLane.take(socket, toHttp1) : toHttp1(socket))

  const crowd = new ConnectionLimit({
    most: limits.maxConnections,
    relieve: () => {
      fastLane?.release(false)
      http1.sweep()
    },
    log,
  })
  const sources = new SourceCounts()
  const admitted = (take: (socket: Socket) => void) => (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    // A proxy has the connections of all who come by it.
    const ofSource = trustedProxies?.has(address) ? 0 : sources.of(address)
    if (!crowd.admits(sockets.size, ofSource)) {
      socket.destroy()
      return
    }
    socket.once('close', sources.add(address))
    take(socket)
  }

  const listenOn = (server: NetServer, where: ListenTarget) =>
    'fd' in where ? server.listen(where) : server.listen({ host, port: where.port, reusePort })

  async function open(server: NetServer, where: ListenTarget) {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    listenOn(server, where)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    // Failures to accept, as when the process is out of file handles: the next one may succeed.
    server.on('error', (error) => log.error({ err: error, port }, 'listener failed'))
    listening.push(server)
    return port
  }

  const openPlain = (where: ListenTarget) =>
    open(new NetServer({ allowHalfOpen: true, noDelay: true, ...KEEP_ALIVE }, admitted(accept)), where)

  async function openTls(where: ListenTarget): Promise<number> {
    tls ??= createTls({
      certificateFor: options.certificateFor,
      challengeFor: options.challengeFor,
      stapleFor: options.stapleFor,
      limits,
      log,
      ticketKeys: options.ticketKeys,
      http1: accept,
      http2: (socket) => http2.accept(socket),
    })
    const server = await tls
    return open(
      new NetServer(
        { noDelay: true, ...KEEP_ALIVE },
        admitted((socket) => server.emit('connection', socket)),
      ),
      where,
    )
  }

  async function listenAll(): Promise<{ readonly port: number; readonly tlsPort: number }> {
    if (given)
      return { port: await adoptAll(openPlain, given.http), tlsPort: await adoptAll(openTls, given.tls) }
    const port = await openPlain({ port: options.port })
    if (options.tlsPort === 0) return { port, tlsPort: 0 }
    return { port, tlsPort: await openTls({ port: options.tlsPort === 'any' ? 0 : options.tlsPort }) }
  }

  async function drain(ms: number, { succeeded = false }: DrainOptions = {}): Promise<void> {
    // Not the HTTP server's own close, which cuts idle connections and stops watching the request timeouts.
    const closed = Promise.all(
      listening.map((server) => new Promise((resolve) => NetServer.prototype.close.call(server, resolve))),
    )
    fastLane?.release(true)
    http1.beginDrain()
    http2.beginDrain()
    const sweep = () => {
      http1.sweep()
      http2.sweep()
    }
    const sweeper = setInterval(sweep, Math.min(succeeded ? SUCCEEDED_SWEEP_MS : SWEEP_MS, ms / 4))
    const deadline = setTimeout(() => {
      if (sockets.size > 0)
        log.warn({ connections: sockets.size }, 'drain took too long; closing connections')
      for (const socket of sockets) socket.destroy()
    }, ms)
    await closed
    clearInterval(sweeper)
    clearTimeout(deadline)
    // A server is closed a moment before those who wait for the end of its connections hear of that, and write it down.
    await Promise.all(
      Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))),
    )
    await new Promise(setImmediate)
    http1.server.close()
  }

  return {
    async listen() {
      try {
        const ports = await listenAll()
        // It never listens itself, and only this makes it watch over the time that requests take.
        http1.server.emit('listening')
        return ports
      } catch (error) {
        await drain(0)
        throw error
      }
    },
    async adopt({ http, tls }) {
      if (drained !== undefined) return
      await adoptAll(openPlain, http)
      await adoptAll(openTls, tls)
    },
    drain(ms, how) {
      drained ??= drain(ms, how)
      return drained
    },
    renewConnections() {
      fastLane?.release(false)
      http1.renew()
      http2.renew()
    },
  }
}

/** Answers the port of the last; 0 where there are none. */
async function adoptAll(
  open: (where: { readonly fd: number }) => Promise<number>,
  numbers: readonly number[],
): Promise<number> {
  let port = 0
  for (const fd of numbers) port = await open({ fd })
  return port
}

import { connect, type Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import { joinSockets } from './join-sockets.ts'
import { machineOf } from './peer-name.ts'

/** What proves to other machines that this one belongs to the installation, and the authority that they are checked by. */
export interface PeerIdentity {
  readonly cert: string
  readonly key: string
  readonly authority: string
}

export interface PeerGatewayOptions {
  readonly identity: PeerIdentity
  /** All addresses of the machine where it is left out. */
  readonly host?: string | undefined
  readonly port: number
  /** Where the working process of this machine takes requests for instances. */
  readonly runnerSocket: string
  /** Whether a path is that of an instance's socket. */
  readonly isInstance: (path: string) => boolean
  /** What else is done for other machines, by the first word of a connection. */
  readonly offers?: Readonly<Record<string, (socket: Socket, args: readonly string[]) => void>>
  /** Whether a machine is part of the installation no more. Its certificate outlives that. */
  readonly isRemoved: (machine: string) => boolean
  /** Connections of which it is not known yet whose they are. */
  readonly mostStrangers?: number
  readonly log: Log
}

export interface PeerGateway {
  readonly port: number
  /** Others may have been removed: their connections end. */
  lookAgain(): void
  /** Takes no new connections, which then reach the process that takes the place of this one; those there are go on. */
  leave(): void
  close(): Promise<void>
}

/** What is asked for comes first, in one line: `runner`, `instance` and the path of its socket, or what `offers` has. */
const LONGEST_LINE = 300
const LINE_MS = 5 * SECOND
/** Other machines prove within milliseconds who they are. Whoever else reaches this port can keep no more descriptors than this, or for longer. */
const MOST_STRANGERS = 512
const HANDSHAKE_MS = 10 * SECOND
/** That somebody was refused is told once in so long, however often they try. */
const TOLD_MS = MINUTE
const NEWLINE = 10
/** Whoever says nothing for so long is asked whether they are there. After ten seconds without an answer they count as gone. */
export const ASKED_AFTER_MS = 15 * SECOND

/**
 * Lets the serving processes of other machines reach the functions of this one. Nobody is heard who has no certificate of the
 * installation's own authority; a connection leads to the working process or to one instance, and nowhere else.
 */
export async function openPeerGateway(options: PeerGatewayOptions): Promise<PeerGateway> {
  const { identity, host, port, log, isRemoved, mostStrangers = MOST_STRANGERS } = options
  /** By the address at the other end. */
  const sockets = new Map<string, Socket>()
  const known = new Map<TLSSocket, string>()
  /** By the same, in the order in which they came. */
  const strangers = new Map<string, Socket>()
  let toldAt = Number.NEGATIVE_INFINITY
  const server: Server = createServer({
    handshakeTimeout: HANDSHAKE_MS,
    cert: identity.cert,
    key: identity.key,
    ca: [identity.authority],
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3',
    // What a machine that lost its power had under way here would otherwise count for ever.
    keepAlive: true,
    keepAliveInitialDelay: ASKED_AFTER_MS,
  })
  server.on('connection', (socket: Socket) => {
    const from = originOf(socket)
    sockets.set(from, socket)
    strangers.set(from, socket)
    socket.once('close', () => {
      for (const places of [sockets, strangers]) if (places.get(from) === socket) places.delete(from)
    })
    if (strangers.size <= mostStrangers) return
    const [oldest] = strangers.values()
    oldest?.destroy()
  })
  server.on('tlsClientError', (err: Error) => {
    const now = performance.now()
    if (now - toldAt < TOLD_MS) return
    toldAt = now
    log.warn({ err }, 'somebody without a certificate of this installation was refused')
  })
  server.on('secureConnection', (socket) => {
    strangers.delete(originOf(socket))
    const machine = machineOf(socket.getPeerX509Certificate()?.subjectAltName)
    if (machine === undefined || isRemoved(machine)) {
      log.warn({ machine }, 'a machine that is not part of this installation was refused')
      return void socket.destroy()
    }
    known.set(socket, machine)
    socket.once('close', () => known.delete(socket))
    const raw = sockets.get(originOf(socket))
    // As a unix socket would have told somebody on this machine. TLS has no word for it.
    welcome(socket, options, () => (raw ?? socket).resetAndDestroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Another process of this machine may be about to take the place of this one.
    server.listen(
      { ...(host === undefined ? {} : { host }), port, reusePort: process.platform === 'linux' },
      resolve,
    )
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    lookAgain() {
      for (const [socket, machine] of known) if (isRemoved(machine)) socket.destroy()
    },
    leave: () => void server.close(),
    async close() {
      const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : undefined
      for (const socket of sockets.values()) socket.destroy()
      await closed
    },
  }
}

const originOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** `reset`: tells the other machine that nobody has read what it sent last. */
function welcome(
  socket: TLSSocket,
  { runnerSocket, isInstance, offers = {} }: PeerGatewayOptions,
  reset: () => void,
): void {
  let line = Buffer.alloc(0)
  const tooLate = setTimeout(() => socket.destroy(), LINE_MS)
  socket.on('error', () => {})
  socket.once('close', () => clearTimeout(tooLate))
  const read = (chunk: Buffer) => {
    line = Buffer.concat([line, chunk])
    const end = line.indexOf(NEWLINE)
    if (end < 0 && line.length <= LONGEST_LINE) return
    socket.off('data', read)
    clearTimeout(tooLate)
    const [what = '', ...args] = line.toString('utf8', 0, Math.max(end, 0)).split(' ')
    const [path = ''] = args
    const offer = Object.hasOwn(offers, what) ? offers[what] : undefined
    const target =
      what === 'runner' ? runnerSocket : what === 'instance' && isInstance(path) ? path : undefined
    // An instance that is not there any more, or is another process's, has read nothing.
    if (target === undefined && what === 'instance') return reset()
    if (target === undefined && offer === undefined) return void socket.destroy()
    socket.pause()
    if (end + 1 < line.length) socket.unshift(line.subarray(end + 1))
    if (target === undefined) return offer?.(socket, args)
    socket.setNoDelay(true)
    joinSockets(socket, connect(target), reset)
  }
  socket.on('data', read)
}

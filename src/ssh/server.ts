import type { Socket } from 'node:net'
import ssh2, { type Connection } from 'ssh2'
import { SECOND } from '#contract/time.ts'
import { Counts } from '#core/counts.ts'
import { createTurns } from '#core/turns.ts'
import { listenForConnections, type TcpListener } from '#listener/tcp-connections.ts'
import { createRateLimit } from './rate-limit.ts'
import { SshConnection, type SshConnectionParts } from './ssh-connection.ts'
import { DEFAULT_LIMITS, type SshLimits } from './ssh-limits.ts'

interface SshServerOptions extends Omit<SshConnectionParts, 'pace' | 'commands'> {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly reusePort?: boolean
  /** Descriptors of bound sockets to listen on, instead of the port. */
  readonly sockets?: readonly number[] | undefined
  readonly hostKey: string
  readonly limits?: Partial<SshLimits>
  /** Calls later, as `setTimeout` does. */
  readonly later?: (work: () => void, ms: number) => void
}

export type SshServer = TcpListener

/**
 * What clients of the last ten years speak, without what is weak, without compression, which costs memory, and without
 * key exchanges of large numbers or on the larger curves: each would stop this process for ten milliseconds and more, for
 * anybody who connects. Nor is there ChaCha20, which takes twice as long as AES does.
 */
const ALGORITHMS = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
  serverHostKey: ['ssh-ed25519'],
} as const

const MOMENT_MS = 50

/**
 * The socket of a client, which `ssh2` doesn't tell. By its address it cannot be found: where this machine has several, a client
 * can have two connections from one port.
 */
const socketOf = (client: Connection): Socket => (client as unknown as { readonly _sock: Socket })._sock

/** Git over SSH, and nothing else: no shell, no terminal, no forwarding. */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { host, port, reusePort = false, log } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const protocol = new ssh2.Server({
    hostKeys: [options.hostKey],
    ident: 'aloft',
    algorithms: ALGORITHMS,
    keepaliveInterval: 15 * SECOND,
    keepaliveCountMax: 3,
  })
  protocol.on('error', (error) => log.error({ err: error }, 'the SSH server failed'))
  const later = options.later ?? ((work, ms) => void setTimeout(work, ms).unref())
  const pace = createRateLimit({
    ...{ bytesPerSecond: limits.bytesPerSecond, momentMs: MOMENT_MS },
    now: () => performance.now(),
    sleep: (ms) => new Promise((resolve) => later(resolve, ms)),
  })
  const commands = new Counts()
  const handshakes = createTurns(limits.handshakesAtOnce)
  /** Those who come together begin one after the other, and visitors of sites are served in between. */
  const begin = async (socket: Socket) => {
    const giveBack = await handshakes.take('')
    if (socket.destroyed) return giveBack()
    later(giveBack, limits.handshakesMs)
    protocol.injectSocket(socket)
  }
  const bySocket = new WeakMap<Socket, SshConnection>()
  protocol.on('connection', (client) => {
    // An error that nobody listens for would end the process.
    client.on('error', () => {})
    const connection = bySocket.get(socketOf(client))
    if (connection === undefined) client.end()
    else connection.speak(client)
  })

  return listenForConnections({
    ...{ host, port, reusePort, sockets: options.sockets, limits, protocol: 'SSH', log },
    welcome(socket) {
      const connection = new SshConnection(socket, { ...options, pace, commands }, limits)
      bySocket.set(socket, connection)
      void begin(socket)
      return connection
    },
  })
}

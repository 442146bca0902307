import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import ssh2 from 'ssh2'
import { SECOND } from '#contract/time.ts'
import { Guest, type GuestParts } from './guest.ts'
import { DEFAULT_LIMITS, type SshLimits } from './ssh-limits.ts'

export interface SshServerOptions extends GuestParts {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly reusePort?: boolean
  /** Descriptors of bound sockets to listen on, instead of the port. */
  readonly sockets?: readonly number[] | undefined
  readonly hostKey: string
  readonly limits?: Partial<SshLimits>
}

export interface SshServer {
  readonly port: number
  /** Listens on further sockets, whose own process is away. */
  adopt(sockets: readonly number[]): Promise<void>
  /** Stops listening at once, and resolves when what was begun has ended, or this time is over. */
  drain(ms: number): Promise<void>
}

/** What clients of the last ten years speak, without what is weak, and without compression, which costs memory. */
const ALGORITHMS = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
  ],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'chacha20-poly1305@openssh.com',
    'aes128-ctr',
    'aes256-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
  serverHostKey: ['ssh-ed25519'],
} as const

/** Git over SSH, and nothing else: no shell, no terminal, no forwarding. */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { host, port, reusePort = false, log } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const guests = new Set<Guest>()
  const perAddress = new Map<string, number>()
  const protocol = new ssh2.Server({
    hostKeys: [options.hostKey],
    ident: 'aloft',
    algorithms: ALGORITHMS,
    keepaliveInterval: 15 * SECOND,
    keepaliveCountMax: 3,
  })
  protocol.on('error', (error) => log.error({ err: error }, 'the SSH server failed'))
  const placeOf = (ip: string | undefined, from: number | undefined) => `${ip} ${from}`
  const byPlace = new Map<string, Guest>()
  protocol.on('connection', (connection, info) => byPlace.get(placeOf(info.ip, info.port))?.speak(connection))

  const welcome = (socket: Socket) => {
    const address = socket.remoteAddress
    const count = perAddress.get(address ?? '') ?? 0
    if (address === undefined || count >= limits.maxPerAddress || guests.size >= limits.maxConnections) {
      socket.destroy()
      return
    }
    perAddress.set(address, count + 1)
    const guest = new Guest(socket, options, limits)
    guests.add(guest)
    const place = placeOf(address, socket.remotePort)
    byPlace.set(place, guest)
    socket.once('close', () => {
      byPlace.delete(place)
      guests.delete(guest)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left > 0) perAddress.set(address, left)
      else perAddress.delete(address)
    })
    protocol.injectSocket(socket)
  }

  const servers: Server[] = []
  async function open(where: ListenOptions): Promise<number> {
    const server = createServer({ noDelay: true }, welcome).listen(where)
    await once(server, 'listening')
    server.on('error', (error) => log.error({ err: error, port }, 'the SSH listener failed'))
    servers.push(server)
    return (server.address() as AddressInfo).port
  }
  async function adopt(sockets: readonly number[]): Promise<number> {
    let found = port
    for (const fd of sockets) found = await open({ fd } as ListenOptions)
    return found
  }

  return {
    port: options.sockets ? await adopt(options.sockets) : await open({ host, port, reusePort }),
    adopt: async (sockets) => void (await adopt(sockets)),
    async drain(ms) {
      const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
      for (const guest of guests) guest.finish()
      const deadline = setTimeout(() => {
        for (const guest of guests) guest.cut()
      }, ms)
      await closed
      clearTimeout(deadline)
    },
  }
}

import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { SourceCounts } from '#core/access/source-counts.ts'
import type { Log } from '#core/ports/log.ts'

/** Somebody who has connected, and speaks whatever protocol this is. */
export interface TcpConnection {
  /** Takes nothing new, and ends when what was begun is over. */
  finish(): void
  cut(): void
}

export interface TcpConnectionLimits {
  readonly maxConnections: number
  /** Of IPv6, the first 64 bits count as one address. */
  readonly maxPerAddress: number
}

interface TcpListenerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly reusePort: boolean
  /** Descriptors of bound sockets to listen on, instead of the port. */
  readonly sockets?: readonly number[] | undefined
  readonly allowHalfOpen?: boolean
  readonly limits: TcpConnectionLimits
  /** What it is called in the log, such as `DNS`. */
  readonly protocol: string
  readonly log: Log
  readonly welcome: (socket: Socket, address: string) => TcpConnection
}

export interface TcpListener {
  readonly port: number
  /** Listens on further sockets, whose own process is away. */
  adopt(sockets: readonly number[]): Promise<void>
  /** Stops listening at once, lets what was begun end for so long, and cuts what is left. */
  drain(ms: number): Promise<void>
}

/** Connections of one protocol, so many at most, and so many of one address. */
export async function listenForConnections(options: TcpListenerOptions): Promise<TcpListener> {
  const { host, port, reusePort, allowHalfOpen = false, limits, protocol, log } = options
  const connections = new Set<TcpConnection>()
  const perSource = new SourceCounts()
  const servers: Server[] = []

  const welcome = (socket: Socket) => {
    const address = socket.remoteAddress
    const isFull = connections.size >= limits.maxConnections
    if (address === undefined || isFull || perSource.of(address) >= limits.maxPerAddress) {
      socket.destroy()
      return
    }
    const leave = perSource.add(address)
    const connection = options.welcome(socket, address)
    connections.add(connection)
    socket.once('close', () => {
      connections.delete(connection)
      leave()
    })
  }

  async function open(where: ListenOptions): Promise<number> {
    const server = createServer({ noDelay: true, allowHalfOpen }, welcome).listen(where)
    await once(server, 'listening')
    server.on('error', (error) => log.error({ err: error, port }, `the ${protocol} listener failed`))
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
      for (const connection of connections) connection.finish()
      const deadline = setTimeout(() => {
        for (const connection of connections) connection.cut()
      }, ms)
      await closed
      clearTimeout(deadline)
    },
  }
}

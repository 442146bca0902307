import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type Destinations, GATEWAY } from '#core/outbound/destinations.ts'
import { SITES } from '#core/outbound/own-sites.ts'
import { createConnections } from '../sandbox-network/connections.ts'
import { createNameServer } from '../sandbox-network/name-server.ts'
import { createResolverList } from '../sandbox-network/resolver-list.ts'

export interface ServiceOptions {
  /** Decides what names stand for, and where the sites of this installation are. */
  readonly destinations: Destinations
  /** By which sites are asked for. */
  readonly ports: readonly number[]
}

/** What is sent to an address of `SERVICES` comes in on another port, at the machine's own end of the network. */
export interface LaunchedRuntime {
  readonly protocol: 'udp' | 'tcp'
  readonly address: string
  readonly port: number
  readonly to: number
}

interface Services {
  /** Whom containers ask for names. */
  readonly nameServer: string
  readonly led: readonly LaunchedRuntime[]
  close(): void
}

const NAMES_PORT = 53

/** Answers for names and leads to the sites of this installation, on free ports of an address of this machine. */
export async function openServices(
  address: string,
  { destinations, ports }: ServiceOptions,
): Promise<Services> {
  const names = createNameServer({ destinations, resolvers: createResolverList() })
  const connections = createConnections(destinations)
  const open = new Set<UdpSocket | Server>()
  const close = () => {
    for (const each of open) each.close()
    connections.close()
  }

  async function listen(onConnection: (socket: Socket) => void): Promise<number> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, onConnection)
    open.add(server)
    server.unref().listen(0, address)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  try {
    const datagrams = createSocket('udp4')
    open.add(datagrams)
    datagrams.unref().bind(0, address)
    await once(datagrams, 'listening')
    names.serve(datagrams)
    const stream = await listen((socket) => {
      names.serveStream(socket)
      socket.resume()
    })
    const sites = await Promise.all(
      ports.map(
        async (port): Promise<LaunchedRuntime> => ({
          ...{ protocol: 'tcp', address: SITES, port },
          to: await listen((socket) => connections.pass(socket, { address: SITES, port })),
        }),
      ),
    )
    const asked = { address: GATEWAY, port: NAMES_PORT }
    const led: readonly LaunchedRuntime[] = [
      { ...asked, protocol: 'udp', to: datagrams.address().port },
      { ...asked, protocol: 'tcp', to: stream },
      ...sites,
    ]
    return { nameServer: GATEWAY, led, close }
  } catch (error) {
    close()
    throw error
  }
}

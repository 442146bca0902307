import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import type { Log } from '#core/ports/log.ts'
import { createSends } from './direct-sends.ts'
import type { Responder } from './responder.ts'

interface UdpOptions {
  readonly host: string
  readonly port: number
  readonly reusePort: boolean
  readonly responder: Responder
  readonly log: Log
}

interface Udp {
  readonly port: number
  close(): Promise<void>
}

/** What the kernel holds while this process is busy with something else. */
const RECEIVE_BYTES = 4 * 1024 * 1024
const SEND_BYTES = 1024 * 1024

export async function listenUdp({ host, port, reusePort, responder, log }: UdpOptions): Promise<Udp> {
  const sockets: Socket[] = []

  async function open(address: string, at: number): Promise<number> {
    const type = address.includes(':') ? 'udp6' : 'udp4'
    const socket = createSocket({ type, reusePort })
    sockets.push(socket)
    socket.bind(at, address)
    await once(socket, 'listening')
    const send = createSends(socket)
    const sendLater = (reply: Buffer | undefined, { port, address }: RemoteInfo) => {
      if (reply !== undefined && sockets.length > 0) send(reply, port, address)
    }
    socket.on('message', (packet, asker) => {
      const { port, address } = asker
      // There is nothing to answer at this port, and a packet from it may make two servers talk for ever.
      if (port === 0) return
      const reply = responder.respond(packet, address, false)
      if (reply instanceof Promise) void reply.then((late) => sendLater(late, asker))
      else if (reply !== undefined) send(reply, port, address)
    })
    // Answers that cannot be sent are lost, as any packet may be.
    socket.on('error', (error) => log.debug({ err: error }, 'an answer could not be sent'))
    grow(socket, log)
    return socket.address().port
  }

  const close = async () => {
    const open = sockets.splice(0)
    await Promise.all(open.map((socket) => new Promise<void>((closed) => socket.close(() => closed()))))
  }

  try {
    const bound = await open(host, port)
    // An answer has to come from the address that was asked, which a socket for all addresses does not ensure.
    if (reusePort)
      for (const own of ownAddresses(host))
        await open(own, bound).catch(async (error: NodeJS.ErrnoException) => {
          // It has gone since, or is still being looked at whether another machine has it: the first socket hears for it.
          if (error.code !== 'EADDRNOTAVAIL') throw error
          sockets.pop()?.close()
          log.warn({ err: error, address: own }, 'DNS does not listen on an address of its own')
        })
    return { port: bound, close }
  } catch (error) {
    await close()
    throw error
  }
}

function grow(socket: Socket, log: Log): void {
  try {
    socket.setRecvBufferSize(RECEIVE_BYTES)
    socket.setSendBufferSize(SEND_BYTES)
  } catch (error) {
    log.debug({ err: error }, 'the buffer sizes of a socket could not be set')
  }
}

/** The addresses that a wildcard stands for. */
function ownAddresses(host: string): readonly string[] {
  if (host !== '0.0.0.0' && host !== '::') return []
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, scopeid }) => family === 'IPv4' || (host === '::' && !scopeid))
    .map(({ address }) => address)
}

import { Agent, type ClientRequestArgs } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Connections to the working process stay open, so that a request costs no more than it must. */
const MOST_IDLE = 8

/** One for all connections: the parser of node:http copies what it passes on before anything else is read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * Connections to the working process. What is read from them goes through one piece of memory: a new one for every read
 * would have to be collected, as `core/chunks.ts` explains.
 */
export class ForwardAgent extends Agent {
  constructor() {
    super({ keepAlive: true, maxFreeSockets: MOST_IDLE })
  }

  override createConnection({ socketPath }: ClientRequestArgs): Socket {
    const socket: Socket = connect({
      path: socketPath ?? '',
      onread: {
        buffer: READ_BUFFER,
        callback: (length, buffer) => socket.emit('data', buffer.subarray(0, length)),
      },
    })
    return socket
  }
}

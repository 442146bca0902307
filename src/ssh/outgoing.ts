import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import { beforeAbort } from '#core/before-abort.ts'
import type { RateLimit } from './rate-limit.ts'

/**
 * What goes out on a connection. The library takes whatever it is given and keeps it in memory: it looks at how much a
 * channel may be sent, which its client says as it likes, and never at what was taken of it.
 */
export class Outgoing {
  readonly #socket: Socket
  readonly #connection: Connection
  readonly #pace: (bytes: number) => ReturnType<RateLimit>

  constructor(socket: Socket, connection: Connection, pace: (bytes: number) => ReturnType<RateLimit>) {
    this.#socket = socket
    this.#connection = connection
    this.#pace = pace
    // Each command may wait here.
    for (const emitter of [socket, connection]) emitter.setMaxListeners(0)
  }

  /** Resolves when the other end has taken so much that it may be sent more. */
  async send(channel: ServerChannel, chunk: Buffer, signal: AbortSignal): Promise<void> {
    await this.#pace(chunk.length)
    signal.throwIfAborted()
    const socket = this.#socket
    const before = socket.bytesWritten
    const { promise: isHandedOver, resolve } = Promise.withResolvers<void>()
    channel.write(chunk, () => resolve())
    // More than the other end said that it may be sent.
    if (channel.writableLength > 0) await beforeAbort(isHandedOver, signal)
    // While keys are exchanged, which the other end begins and may never end, the library puts everything aside.
    else if (socket.bytesWritten - before < chunk.length)
      await once(this.#connection, 'handshake', { signal })
    if (socket.writableNeedDrain) await once(socket, 'drain', { signal })
  }
}

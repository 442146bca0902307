import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net'

/** Passes connections of one place, a unix socket or a port, on to a unix socket, for as long as it is open. */
export class SocketRelay {
  readonly #place: ListenOptions
  readonly #target: string
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined

  constructor(place: string | ListenOptions, target: string) {
    this.#place = typeof place === 'string' ? { path: place } : place
    this.#target = target
  }

  async open(): Promise<void> {
    this.#server = createServer((socket) => {
      const onward = connect(this.#target)
      for (const [each, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(each)
        each.on('error', () => {})
        each.once('close', () => {
          this.#sockets.delete(each)
          other.destroy()
        })
        each.pipe(other)
      }
    }).listen(this.#place)
    await once(this.#server, 'listening')
  }

  /** Cuts what is connected, and refuses everybody from now on. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
    if (this.#place.path !== undefined) await rm(this.#place.path, { force: true })
  }
}

import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Passes connections of one unix socket on to another, for as long as it is open. */
export class SocketRelay {
  readonly #path: string
  readonly #target: string
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined

  constructor(path: string, target: string) {
    this.#path = path
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
    }).listen(this.#path)
    await once(this.#server, 'listening')
  }

  /** Cuts what is connected, and refuses everybody from now on. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
    await rm(this.#path, { force: true })
  }
}

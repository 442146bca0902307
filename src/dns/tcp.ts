import type { Socket } from 'node:net'
import type { Log } from '#core/ports/log.ts'
import {
  listenForConnections,
  type TcpConnection,
  type TcpConnectionLimits,
  type TcpListener,
} from '#listener/tcp-connections.ts'
import type { Responder } from './responder.ts'

export interface TcpLimits extends TcpConnectionLimits {
  readonly idleMs: number
}

interface TcpOptions {
  readonly host: string
  readonly port: number
  readonly reusePort: boolean
  /** Descriptors of bound sockets to listen on, instead of the port. */
  readonly sockets?: readonly number[]
  readonly responder: Responder
  readonly log: Log
  readonly limits?: Partial<TcpLimits>
}

type Tcp = TcpListener

const DEFAULT_LIMITS: TcpLimits = { idleMs: 10_000, maxConnections: 1000, maxPerAddress: 50 }
/** A question with a name of full length and all options that anybody sends has a few hundred bytes. */
const MAX_QUERY_BYTES = 4096
/** Questions of one connection that may be waiting, and answers that it may leave lying. */
const MAX_WAITING = 64
const MAX_UNREAD_BYTES = 256 * 1024
const PREFIX_BYTES = 2

/** Answers with their length in front. Questions are answered in the order in which their answers are ready. */
export const listenTcp = ({ responder, limits: own, ...options }: TcpOptions): Promise<Tcp> => {
  const limits = { ...DEFAULT_LIMITS, ...own }
  return listenForConnections({
    ...options,
    limits,
    protocol: 'DNS',
    allowHalfOpen: true,
    welcome: (socket, address) => new Connection(socket, address, responder, limits.idleMs),
  })
}

class Connection implements TcpConnection {
  readonly #socket: Socket
  readonly #address: string
  readonly #responder: Responder
  readonly #idle: NodeJS.Timeout
  #received: Buffer = Buffer.alloc(0)
  #waiting = 0
  #isEnding = false

  constructor(socket: Socket, address: string, responder: Responder, idleMs: number) {
    this.#socket = socket
    this.#address = address
    this.#responder = responder
    // From one whole question to the next: single bytes do not keep a connection.
    this.#idle = setTimeout(() => this.cut(), idleMs)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('end', () => this.finish())
    socket.on('error', () => this.cut())
    socket.on('close', () => clearTimeout(this.#idle))
  }

  /** Takes no more questions, and ends when the last answer is out. */
  finish(): void {
    this.#isEnding = true
    if (this.#waiting === 0) this.#socket.end()
  }

  cut(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    this.#answerAll()
  }

  #answerAll(): void {
    while (!this.#isEnding && !this.#socket.destroyed && this.#received.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + this.#received.readUInt16BE(0)
      if (end > PREFIX_BYTES + MAX_QUERY_BYTES) {
        this.cut()
        return
      }
      if (this.#received.length < end) break
      if (this.#waiting >= MAX_WAITING) {
        this.#socket.pause()
        return
      }
      const packet = this.#received.subarray(PREFIX_BYTES, end)
      this.#received = this.#received.subarray(end)
      this.#idle.refresh()
      this.#answer(packet)
    }
  }

  #answer(packet: Buffer): void {
    const reply = this.#responder.respond(packet, this.#address, true)
    if (!(reply instanceof Promise)) {
      this.#send(reply)
      return
    }
    this.#waiting++
    void reply.then((late) => {
      this.#waiting--
      this.#send(late)
      if (this.#isEnding) {
        this.finish()
        return
      }
      this.#socket.resume()
      this.#answerAll()
    })
  }

  /** Whoever does not say a thing that deserves an answer, or does not read it, is not kept. */
  #send(reply: Buffer | undefined): void {
    if (this.#socket.destroyed) return
    if (reply === undefined || this.#socket.writableLength > MAX_UNREAD_BYTES) {
      this.cut()
      return
    }
    const framed = Buffer.allocUnsafe(PREFIX_BYTES + reply.length)
    framed.writeUInt16BE(reply.length, 0)
    reply.copy(framed, PREFIX_BYTES)
    this.#socket.write(framed)
  }
}

import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { afterWrite, oneATurn } from '#core/chunks.ts'
import { endChunks, writeChunk } from './chunk.ts'

/** What is kept of a body, in case that it has to be sent again. */
const MAX_KEPT_BYTES = 64 * 1024
/** What is written to a unix socket at once stays one piece up to here; Linux cuts what is longer. */
const LONGEST_PIECE = 32 * 1024

/** The body of a request, mostly a visitor's, on its way to an instance, no faster than that takes it. */
export class OutgoingBody {
  readonly #req: Readable
  readonly #isChunked: boolean
  readonly #written: ReturnType<typeof afterWrite>
  readonly #rest: ReturnType<typeof oneATurn>
  /** Undefined once it is too much to keep. */
  #kept: Buffer[] | undefined = []
  #keptBytes = 0
  #isEnded = false
  #socket: Socket | undefined
  #onSent: () => void = ignore
  #pieceBytes = 0
  /**
   * In how many pieces the request went out on the connection at hand, its head included. An instance may have read, and
   * acted upon, one of them without having read the next.
   */
  pieces = 0

  constructor(req: Readable, { isChunked = false }: { readonly isChunked?: boolean } = {}) {
    this.#req = req
    this.#isChunked = isChunked
    this.#written = afterWrite(req)
    this.#rest = oneATurn(req, () => this.#hasRoom)
  }

  /** Whether all that was taken from the visitor can be sent once more. */
  get canRepeat(): boolean {
    return this.#kept !== undefined
  }

  /** Sends it, from its beginning, after its head. `onSent` is called when all of it was given to the connection. */
  sendTo(socket: Socket, head: string, onSent: () => void): void {
    this.#socket = socket
    this.#onSent = onSent
    this.pieces = 1
    this.#pieceBytes = head.length
    // Together with what there is of the body already.
    socket.cork()
    socket.write(head, 'latin1')
    // Nothing is taken from the visitor before it is certain that somebody is there.
    if (socket.connecting) socket.once('connect', this.#start)
    else this.#start()
  }

  /** Takes nothing more from the visitor, until it is sent to somebody else. */
  stop(): void {
    const req = this.#req
    this.#socket?.off('connect', this.#start)
    this.#socket?.off('drain', this.#onDrain)
    this.#socket = undefined
    req.off('data', this.#onData)
    req.off('end', this.#onEnd)
    if (!this.#isEnded) req.pause()
  }

  /** Takes the rest from the visitor and drops it, so that the next request can be read. */
  drop(): void {
    this.stop()
    this.#kept = undefined
    if (!this.#isEnded) this.#req.resume()
  }

  readonly #start = (): void => {
    const socket = this.#socket
    if (socket === undefined) return
    for (const chunk of this.#kept ?? []) this.#write(socket, chunk, undefined)
    if (this.#isEnded) {
      this.#finish(socket)
      socket.uncork()
      return
    }
    const req = this.#req
    req.on('data', this.#onData)
    req.on('end', this.#onEnd)
    socket.on('drain', this.#onDrain)
    req.resume()
    // What is there comes in the next tick, and that it was all in the one after.
    process.nextTick(() => process.nextTick(uncork, socket))
  }

  readonly #onData = (chunk: Buffer): void => {
    const socket = this.#socket
    if (socket === undefined) return
    this.#keep(chunk)
    const onWritten = this.canRepeat ? undefined : this.#written(chunk)
    if (this.#write(socket, chunk, onWritten)) this.#rest(chunk)
    else this.#req.pause()
  }

  get #hasRoom(): boolean {
    const socket = this.#socket
    return socket !== undefined && !socket.connecting && !socket.writableNeedDrain
  }

  readonly #onDrain = (): void => {
    this.#req.resume()
  }

  readonly #onEnd = (): void => {
    this.#isEnded = true
    const socket = this.#socket
    if (socket !== undefined) this.#finish(socket)
  }

  #keep(chunk: Buffer): void {
    this.#keptBytes += chunk.length
    if (this.#keptBytes > MAX_KEPT_BYTES) this.#kept = undefined
    else this.#kept?.push(chunk)
  }

  #write(socket: Socket, chunk: Buffer, onWritten: (() => void) | undefined): boolean {
    this.#count(socket, chunk.length)
    return this.#isChunked ? writeChunk(socket, chunk, onWritten) : socket.write(chunk, onWritten)
  }

  #count(socket: Socket, bytes: number): void {
    this.#pieceBytes += bytes
    if (socket.writableCorked === 0 || this.#pieceBytes > LONGEST_PIECE) this.pieces++
  }

  #finish(socket: Socket): void {
    if (this.#isChunked) {
      this.#count(socket, 0)
      endChunks(socket)
    }
    this.#onSent()
  }
}

const ignore = () => {}
const uncork = (socket: Socket): void => socket.uncork()

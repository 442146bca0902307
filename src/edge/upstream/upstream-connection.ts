import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { markUnshared } from '#core/chunks.ts'
import { type BodyDecoder, createBodyDecoder } from './body-decoder.ts'
import { MalformedResponseError, type ResponseHead, readResponseHead } from './response-head.ts'

/** One request and its answer, as they are told of what happens on the connection. */
export interface UpstreamExchange {
  /** Whether the answer has no body, whatever it says. */
  readonly isHead: boolean
  /** Whether a whole body may lie where the next read will be: what is wanted of it later is then copied in `onResponse`. */
  readonly takesLent?: boolean
  /** Takes the connection over when the instance changes the protocol; undefined if that was not asked for. */
  readonly onSwitch?: ((head: ResponseHead, socket: Socket, first: Buffer) => void) | undefined
  /** The body is whole if it came together with the head, else it is to be consumed or destroyed. */
  onResponse(head: ResponseHead, body: Buffer | Readable | undefined): void
  /** Once: all of the answer is here. */
  onEnd(): void
  /** Once, instead of `onEnd`: whoever was handed the body wants no more of it, and the connection is closed. */
  onAbandon(): void
  /** Once, instead of `onEnd`: the connection broke. */
  onFail(error: NodeJS.ErrnoException): void
}

const MAX_HEAD_BYTES = 64 * 1024
/** Answers before the answer, such as early hints. */
const MAX_INFORMATIONAL = 16
const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING: Buffer = Buffer.alloc(0)

/** The instance ended the connection although something was still to come. */
class ClosedError extends Error {
  override readonly name = 'ClosedError'
  readonly code = 'ECLOSED'
}

/** A connection to an instance, for one exchange after the other. */
export class UpstreamConnection {
  readonly #socket: Socket
  readonly #reads: 'direct' | 'events'
  readonly #onIdle: (connection: UpstreamConnection) => void
  readonly #onGone: (connection: UpstreamConnection) => void
  #exchange: UpstreamExchange | undefined
  /** The beginning of a head whose end has not come yet. */
  #pending: Buffer | undefined
  #informational = 0
  /** The head before, with its empty line, and what it says. */
  #lastBytes = NOTHING
  #lastHead: ResponseHead | undefined
  #head: ResponseHead | undefined
  #decoder: BodyDecoder | undefined
  #body: UpstreamBody | undefined
  #isRequestSent = false
  #error: NodeJS.ErrnoException | undefined
  #isSwitched = false
  /** How many exchanges it was used for. */
  uses = 0
  idleSince = 0
  /** How long the instance keeps it while it is idle. */
  keptForMs = Number.POSITIVE_INFINITY

  /**
   * With direct reads, what comes is told by `take` instead of events of the socket, which it is then not queued in, and
   * lies where the next read will be.
   * `onIdle` is called when it can be used again, `onGone` when it never will.
   */
  constructor(
    socket: Socket,
    reads: 'direct' | 'events',
    onIdle: (connection: UpstreamConnection) => void,
    onGone: (connection: UpstreamConnection) => void,
  ) {
    this.#socket = socket
    this.#reads = reads
    this.#onIdle = onIdle
    this.#onGone = onGone
    if (reads === 'events') socket.on('data', this.#onData)
    socket.on('end', this.#onSocketEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get socket(): Socket {
    return this.#socket
  }

  get isUsable(): boolean {
    return this.#socket.writable && !this.#socket.readableEnded
  }

  /** Whether anything of the answer has come. */
  get hasBegun(): boolean {
    return this.#pending !== undefined || this.#head !== undefined || this.#informational > 0
  }

  begin(exchange: UpstreamExchange): void {
    this.#exchange = exchange
    this.#informational = 0
    this.#head = undefined
    this.#isRequestSent = false
    this.uses++
  }

  /** To be called when all of the request was written. */
  requestSent(): void {
    this.#isRequestSent = true
  }

  /** Breaks it off; the exchange is told nothing any more. */
  destroy(): void {
    this.#exchange = undefined
    this.#socket.destroy()
  }

  /** For direct reads: takes what has come. False when no more is wanted for now. */
  take(chunk: Buffer): boolean {
    if (this.#isSwitched) return this.#socket.push(this.#keepable(chunk))
    this.#onData(chunk)
    return true
  }

  readonly #onData = (chunk: Buffer): void => {
    try {
      if (this.#exchange === undefined) this.#socket.destroy()
      else if (this.#decoder !== undefined) this.#takeBody(this.#decoder, chunk)
      else this.#takeHead(this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]))
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #takeHead(bytes: Buffer): void {
    const known = this.#lastHead
    // Most answers of a program begin with the same bytes for as long as the date in them is the same.
    if (known !== undefined && known.status >= 200 && this.#lastBytes.length <= bytes.length) {
      const last = this.#lastBytes
      if (bytes.compare(last, 0, last.length, 0, last.length) === 0) {
        this.#pending = undefined
        this.#start(known, bytes.subarray(last.length))
        return
      }
    }
    const end = bytes.indexOf(HEAD_END)
    if ((end < 0 ? bytes.length : end) > MAX_HEAD_BYTES)
      throw new MalformedResponseError('the head is too large')
    if (end < 0) {
      this.#pending = this.#keepable(bytes)
      return
    }
    this.#pending = undefined
    const head = readResponseHead(bytes.toString('latin1', 0, end))
    this.#lastHead = head
    this.#lastBytes = Buffer.from(bytes.subarray(0, end + HEAD_END.length))
    const rest = bytes.subarray(end + HEAD_END.length)
    if (head.status === 101) this.#switch(head, rest)
    else if (head.status < 200) this.#skip(rest)
    else this.#start(head, rest)
  }

  #skip(rest: Buffer): void {
    if (++this.#informational > MAX_INFORMATIONAL)
      throw new MalformedResponseError('there are too many answers before the answer')
    if (rest.length > 0) this.#takeHead(rest)
  }

  #switch(head: ResponseHead, first: Buffer): void {
    const onSwitch = this.#exchange?.onSwitch
    if (onSwitch === undefined) throw new MalformedResponseError('nobody asked to change the protocol')
    const socket = this.#socket
    this.#exchange = undefined
    this.#isSwitched = true
    socket.off('data', this.#onData)
    socket.off('end', this.#onSocketEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    socket.pause()
    this.#onGone(this)
    onSwitch(head, socket, this.#keepable(first))
  }

  #start(head: ResponseHead, rest: Buffer): void {
    const exchange = this.#exchange as UpstreamExchange
    this.#head = head
    this.keptForMs = head.keepsForMs
    const { status } = head
    if (exchange.isHead || status === 204 || status === 304) {
      exchange.onResponse(head, undefined)
      this.#finish(rest.length === 0)
      return
    }
    // Most are short, and come in one piece.
    if (rest.length === head.framing) {
      exchange.onResponse(head, this.#givable(exchange, rest))
      this.#finish(true)
      return
    }
    const decoder = createBodyDecoder(head.framing)
    const pieces: Buffer[] = []
    const taken = decoder.decode(rest, pieces)
    if (decoder.isDone) {
      const [first = NOTHING] = pieces
      exchange.onResponse(head, pieces.length > 1 ? Buffer.concat(pieces) : this.#givable(exchange, first))
      this.#finish(taken === rest.length)
      return
    }
    this.#decoder = decoder
    const body = new UpstreamBody(this.#socket, () => this.#abandon())
    this.#body = body
    this.#push(pieces)
    exchange.onResponse(head, body)
  }

  #takeBody(decoder: BodyDecoder, chunk: Buffer): void {
    const pieces: Buffer[] = []
    const taken = decoder.decode(chunk, pieces)
    this.#push(pieces)
    if (decoder.isDone) this.#finishBody(taken === chunk.length)
  }

  #push(pieces: readonly Buffer[]): void {
    const body = this.#body as UpstreamBody
    for (const piece of pieces) if (!body.push(this.#keepable(piece))) this.#socket.pause()
  }

  #givable(exchange: UpstreamExchange, whole: Buffer): Buffer {
    return exchange.takesLent === true ? whole : this.#keepable(whole)
  }

  /** What may be used after the next read. */
  #keepable(bytes: Buffer): Buffer {
    return this.#reads === 'direct' ? Buffer.from(bytes) : bytes
  }

  #finishBody(isClean: boolean): void {
    const body = this.#body
    this.#body = undefined
    this.#decoder = undefined
    body?.finish()
    this.#finish(isClean)
  }

  /** The answer is whole. The connection lives on only if nothing about it is in doubt. */
  #finish(isClean: boolean): void {
    const exchange = this.#exchange
    // Broken off by the one who was handed the answer.
    if (exchange === undefined) return
    const isReusable = isClean && this.#isRequestSent && this.#head?.keepsAlive === true
    this.#exchange = undefined
    this.#decoder = undefined
    if (isReusable) {
      this.#socket.resume()
      this.#onIdle(this)
    } else {
      this.#socket.destroy()
    }
    exchange.onEnd()
  }

  #abandon(): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    this.#body = undefined
    this.#socket.destroy()
    exchange?.onAbandon()
  }

  #fail(error: NodeJS.ErrnoException): void {
    const exchange = this.#exchange
    const body = this.#body
    this.#exchange = undefined
    this.#body = undefined
    this.#socket.destroy()
    body?.fail(error)
    exchange?.onFail(error)
  }

  readonly #onSocketEnd = (): void => {
    if (this.#decoder !== undefined && this.#head?.framing === 'until-close') this.#finishBody(false)
  }

  readonly #onError = (error: NodeJS.ErrnoException): void => {
    this.#error = error
  }

  readonly #onClose = (): void => {
    this.#onGone(this)
    this.#fail(this.#error ?? new ClosedError('the instance closed the connection'))
  }
}

/** What comes of a body, no faster than it is taken. */
class UpstreamBody extends Readable {
  readonly #socket: Socket
  readonly #onAbandon: () => void
  #isOver = false

  constructor(socket: Socket, onAbandon: () => void) {
    super({ highWaterMark: 128 * 1024 })
    this.#socket = socket
    this.#onAbandon = onAbandon
    markUnshared(this)
    // It may fail before anybody reads it, and an error that nobody hears ends the process.
    this.on('error', ignore)
  }

  finish(): void {
    this.#isOver = true
    this.push(null)
  }

  fail(error: Error): void {
    this.#isOver = true
    this.destroy(error)
  }

  override _read(): void {
    if (!this.#isOver) this.#socket.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isOver) {
      this.#isOver = true
      this.#onAbandon()
    }
    done(error)
  }
}

const ignore = () => {}

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import {
  ERROR,
  FIRST_WINDOW,
  FLAG,
  frame,
  HEAD_BYTES,
  headerFrames,
  MAX_WINDOW,
  PREFACE,
  readHead,
  settingsAck,
  TYPE,
  windowUpdate,
} from './frames.ts'
import { type Field, TOO_LARGE } from './header-decoder.ts'
import { encodeHeaders } from './header-encoder.ts'

/** What a relay needs of the connection that it is a part of. */
interface RelayedBy {
  readonly socket: Socket
  readonly maxHeaderBytes: number
  /** The greatest stream that the peer has begun. */
  readonly lastStream: number
  /** How much may still be sent on all streams together. */
  readonly window: number
  /** Sends whole frames, with `dataBytes` of content among them. */
  send(frames: Buffer, dataBytes: number, done: () => void): void
  /** It has room again for what the peer sends. */
  wantMore(): void
  /** It begins to wait until more may be sent, or still has to, after it has sent some. */
  relayWaits(): void
  /** The peer has been told that no further streams are taken. */
  relayLeaving(): void
  relayClosed(): void
}

/**
 * So much of anything but content is taken while nobody reads it, for the sake of what may come behind it: a few kilobytes for
 * each stream that a peer may have at a time.
 */
const MAX_UNREAD_BYTES = 512 * 1024

/** Streams that were reset by us, of which the peer may not have heard yet. */
const MAX_RESET = 1000

/**
 * Carries those streams of a connection that are answered by node:http2, which takes this for the whole connection. Header
 * blocks are encoded anew on their way in, without any state, so that it need not know those of the other streams; what it
 * sends is cut at frames, so that others can be sent in between.
 */
export class Http2Relay extends Duplex {
  readonly #by: RelayedBy
  /** Streams that it knows; true once the peer has said all on it. */
  readonly #streams = new Map<number, { peerEnded: boolean; ended: boolean }>()
  /** By how much it takes the window of the connection to be wider than it is. */
  #unknownBytes: number
  #isSettled = false
  /** How much content the peer may still send, as it was told. */
  #takes = FIRST_WINDOW
  /** Whether what it has written waits until more may be sent. It reads nothing before all of that has gone out. */
  #isWaiting = false
  /** What came since then, without its content. */
  #unreadBytes = 0
  /** Of what it has sent, the frames that are not whole yet, or have to wait. */
  #rest: Buffer | undefined
  /** Called when all that it has written has gone out. */
  #written: (() => void) | undefined

  /** `settings` is the payload of what the peer has set so far. */
  constructor(by: RelayedBy, settings: Buffer) {
    super({ allowHalfOpen: true })
    this.#by = by
    this.#unknownBytes = Math.max(0, FIRST_WINDOW - by.window)
    // What the peer was told holds for all that comes by here, although it may not have heard of it yet.
    this.push(Buffer.concat([PREFACE, frame(TYPE.settings, 0, 0, settings), settingsAck()]))
    if (by.window > FIRST_WINDOW) this.push(windowUpdate(by.window - FIRST_WINDOW))
  }

  knows(stream: number): boolean {
    return this.#streams.has(stream)
  }

  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Whether it has enough for now. While it waits, it never has: what ends that is to come from the peer. */
  get isFull(): boolean {
    return !this.#isWaiting && this.readableLength >= this.readableHighWaterMark
  }

  /**
   * Takes the headers of a new stream, or those at the end of one that it knows. Answers the error for which the connection has
   * to end.
   */
  takeHeaders(stream: number, isEnd: boolean, fields: readonly Field[]): number | undefined {
    const known = this.#streams.get(stream)
    if (known === undefined) this.#streams.set(stream, { peerEnded: isEnd, ended: false })
    else if (isEnd) this.#peerEnded(stream)
    const block =
      fields === TOO_LARGE
        ? tooLargeBlock(this.#by.maxHeaderBytes)
        : encodeHeaders(fields.flatMap(({ name, value }) => [name, value]))
    const frames = headerFrames(stream, isEnd, block)
    return this.#take(frames, frames.length)
  }

  /** Takes a frame of a stream that it knows, or of the connection, as it came. The same is answered. */
  takeFrame(type: number, flags: number, stream: number, whole: Buffer): number | undefined {
    if (type === TYPE.reset) this.#streams.delete(stream)
    if (type !== TYPE.data) return this.#take(Buffer.from(whole), whole.length)
    if ((flags & FLAG.endStream) !== 0) this.#peerEnded(stream)
    this.#takes -= whole.length - HEAD_BYTES
    return this.#takes < 0 ? ERROR.flowControl : this.#take(Buffer.from(whole), HEAD_BYTES)
  }

  #take(frames: Buffer, bytes: number): number | undefined {
    this.push(frames)
    if (!this.#isWaiting) return undefined
    this.#unreadBytes += bytes
    return this.#unreadBytes > MAX_UNREAD_BYTES ? ERROR.enhanceYourCalm : undefined
  }

  /** Others have sent content on the connection. */
  noteSent(bytes: number): void {
    this.#unknownBytes += bytes
  }

  /** The window of the connection has grown. */
  widen(by: number): void {
    const known = Math.min(by, this.#unknownBytes)
    this.#unknownBytes -= known
    if (by > known) this.push(windowUpdate(by - known))
    this.#sendRest()
  }

  #peerEnded(stream: number): void {
    const known = this.#streams.get(stream)
    if (known === undefined) return
    known.peerEnded = true
    if (known.ended) this.#streams.delete(stream)
  }

  /** It has said all on a stream, or does not want to hear more. */
  #ended(stream: number, isReset: boolean): void {
    const known = this.#streams.get(stream)
    if (known === undefined) return
    known.ended = true
    if (known.peerEnded) this.#streams.delete(stream)
    else if (isReset && this.#streams.size > MAX_RESET) this.#streams.delete(stream)
  }

  override _read(): void {
    this.#by.wantMore()
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#written = done
    this.#sendRest()
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), undefined, done)
  }

  override _final(done: () => void): void {
    this.#by.socket.end()
    done()
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.#by.relayClosed()
    done()
  }

  /** Sends all frames that are whole and that the window has room for. */
  #sendRest(): void {
    const written = this.#written
    if (written === undefined) return
    const bytes = this.#rest ?? NOTHING
    const parts: Buffer[] = []
    let at = 0
    /** Where the frames begin that go out together, and those of which it is known that they can. */
    let from = 0
    let dataBytes = 0
    let isWaiting = false
    while (bytes.length - at >= HEAD_BYTES) {
      const { length, type, flags, stream } = readHead(bytes, at)
      const end = at + HEAD_BYTES + length
      if (end > bytes.length) break
      // Nothing may come between headers and their continuation.
      if (type === TYPE.headers && (flags & FLAG.endHeaders) === 0 && !hasEndOfHeaders(bytes, end)) break
      if (type === TYPE.data && dataBytes + length > this.#by.window) {
        isWaiting = true
        break
      }
      if (type === TYPE.data) dataBytes += length
      if ((type === TYPE.data || type === TYPE.headers) && (flags & FLAG.endStream) !== 0)
        this.#ended(stream, false)
      else if (type === TYPE.reset) this.#ended(stream, true)
      if (type === TYPE.settings && this.#isOurs(flags)) {
        parts.push(bytes.subarray(from, at))
        from = end
      } else if (type === TYPE.goAway) {
        // Streams that it does not know of have been answered as well.
        const last = bytes.readUInt32BE(at + HEAD_BYTES)
        if (last < this.#by.lastStream) bytes.writeUInt32BE(this.#by.lastStream, at + HEAD_BYTES)
        this.#by.relayLeaving()
      }
      if (type === TYPE.windowUpdate && stream === 0)
        this.#takes += bytes.readUInt32BE(at + HEAD_BYTES) & MAX_WINDOW
      at = end
    }
    parts.push(bytes.subarray(from, at))
    this.#rest = at < bytes.length ? bytes.subarray(at) : undefined
    const frames = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    if (isWaiting) {
      if (frames.length > 0) this.#by.send(frames, dataBytes, nothing)
      if (this.#isWaiting && frames.length === 0) return
      this.#isWaiting = true
      this.#by.relayWaits()
      return
    }
    this.#isWaiting = false
    this.#unreadBytes = 0
    this.#written = undefined
    if (frames.length > 0) this.#by.send(frames, dataBytes, written)
    else written()
  }

  /** The peer has our settings already, and has been told that we have its own. */
  #isOurs(flags: number): boolean {
    if ((flags & FLAG.ack) !== 0) return true
    if (this.#isSettled) return false
    this.#isSettled = true
    return true
  }
}

/**
 * Headers that are as much too large as those of the peer, in a few bytes: node:http2 refuses them in its own way, and knows of
 * the stream what may still come on it. They make no request, and so are never taken for one.
 */
const tooLargeBlock = (maxBytes: number): Buffer =>
  Buffer.alloc(Math.ceil(maxBytes / SHORTEST_BYTES) + 1, SHORTEST)

/** `accept-encoding: gzip, deflate`, which is one byte and counts as so many. */
const SHORTEST = 0x90
const SHORTEST_BYTES = 60

function hasEndOfHeaders(bytes: Buffer, from: number): boolean {
  let at = from
  while (bytes.length - at >= HEAD_BYTES) {
    const { length, flags } = readHead(bytes, at)
    at += HEAD_BYTES + length
    if (at > bytes.length) return false
    if ((flags & FLAG.endHeaders) !== 0) return true
  }
  return false
}

const nothing = () => {}
const NOTHING = Buffer.alloc(0)
